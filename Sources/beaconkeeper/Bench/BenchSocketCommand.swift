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
    abstract: "Measures the way from a socket to the zones' decisions.",
    discussion: """
      Reads advertisements, one event a datagram, from a SOCK_SEQPACKET socket that its parent left open. They are HCI events \
      (LE advertising reports, legacy and extended), received and decoded by the code that `run` uses for an adapter's raw \
      socket. With --form mgmt they are Device Found events of the kernel's management interface, which `run` does not read.

      The advertisements go through the pipeline, up to the zones' decisions. Keeping an adapter scanning, the outbox and the \
      broker are not measured. At the end of the stream the command prints what it counted, and the seconds that it took from \
      the first datagram on.

      EXAMPLE
        beaconkeeper bench socket --fd 3 --config site.yaml
        beaconkeeper bench socket --fd 3 --config site.yaml --form mgmt
      """)

  @Option(help: ArgumentHelp("The socket's descriptor.", valueName: "number"))
  var fd: Int32
  @Option(name: .shortAndLong, help: ArgumentHelp("The configuration.", valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("What comes over the socket: hci or mgmt.", valueName: "form"))
  var form = AdvertisementFeed.Form.hci

  func validate() throws {
    if fd < 0 { throw ValidationError("--fd takes the number of an open descriptor, 0 or more.") }
  }

  func run() async throws {
    let configuration = try loadConfiguration(config)
    var pipeline = Pipeline(configuration, limits: .benchmark)
    guard let receiver = pipeline.receiver("hci0") else { throw failure("no receiver", .software) }
    var feed: AdvertisementFeed
    do throws(SystemError) {
      feed = try AdvertisementFeed(form, descriptor: fd, receiver: receiver)
    } catch {
      throw failure("\(error); --fd takes a connected socket of type SOCK_SEQPACKET", .unavailable)
    }
    let housekeeping = Task { await giveBackFreedMemory() }
    defer { housekeeping.cancel() }
    let watch = Stopwatch()
    var start: Double?
    var batch = AdvertisementBatch()
    var output = Pipeline.Output()
    do throws(SystemError) {
      while try feed.next(into: &batch) {
        if start == nil { start = watch.wall }
        pipeline.observe(batch, into: &output)
        output.removeAll()
        batch.removeAll()
      }
    } catch {
      throw failure("\(error)", .inputOutput)
    }
    try report(pipeline, malformed: feed.malformed, cpu: watch.cpu, wall: watch.wall - (start ?? watch.wall))
  }

  private func report(_ pipeline: Pipeline, malformed: UInt64, cpu: Double, wall: Double) throws {
    let line = JSONWriter.line { json in
      json.field("adverts", pipeline.counts.advertisements)
      json.field("sightings", pipeline.counts.sightings)
      json.field("beacons", pipeline.beaconCount)
      json.field("transitions", pipeline.counts.transitions)
      json.field("malformed", malformed)
      json.field("cpu_s", cpu, decimals: 6)
      json.field("wall_s", wall, decimals: 6)
    }
    try tell(line)
  }
}

extension AdvertisementFeed.Form: ExpressibleByArgument {}
