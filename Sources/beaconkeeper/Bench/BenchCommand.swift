import ArgumentParser

/// The measurements of `deploy/bench` that run in the product's own binary.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures parts of the gateway; called by deploy/bench.",
    shouldDisplay: false,
    subcommands: [
      BenchSocketCommand.self, BenchDecodeCommand.self, BenchZonesCommand.self, BenchPublishCommand.self,
      BenchPolicyCommand.self,
    ])
}
