import ArgumentParser
import Beacons
import FoundationEssentials
import Machine

struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Tells whether a gateway is alive on this machine.",
    discussion: """
      A gateway that was started with a runtime directory, as the service and the container are, says there every 20 \
      seconds that it is alive: deadlines are looked at when they are due. A gateway without its broker or its adapter is \
      alive; `beaconkeeper doctor` tells what is missing. Exit status: 0 if it is alive, 69 if it has said nothing for 75 \
      seconds or does not run.

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
    guard let word else { throw failure("\(file.path) is no gateway's word", .dataError) }
    let silence = LiveClock.now - word.time
    // The file of a container outlives the machine's start, from which time is counted.
    guard silence >= .zero, silence <= AliveFile.patience else {
      throw failure(
        "the gateway has not said for a while that it is alive; last: \(word.summary)", .unavailable)
    }
    try tell("alive, as of \(Int(silence.seconds)) s ago: \(word.summary)")
  }
}
