import ArgumentParser
import Core
import FoundationEssentials

struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Checks whether a gateway is alive on this machine.",
    discussion: """
      A gateway with a runtime directory, such as the service or the container, records there every 20 seconds that it is \
      alive, which means that it handles deadlines in time. A gateway that waits for its broker or its adapter counts as \
      alive; `beaconkeeper doctor` shows what is missing. Exit status: 0 if the gateway is alive, 69 if it is not running \
      or has recorded nothing for 75 seconds.

      EXAMPLES
        sudo beaconkeeper health
        beaconkeeper health --directory /run/user/1000/beaconkeeper
      """)

  @Option(
    help: ArgumentHelp(
      "The gateway's runtime directory (default: $RUNTIME_DIRECTORY, or /run/beaconkeeper).",
      valueName: "folder"))
  var directory: String?

  func run() throws {
    let file =
      directory.map(AliveFile.init(directory:)) ?? AliveFile(environment: ProcessInfo.processInfo.environment)
      ?? AliveFile(directory: "/run/beaconkeeper")
    let word: AliveFile.Word?
    do {
      word = try file.read()
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      throw failure("no gateway runs here: there is no \(file.path)", .unavailable)
    } catch let error as CocoaError where error.code == .fileReadNoPermission {
      throw failure("\(file.path) cannot be read; run this as the gateway's user or as root", .noPermission)
    }
    guard let word else { throw failure("\(file.path) is not a gateway's health file", .dataError) }
    let silence = LiveClock.now - word.time
    // A container's file survives a restart of the machine, but times are counted from that restart.
    guard silence >= .zero, silence <= AliveFile.patience else {
      throw failure(
        "the gateway has recorded nothing for a while; its last record: \(word.summary)", .unavailable)
    }
    try tell("alive, as of \(Int(silence.seconds)) s ago: \(word.summary)")
  }
}
