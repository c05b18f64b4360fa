import Foundation
import Testing

/// `simulate --explain` as a user runs it.
@Suite struct ExplainTests {
  private func explain(_ arguments: String...) async throws -> Command.Result {
    try await Command(["simulate", "--explain"] + arguments).end()
  }

  @Test func aStrategyIsExplainedAsTextWithoutMarkup() async throws {
    let result = try await explain("background-task", "--os", "ios7")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.lines.first == "background-task")
    #expect(result.output.contains("\nWHAT THE APP DOES\n"))
    #expect(result.output.contains("\n        task = application.beginBackgroundTask(expirationHandler: {\n"))
    for markup in ["**", "`", "##", "<doc:"] {
      #expect(!result.output.contains(markup), "\(markup) is left")
    }
  }

  @Test func aLinkToAnotherPageIsItsName() async throws {
    #expect(try await explain("low-power").output.contains("The same as stock."))
  }

  @Test func sourcesAndConfidenceAreShown() async throws {
    let result = try await explain("background-task", "--os", "ios7")
    #expect(result.output.contains("\nRULES OF ios7\n"))
    let cap = try #require(result.lines.first { $0.hasPrefix("task_cap ") })
    #expect(
      cap.split(separator: " ") == [
        "task_cap", "180", "s", "certain", "Radius", "Networks", "2014,", "device", "log",
      ])
    #expect(!result.output.contains("S0") && !result.output.contains("S4"))
  }

  @Test func systemsThatDifferHaveALineEach() async throws {
    let lines = try await explain("background-task", "--os", "ios9", "--os", "ios13").lines
    let caps = lines.filter { $0.hasPrefix("task_cap ") }
    #expect(caps.count == 2)
    #expect(caps.contains { $0.contains("180 s") && $0.contains("ios9") })
    #expect(caps.contains { $0.contains("30 s") && $0.contains("ios13") && $0.contains("likely") })
    #expect(lines.contains { $0.hasPrefix("grace ") && $0.contains(" all ") })
  }

  @Test func theVariantAndChangesOfTheCommandLineCount() async throws {
    let result = try await explain(
      "stock", "--os", "ios17", "--variant", "observed", "--set", "grace=8s")
    #expect(result.lines.contains { $0.hasPrefix("exit_latency ") && $0.contains("30 s") })
    #expect(
      result.lines.contains { $0.hasPrefix("grace ") && $0.contains("8 s") && $0.contains("command line") })
  }

  @Test func aMisspeltStrategyIsWrongUsage() async throws {
    let result = try await explain("backgroud-task")
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("is none of stock, "))
    #expect(result.errors.contains("Did you mean background-task?"))
  }

  @Test func aSystemThatDoesNotFitIsWrongUsage() async throws {
    let result = try await explain("stock", "--os", "android8")
    #expect(result.status == 64)
    #expect(result.errors.contains("stock is an iOS strategy"))
  }

  @Test func itIsTextOnly() async throws {
    #expect(try await explain("stock", "--json").status == 64)
  }

  @Test func aConfiguredStrategyIsExplainedByItsBaseStrategy() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("explain-\(UUID()).yaml")
    try Data(
      """
      gateway: { name: forecourt }
      receivers: [{ name: hci0 }]
      profiles:
        strategies:
          - { name: mine, based_on: background-task, set: { guards_task: false } }

      """.utf8
    ).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let result = try await explain("mine", "--os", "ios7", "--config", path.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.first == "mine")
    #expect(result.output.contains("From the configuration; based on background-task."))
    #expect(result.lines.contains { $0.hasPrefix("guards_task ") && $0.contains("false") })
  }

  @Test func theTableTellsAnOutcomeInApplesWordsToo() async throws {
    let result = try await Command([
      "simulate", "--approach", "50m@0.2m/s", "--os", "ios7", "--strategy", "background-task",
    ]).end()
    #expect(result.output.contains("background time had run out (backgroundTimeRemaining reached 0;"))
  }
}
