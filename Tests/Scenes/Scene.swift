import Beacons
import Configuration
import Contract
import Core
import Proximity
import TestSupport
import Testing

@testable import Pipeline

/// A pipeline, and an iBeacon that is carried about before it.
package struct Scene {
  package static let rules = """
    gateway: { name: forecourt }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: fridge, address: "C1:00:00:00:00:05" }
    zones:
      - name: pump-3
        beacons: [fleet]
        near:  { distance: 2 m, dwell: 1 s, rearm: 5 m }
        enter: { distance: 6 m, dwell: 1 s }
        exit:  { distance: 9 m, dwell: 2 s, lost: 10 s }
      - name: shop
        enter: { signal: -90 dBm, dwell: 0 s }
        exit:  { signal: -95 dBm, dwell: 1 s }
    """

  package var pipeline: Pipeline
  package var output = Pipeline.Output()
  private let witness = Witness()
  package private(set) var time = MonotonicTime.zero
  /// Whether addresses that may be private are.
  package var addressesChange = false
  /// The receiver `hci0`.
  package private(set) var receiver: ReceiverIndex

  package init(_ yaml: String = Scene.rules) throws { try self.init(Self.configuration(yaml)) }

  package init(_ configuration: Configuration) throws {
    pipeline = Pipeline(configuration)
    receiver = pipeline.receiver("hci0") ?? ReceiverIndex(rawValue: 0)
  }

  package static func configuration(_ yaml: String) throws -> Configuration {
    try Configuration.read(Array(yaml.utf8), path: "test.yaml", environment: [:], hostName: "host")
      .configuration
  }

  /// 2026-11-20T21:50:00Z plus the scene's time.
  package var wallTime: WallTime {
    WallTime(nanoseconds: 1_795_211_400_000_000_000) + (time - MonotonicTime.zero)
  }

  /// Plays an advertisement every 100 ms for some seconds at one signal strength.
  package mutating func hear(
    _ payload: [UInt8] = Scene.iBeacon(minor: 2), from address: UInt64 = 0xC100_0000_0001, rssi: Int8,
    for seconds: Double, at other: ReceiverIndex? = nil
  ) throws {
    // A device whose address changes begins with the same bits as many makers' addresses, which do not: a scene has the latter.
    let kind = address >> 46 == 0b01 && !addressesChange ? DeviceAddress.Kind.public : .random
    for _ in 0..<Int(seconds * 10) {
      var batch = AdvertisementBatch()
      batch.append(
        Advertisement(
          receiver: other ?? receiver, address: DeviceAddress(bits: address, kind: kind), rssi: rssi,
          time: time,
          wallTime: wallTime),
        payload: payload.span)
      pipeline.observe(batch, into: &output)
      time = time + .milliseconds(100)
    }
    witness.look(at: output, pipeline.topics)
  }

  /// Time during which no gateway runs.
  package mutating func skip(_ seconds: Double) { time = time + .seconds(seconds) }

  /// Another run of the gateway, in which `hci0` may have another index.
  package mutating func replace(_ next: Pipeline, receiver: ReceiverIndex) {
    pipeline = next
    self.receiver = receiver
  }

  /// The file was edited, and is read again.
  package mutating func reload(_ yaml: String = Scene.rules) throws {
    let new = try Self.configuration(yaml)
    pipeline.release(for: new, at: time, into: &output)
    pipeline = pipeline.reconfigured(new, into: &output)
  }

  /// Lets time pass in silence.
  package mutating func pass(_ seconds: Double) {
    time = time + .seconds(seconds)
    pipeline.advance(to: time, into: &output)
    witness.look(at: output, pipeline.topics)
  }

  /// `event zone beacon` of each transition so far.
  package var story: [String] {
    witness.look(at: output, pipeline.topics)
    return output.transitions.map { "\($0.word) \($0.place) \($0.beacon)" }
  }

  package var states: [Message] { output.states(topics: pipeline.topics) }

  /// The latest payload of a state topic below `beaconkeeper/forecourt/`.
  package func state(_ topic: String) -> String? {
    witness.look(at: output, pipeline.topics)
    return states.last { $0.topic == "beaconkeeper/forecourt/" + topic }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  /// One of many, in major and minor.
  package static func iBeacon(number: UInt16) -> [UInt8] {
    var payload = iBeacon(minor: UInt8(truncatingIfNeeded: number))
    payload[27] = UInt8(number >> 8)
    return payload
  }

  /// BTHome: hundredths of a degree.
  package static func temperature(_ number: UInt16) -> [UInt8] {
    [2, 1, 6, 7, 0x16, 0xD2, 0xFC, 0x40, 0x02, UInt8(number & 255), UInt8(number >> 8)]
  }

  /// BTHome: a door and a button.
  package static func doorbell(number: UInt8, isOpen: Bool, button: UInt8) -> [UInt8] {
    [2, 1, 6, 10, 0x16, 0xD2, 0xFC, 0x44, 0, number, 0x1A, isOpen ? 1 : 0, 0x3A, button]
  }

  /// The first random addresses from one on that share its set of four in the memory of addresses while that is small.
  package static func addresses(_ count: Int, sharingTheSetOf first: UInt64) -> [UInt64] {
    func set(_ bits: UInt64) -> UInt64 { ((bits | 1 << 48) &* 0x9E37_79B9_7F4A_7C15) >> 52 }
    return Array((first..<first + 100_000).lazy.filter { set($0) == set(first) }.prefix(count))
  }

  package static func iBeacon(minor: UInt8) -> [UInt8] {
    [0x02, 0x01, 0x1A, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
      + [0xF2, 0x9D, 0xC7, 0x4A, 0xDB, 0xBD, 0x12, 0xDE, 0x31, 0x8A, 0xC8, 0xB0, 0x46, 0xDD, 0x44, 0x25]
      + [0x00, 0x01, 0x00, minor, 0xC5]
  }

  /// Ruuvi format 5, the valid-data vector of its specification.
  package static let ruuvi: [UInt8] =
    [0x02, 0x01, 0x06, 0x1B, 0xFF, 0x99, 0x04]
    + [0x05, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C, 0xAC, 0x36, 0x42, 0x00]
    + [0xCD, 0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F]
}

/// Holds every message of a scene to the schema of its topic.
private final class Witness {
  private var seen = 0
  private var numbers = TransitionNumbers(epoch: 7)

  func look(at output: Pipeline.Output, _ topics: Topics) {
    if seen > output.items.count { seen = 0 }
    for var item in output.items[seen...] {
      if case .transition(var transition) = item {
        numbers.number(&transition)
        item = .transition(transition)
      }
      let message = item.message(topics: topics)
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload) == [])
    }
    seen = output.items.count
  }
}

extension Pipeline.Output {
  /// All that is said, in order.
  package func messages(topics: Topics) -> [Message] { items.map { $0.message(topics: topics) } }
}

extension Pipeline.Output.Item {
  package func message(topics: Topics) -> Message {
    switch self {
    case .transition(let transition): transition.message(topics: topics)
    case .state(let state): state.message(topics: topics)
    case .roomPresence(let presence): presence.message()
    case .verdict(let verdict): verdict.message(topics: topics)
    }
  }
}
