import Foundation
import Testing

/// The example for an app's CI, exactly as it ships.
@Suite struct AppCITests {
  private static let folder = Command.package.appendingPathComponent("config/examples/app-ci")

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  /// The command of the workflow, with its files where they lie here.
  private static func workflow() throws -> [String] {
    let lines = try text("github-workflow.yml").split(separator: "\n").map { $0.drop { $0 == " " } }
    let start = try #require(lines.firstIndex { $0.hasPrefix("beaconkeeper simulate") })
    let command = lines[start...].prefix { !$0.hasPrefix("- name") }.joined(separator: " ")
    var words = command.split(separator: " ").dropFirst().map { String($0).replacing("beacons/", with: "") }
    let report = try #require(words.firstIndex(of: "--report"))
    words[report + 1] = "-"
    let junit = try #require(words.firstIndex(of: "--junit"))
    words[junit + 1] = try file("", "xml")
    return words
  }

  @Test func theExampleMeetsItsExpectations() async throws {
    let words = try Self.workflow()
    let result = try await Command(words, directory: Self.folder).end()
    #expect(result.status == 0, "\(result.errors)")
    let junit = try String(
      contentsOfFile: words[try #require(words.firstIndex(of: "--junit")) + 1], encoding: .utf8)
    #expect(junit.contains("tests=\"14\" failures=\"0\""))
  }

  @Test func lessBackgroundTimeBreaksItAndTheReadMeShowsHow() async throws {
    let result = try await Command(try Self.workflow() + ["--set", "task_cap=5s"], directory: Self.folder)
      .end()
    #expect(result.status == 1)
    let shown = try Self.text("README.md").split(separator: "\n").drop { !$0.contains("task_cap=5s") }
      .dropFirst()
      .prefix { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
    #expect(shown.count > 5)
    for line in shown { #expect(result.errors.contains(line + "\n"), "\(line)") }
  }
}
