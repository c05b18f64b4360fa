import ArgumentParser
import Phones

/// The expectations of `simulate`, and the options for their report.
struct ExpectationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What must come true under every profile and on every approach; may be given several times. \(Self.forms)",
      valueName: "text"))
  var expect: [String] = []
  @Option(
    help: ArgumentHelp(
      "Expectations, JSON lines, which may name an os, a strategy, an approach or a phone; - is standard input.",
      valueName: "file"))
  var expectFile: String?
  @Option(
    help: ArgumentHelp(
      "Write the results as JUnit XML: a test case for each expectation, profile and approach; without expectations, one for each near trigger; - is standard output.",
      valueName: "file"))
  var junit: String?

  private static let forms =
    "One of: delivered, delivered within 2 s, delivered by 47 s, late, missed, missed: TASK_EXPIRED, no trigger, "
    + "ranging at 50 s (or another state), remaining 91 s at 99 s; delivered of near 2 for one trigger of several."

  func validate() throws { _ = try given() }

  /// The expectations of the command line.
  private func given() throws -> [AskedExpectation] {
    try expect.map { text in
      do throws(Simulation.Expectation.Unreadable) {
        return AskedExpectation(
          scoped: ScopedExpectation(try Simulation.Expectation(text)), source: "--expect")
      } catch {
        throw ValidationError("--expect: \(error).")
      }
    }
  }

  /// The expectations of the command line, then those of the file.
  func asked() throws -> [AskedExpectation] {
    guard let path = expectFile else { return try given() }
    let text = InputText(path: path)
    let file = ExpectationFile(try text.bytes())
    try text.refuse(file.faults)
    guard !file.expectations.isEmpty else {
      throw failure("\(path): there is no expectation in this file", .dataError)
    }
    return try given() + file.expectations.map { AskedExpectation(scoped: $0, source: text.place($0)) }
  }
}

/// An expectation, and its place: `visit.jsonl:7:1`, or the name of an option.
struct AskedExpectation {
  var scoped: ScopedExpectation
  var source: String
}
