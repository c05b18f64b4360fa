import Beacons
import Messages
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// A pipeline of rooms, and a beacon that is carried from one to the other.
struct Flat {
  var scene: Scene
  var cooker: ReceiverIndex
  var door: ReceiverIndex

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

  var events: [String] {
    scene.output.transitions.map { "\($0.event.rawValue) \($0.kind.rawValue) \($0.place) \($0.beacon)" }
  }

  /// The latest payload of a topic.
  func state(_ topic: String) -> String? {
    scene.output.states(topics: scene.pipeline.topics).last { $0.topic == "beaconkeeper/flat/" + topic }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }

  func retained(_ topic: String) -> String? {
    scene.pipeline.allStates().last { $0.topic == "beaconkeeper/flat/" + topic }
      .map { String(decoding: $0.payload, as: UTF8.self) }
  }
}
