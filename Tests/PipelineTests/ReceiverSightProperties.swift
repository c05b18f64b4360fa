import Beacons
import Configuration
import Contract
import Core
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// Receivers become blind and work again: zones, rooms and zones of rooms say the same about it.
@Suite struct ReceiverSightProperties {
  private static let receivers = ["a", "b", "c"]

  /// Each receiver has a zone, a room, and a zone of that room.
  private static func configuration(zones more: Int = 0) throws -> Configuration {
    let rule = "enter: { signal: -90 dBm }, exit: { signal: -95 dBm, lost: 10 s }"
    let zones =
      receivers.flatMap {
        ["{ name: near-\($0), receivers: [\($0)], \(rule) }", "{ name: in-\($0), room: room-\($0) }"]
      }
      + ["{ name: all, \(rule) }"] + (0..<more).map { "{ name: more-\($0), \(rule) }" }
    return try Scene.configuration(
      """
      gateway: { name: site }
      beacons: [{ name: key, address: C1:00:00:00:00:01 }]
      rooms: [\(receivers.map { "{ name: room-\($0), receivers: [\($0)] }" }.joined(separator: ", "))]
      zones:
      \(zones.map { "  - \($0)\n" }.joined())
      """)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `zones and rooms agree on who is blind, and it is published at once`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    var pipeline = Pipeline(try Self.configuration())
    let indices = Self.receivers.compactMap { pipeline.receiver($0) }
    var sight: [ReceiverIndex: Bool] = [:]
    var published: [String: String] = [:]
    var time = MonotonicTime.zero
    var reloads = 0
    func text(_ message: Message) -> String { String(decoding: message.payload, as: UTF8.self) }
    func publish(_ messages: [Message]) {
      for message in messages where message.topic.hasSuffix("/occupancy") {
        published[message.topic] = text(message)
      }
    }
    publish(pipeline.allStates())
    for step in 0..<400 {
      time = time + .milliseconds(Int64.random(in: 0...1500, using: &dice))
      var output = Pipeline.Output()
      let before = sight
      let receiver = try #require(indices.randomElement(using: &dice))
      switch Int.random(in: 0..<40, using: &dice) {
      case 0..<4:
        let isBlind = !dice.oneIn(3)
        pipeline.setBlind(receiver, isBlind, at: time, into: &output)
        sight[receiver] = !isBlind
      case 4:
        time = time + .seconds(60)
        pipeline.advance(to: time, into: &output)
      case 5:
        pipeline.pause(from: time, to: time + .seconds(30), into: &output)
        time = time + .seconds(30)
      case 6:
        reloads += 1
        let new = try Self.configuration(zones: reloads % 3)
        pipeline.release(for: new, at: time, into: &output)
        publish(output.states(topics: pipeline.topics))
        pipeline = pipeline.reconfigured(new, into: &output)
        publish(pipeline.allStates())
      case 7:
        var heir = Pipeline(pipeline.configuration)
        var reader = try StateCoder(reading: pipeline.snapshotOctets)
        try heir.restore(from: &reader)
        pipeline = heir
      default:
        var batch = AdvertisementBatch()
        batch.append(
          Advertisement(
            receiver: receiver,
            address: DeviceAddress(bits: 0xC100_0000_0001 + (dice.oneIn(4) ? 1 : 0), kind: .random),
            rssi: .random(in: -100 ... -50, using: &dice), time: time,
            wallTime: WallTime(nanoseconds: time.nanoseconds)), payload: [UInt8]().span)
        pipeline.observe(batch, into: &output)
        sight[receiver] = sight[receiver] ?? true
      }
      publish(output.states(topics: pipeline.topics))
      for (place, receiver) in indices.enumerated() {
        let isUnknown = sight[receiver] != true
        #expect(pipeline.isBlind(receiver) == (sight[receiver] == false), "step \(step)")
        #expect(Self.isUnknown("near-\(Self.receivers[place])", pipeline) == isUnknown, "step \(step)")
        for transition in output.transitions where isUnknown && before == sight && transition.word == "exit" {
          #expect(transition.place != "near-\(Self.receivers[place])", "step \(step)")
        }
        // Without its own receiver, others decide about a room.
        guard sight[receiver] != nil else { continue }
        let room = pipeline.occupancy(of: RoomIndex(rawValue: Int32(place)))
        #expect((room.state == "unknown") == isUnknown, "step \(step)")
        #expect(Self.isUnknown("in-\(Self.receivers[place])", pipeline) == isUnknown, "step \(step)")
      }
      let isAllBlind = !sight.values.contains(true)
      #expect(Self.isUnknown("all", pipeline) == isAllBlind, "step \(step)")
      for state in pipeline.placeStates {
        #expect(published[state.topic] == text(state), "step \(step)")
      }
    }
    #expect(reloads > 0)
  }

  private static func isUnknown(_ zone: String, _ pipeline: Pipeline) -> Bool {
    let place = pipeline.configuration.zones.firstIndex { $0.name == zone } ?? 0
    return pipeline.occupancy(of: ZoneIndex(rawValue: Int32(place))).state == "unknown"
  }
}
