import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// A pipeline of rooms, and a beacon that is carried from one to the other.
struct Flat {
  /// Two rooms, a receiver in each, and the beacon. Zones may follow.
  static let head = """
    gateway: { name: flat }
    beacons: [{ name: key, address: C1:00:00:00:00:01 }]
    rooms: [{ name: kitchen, receivers: [cooker] }, { name: hall, receivers: [door] }]

    """

  var scene: Scene
  var cooker: ReceiverIndex
  var door: ReceiverIndex
  /// What the broker retains of what was said until the latest restart or reload.
  private var kept: [String: String] = [:]

  init(_ yaml: String) throws {
    var scene = try Scene(yaml)
    let (cooker, door) = (scene.pipeline.receiver("cooker"), scene.pipeline.receiver("door"))
    self.scene = scene
    self.cooker = try #require(cooker)
    self.door = try #require(door)
  }

  /// Five seconds near one of the receivers.
  mutating func stay(inKitchen: Bool, seconds: Int = 5) throws {
    for _ in 0..<(seconds * 5) {
      try scene.hear([], rssi: inKitchen ? -55 : -75, for: 0.1, at: cooker)
      try scene.hear([], rssi: inKitchen ? -75 : -55, for: 0.1, at: door)
    }
  }

  mutating func wait(_ seconds: Double) {
    scene.skip(seconds)
    scene.pipeline.advance(to: scene.time, into: &scene.output)
  }

  /// The gateway stops, and some seconds later another one starts, in which receivers have other numbers.
  mutating func restart(_ yaml: String, after seconds: Double = 10) throws {
    keep()
    let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    let gains = scene.pipeline.keptGains
    scene.output.removeAll()
    scene.skip(seconds)
    var next = Pipeline(try Scene.configuration(yaml))
    let (door, cooker) = (next.receiver("door"), next.receiver("cooker"))
    self.door = try #require(door)
    self.cooker = try #require(cooker)
    next.restore(
      saved, isSameBoot: true, at: scene.time, wallTime: scene.wallTime, into: &scene.output)
    next.restore(gains: gains ?? [:])
    scene.replace(next, receiver: self.door)
    keep()
  }

  mutating func reload(_ yaml: String) throws {
    keep()
    scene.output.removeAll()
    try scene.reload(yaml)
    keep()
  }

  mutating func setBlind(_ receiver: ReceiverIndex, _ isBlind: Bool) {
    scene.pipeline.setBlind(receiver, isBlind, at: scene.time, into: &scene.output)
  }

  private mutating func keep() {
    for message in scene.states + scene.pipeline.allStates() {
      kept[message.topic] = String(decoding: message.payload, as: UTF8.self)
    }
  }

  var events: [String] {
    scene.output.transitions.map { "\($0.word) \($0.kind?.rawValue ?? "") \($0.place) \($0.beacon)" }
  }

  /// The latest payload of a topic.
  func state(_ topic: String) -> String? {
    scene.output.states(topics: scene.pipeline.topics).last { $0.topic == "beaconkeeper/flat/" + topic }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  /// What the broker retains.
  func kept(_ topic: String) -> String? { state(topic) ?? kept["beaconkeeper/flat/" + topic] }

  func retained(_ topic: String) -> String? {
    scene.pipeline.allStates().last { $0.topic == "beaconkeeper/flat/" + topic }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }
}
