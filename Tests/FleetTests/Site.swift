import Beacons
import Configuration
import Contract
import Core
@testable import Fleet

/// Two rooms with a gateway in each, tags that go to and fro, and the queue of one partition with what the gateways say of them.
struct Site {
  static let names = FleetNames(site: "site")
  private static let yaml = """
    gateway: { name: site }
    broker: { url: "mqtt://localhost" }
    beacons: [{ name: tag, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }]
    rooms: [{ name: hall, receivers: [a/hci0] }, { name: kitchen, receivers: [b/hci0] }]
    zones: [{ name: desk, receivers: [a/hci0], enter: { signal: -60 dBm, dwell: 1 s }, exit: { signal: -70 dBm, dwell: 1 s } }]
    fleet: { rabbitmq: "amqp://localhost", partitions: 1, interval: 500 ms }
    """
  /// One for each tag.
  private static let phones = """

    phones:
      - { name: p.0, beacon: "tag:1.0", os: ios7, strategy: background-task }
      - { name: p.1, beacon: "tag:1.1", os: ios7, strategy: stock, countdown: true }
      - { name: p.2, beacon: "tag:1.2", os: android7, strategy: altbeacon-legacy }
      - { name: p.3, beacon: "tag:1.3", os: ios17, strategy: location-always }
      - { name: p.4, beacon: "tag:1.4", os: android14, strategy: altbeacon-job }
      - { name: p.5, beacon: "tag:1.5", os: ios7, strategy: task-list-sampled }
    """

  let configuration: Configuration
  /// A gateway's clock is behind by so many milliseconds.
  var offsets: [String: Int64] = ["a": 5_000_000, "b": -3_000]

  init(hasPhones: Bool = false) throws {
    let near = "near: { signal: -56 dBm, dwell: 1 s, rearm: -65 dBm }, enter:"
    let yaml = hasPhones ? Self.yaml.replacing("enter:", with: near) + Self.phones : Self.yaml
    configuration = try Configuration.read(
      Array(yaml.utf8), path: "fleet.yaml", environment: [:], hostName: "host"
    ).configuration
  }

  /// 2026-11-24, in milliseconds.
  static let start: Int64 = 1_795_500_000_000

  struct Entry {
    var key: String
    var payload: [UInt8]
  }

  static func tick(_ milliseconds: Int64, worker: String = "w") -> Entry {
    Entry(
      key: names.tick,
      payload: Tick(worker: worker, time: WallTime(nanoseconds: (start + milliseconds) * 1_000_000)).payload)
  }

  /// What `gateway` says of each tag's signal (dBm) at a time.
  func batch(
    _ gateway: String, _ sequence: UInt64, at milliseconds: Int64, boot: String = "1", _ signals: [Int: Int8]
  )
    -> Entry
  {
    let sent = Self.start + milliseconds - (offsets[gateway] ?? 0)
    let message = ObservationsMessage(
      gateway: gateway, boot: boot, sequence: sequence,
      sent: MonotonicTime(nanoseconds: sent * 1_000_000), partition: 0, receivers: ["hci0"],
      beacons: signals.sorted { $0.key < $1.key }.map { tag, rssi in
        .init(
          key: "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 \(tag)", measuredPower: -59,
          heard: [.init(receiver: 0, rssi: rssi, age: .milliseconds(40))])
      })
    return Entry(
      key: "beaconkeeper.\(gateway).observations.0",
      payload: message.message(topics: Topics(gateway: gateway)).payload)
  }

  /// So many seconds of ticks and batches: every tag changes rooms every ten seconds, each at its own time.
  func queue(seconds: Int, tags: Int = 6) -> [Entry] {
    var entries: [Entry] = []
    for step in 0..<(seconds * 2) {
      let time = Int64(step) * 500
      entries.append(Self.tick(time))
      for (place, gateway) in ["a", "b"].enumerated() {
        let signals = (0..<tags).map { tag in
          let room = (step / 2 + 3 * tag) / 10 % 2
          return (tag, Int8((room == place ? -52 : -74) - (step + tag) % 3))
        }
        entries.append(batch(gateway, UInt64(step + 1), at: time + 100, Dictionary(signals) { $1 }))
      }
    }
    return entries
  }
}

extension FleetPartition {
  /// What comes of some entries, as lines.
  mutating func take(_ entries: some Sequence<Site.Entry>) -> [String] {
    var messages: [Message] = []
    for entry in entries { _ = take(key: entry.key, entry.payload, into: &messages) }
    return messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
  }
}
