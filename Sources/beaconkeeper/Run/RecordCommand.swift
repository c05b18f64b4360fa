import ArgumentParser
import Core
import Gateway
import Glibc
import Radio

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records advertisements in a file that btmon and Wireshark can open.",
    discussion: """
      A name that ends in .jsonl, or - for standard output, selects text: one JSON object per line. Any other name selects \
      btsnoop. Ctrl-C stops the recording.

      EXAMPLES
        sudo beaconkeeper record --output walk.btsnoop
        beaconkeeper record --output - --adapter hci1 | head
        beaconkeeper record --output hour.btsnoop --duration 3600
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("Where to write.", valueName: "file"))
  var output: String
  @Option(
    help: ArgumentHelp(
      "Record only this adapter: hci0, or its address. May be repeated.", valueName: "adapter")
  )
  var adapter: [String] = []
  @Option(help: ArgumentHelp("Stop after this time.", valueName: "seconds"))
  var duration: Double?

  func validate() throws {
    if let duration, !(duration > 0 && duration < 1e9) {
      throw ValidationError("--duration is a number of seconds above 0.")
    }
  }

  func run() async throws {
    // This check comes before the file is truncated.
    _ = try attempt(.unavailable) { try LiveRadio.adapters() }
    let recorder = try attempt(.cannotCreate) {
      try Recorder(path: output, format: Recorder.Format(path: output))
    }
    let error = try await record(with: recorder)
    let count = recorder.count
    if let fault = count.failure {
      throw failure("\(output): \(fault); \(count.advertisements) advertisements came before", .inputOutput)
    }
    if let error {
      throw failure("\(error)", error == .missingRawCapability ? .noPermission : .unavailable)
    }
    say("beaconkeeper: \(count.advertisements) advertisements, \(count.bytes) bytes")
  }

  /// Records until a signal, the end of the duration, or an error, which it returns.
  private func record(with recorder: Recorder) async throws -> RadioError? {
    var options = LiveRadio.Options()
    options.adapters = adapter
    do throws(RadioError) {
      let radio = try LiveRadio(options)
      let handlers = recorder.handlers(
        onFailure: { _ in radio.stop() }, onNotice: { say("beaconkeeper: \($0)") })
      let signals = SignalWatch(SIGINT, SIGTERM) { radio.stop() }
      let timing = Task {
        guard let duration else { return }
        try? await Task.sleep(for: .seconds(duration))
        radio.stop()
      }
      defer {
        signals.end()
        timing.cancel()
      }
      try await radio.listen(handlers)
      return nil
    } catch {
      return error
    }
  }
}
