import ArgumentParser
import Gateway

/// Started by `run` to find out which topics the broker forbids: see `AccessQuestions`.
struct AskBrokerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask-broker",
    abstract: "Asks a broker what it allows; called by run.",
    shouldDisplay: false)

  func run() async throws {
    try await AccessQuestions.answer { print($0) }
  }
}
