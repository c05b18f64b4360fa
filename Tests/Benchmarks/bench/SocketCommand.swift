import ArgumentParser
import Beacons
import Contract
import Core
import Gateway
import Glibc
import Pipeline
import Radio
import Synchronization

struct SocketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket",
    abstract: "Measures the live path from an adapter's socket to the outbox.",
    discussion: """
      Reads advertisements from a SOCK_SEQPACKET socket that the parent process left open, one event per datagram. They \
      are HCI events (LE advertising reports, legacy and extended). The socket replaces an adapter's raw socket in the \
      receive loop that `run` uses; the command itself plays the kernel's management interface.

      As in `run`, the advertisements then pass through the keeper that watches the adapter, the decision loop and the outbox. \
      There is no broker: messages wait in memory, as they do while a broker is unreachable. When the stream ends, the \
      command prints its counters and the seconds from the first batch to the last.

      EXAMPLE
        bench socket --fd 3 --config site.yaml
      """)

  @Option(help: ArgumentHelp("The socket's file descriptor.", valueName: "number"))
  var fd: Int32
  @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"))
  var config: String?

  func validate() throws {
    if fd < 0 { throw ValidationError("--fd takes the number of an open descriptor, 0 or more.") }
  }

  func run() async throws {
    let configuration = try loadConfiguration(config)
    let gateway = try FeedRun(configuration, limits: .benchmark, descriptor: fd)
    let housekeeping = Task { await giveBackFreedMemory() }
    defer { housekeeping.cancel() }
    let watch = Stopwatch()
    // When the first and the last batch were taken in.
    let times = Mutex<(first: Double, last: Double)?>(nil)
    do {
      try gateway.run {
        let now = watch.wall
        times.withLock { $0 = ($0?.first ?? now, now) }
      }
    } catch let error as SystemError {
      throw failure("\(error); --fd takes a connected socket of type SOCK_SEQPACKET", EX_UNAVAILABLE)
    }
    let (first, last) = times.withLock { $0 } ?? (0, 0)
    let cpu = watch.cpu
    let (counts, beacons) = gateway.counts
    tell { json in
      json.field("adverts", counts.advertisements)
      json.field("sightings", counts.sightings)
      json.field("beacons", beacons)
      json.field("transitions", counts.transitions)
      json.field("cpu_s", cpu, decimals: 6)
      json.field("wall_s", last - first, decimals: 6)
    }
  }
}
