import ArgumentParser
import Beacons
import Contract
import Core
import Glibc
import Mosquitto
import Proximity

struct PublishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Measures publishing: JSON, libmosquitto and the broker's acknowledgements.")

  @Option(help: "The broker's TCP port on loopback.")
  var port: Int
  @Option(help: "Quality of service, 0 or 1.")
  var qos: Int32 = 1
  @Option(help: "How many transitions to publish.")
  var count = 20_000

  func run() async throws {
    guard let quality = QoS(rawValue: qos) else { throw ValidationError("--qos is 0 or 1.") }
    let client = try Client(Options(host: "127.0.0.1", port: port))
    client.start()
    for await event in client.events {
      if case .connected = event { break }
      if case .refused(let refusal) = event { throw failure("\(refusal)", EX_UNAVAILABLE) }
    }
    let topics = Topics(gateway: "bench")
    let watch = Stopwatch()
    var bytes = 0
    for number in 0..<count {
      let message = Self.transition(number).message(topics: topics)
      bytes += message.payload.count
      try await client.publishWhenRoom(message.payload, to: message.topic, qos: quality)
    }
    let left = await client.stop(within: .seconds(60))
    let (cpu, wall) = (watch.cpu, watch.wall)
    tell { json in
      json.field("messages", count)
      json.field("left", left)
      json.field("payload_bytes", bytes / max(count, 1))
      json.field("cpu_s", cpu, decimals: 6)
      json.field("wall_s", wall, decimals: 6)
    }
  }

  private static func transition(_ number: Int) -> TransitionMessage {
    let time: Int64 = 1_000_000 * Int64(number)
    let receiver = ReceiverIndex(rawValue: 0)
    let transition = Transition(
      event: .near, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0),
      time: MonotonicTime(nanoseconds: time),
      wallTime: WallTime(nanoseconds: 1_767_225_600_000_000_000 + time),
      distance: 1.38 + Double(number % 100) / 100, distanceDeviation: 0.79, rssi: -62.4,
      evidence: Evidence(
        threshold: 2, value: 1.376, unit: .metres, samples: number % 1000, dwell: .seconds(2),
        receiver: receiver))
    return TransitionMessage(
      .zone(transition), epoch: 1, sequence: UInt64(number), gateway: "bench", place: "pump-3",
      beacon: "fleet:1.2", receiver: "hci0")
  }
}
