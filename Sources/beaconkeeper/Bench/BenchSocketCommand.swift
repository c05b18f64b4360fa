import JSON
import Pipeline
import Machine
import ArgumentParser
import Beacons
import Gateway
import Messages
import Radio

struct BenchSocketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket",
    abstract: "Measures the live path from an adapter's socket to the outbox.",
    discussion: """
      Reads advertisements from a SOCK_SEQPACKET socket that the parent process left open, one event per datagram. They are \
      HCI events (LE advertising reports, legacy and extended), and are received and decoded by the same code that `run` uses \
      for an adapter's raw socket. With --form mgmt they are Device Found events of the kernel's management interface, which \
      `run` does not read.

      As in `run`, the advertisements then pass through the keeper that watches the adapter, the decision loop and the outbox. \
      There is no broker: messages wait in memory, as they do while a broker is unreachable. When the stream ends, the \
      command prints its counters and the seconds since the first datagram.

      EXAMPLE
        beaconkeeper bench socket --fd 3 --config site.yaml
        beaconkeeper bench socket --fd 3 --config site.yaml --form mgmt
      """)

  @Option(help: ArgumentHelp("The socket's file descriptor.", valueName: "number"))
  var fd: Int32
  @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("The kind of events on the socket: hci or mgmt.", valueName: "form"))
  var form = AdvertisementFeed.Form.hci

  func validate() throws {
    if fd < 0 { throw ValidationError("--fd takes the number of an open descriptor, 0 or more.") }
  }

  func run() async throws {
    let configuration = try loadConfiguration(config)
    var gateway: FeedRun
    do {
      gateway = try FeedRun(configuration, limits: .benchmark, form: form, descriptor: fd)
    } catch {
      throw failure("\(error); --fd takes a connected socket of type SOCK_SEQPACKET", .unavailable)
    }
    let housekeeping = Task { await giveBackFreedMemory() }
    defer { housekeeping.cancel() }
    let watch = Stopwatch()
    var start: Double?
    var batch = AdvertisementBatch()
    do throws(SystemError) {
      while try gateway.next(into: &batch) {
        if start == nil { start = watch.wall }
      }
    } catch {
      throw failure("\(error)", .inputOutput)
    }
    try report(gateway, cpu: watch.cpu, wall: watch.wall - (start ?? watch.wall))
  }

  private func report(_ gateway: borrowing FeedRun, cpu: Double, wall: Double) throws {
    let (counts, beacons) = gateway.counts
    let malformed = gateway.malformed
    let line = JSONWriter.line { json in
      json.field("adverts", counts.advertisements)
      json.field("sightings", counts.sightings)
      json.field("beacons", beacons)
      json.field("transitions", counts.transitions)
      json.field("malformed", malformed)
      json.field("cpu_s", cpu, decimals: 6)
      json.field("wall_s", wall, decimals: 6)
    }
    try tell(line)
  }
}

extension AdvertisementFeed.Form: ExpressibleByArgument {}
