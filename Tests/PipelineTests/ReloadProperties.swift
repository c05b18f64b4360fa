import Beacons
import Configuration
import Contract
import Core
import Foundation
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// Random walks during which the configuration is edited, and the gateway restarted, again and again: whatever is retained
/// agrees with the transitions that were told.
@Suite struct ReloadProperties {
  /// The broker's side: what it retains, and who is where by the transitions alone.
  private struct Model {
    var inside: [String: Set<String>] = [:]
    var retained: [String: String] = [:]
    var faults: [String] = []
    var exits = 0
    var explained = 0
    /// Whether anything came since the last look. All that can disagree is here, so without news nothing does.
    var hasNews = false

    mutating func take(_ output: inout Pipeline.Output, _ topics: Topics) {
      for item in output.items {
        if case .transition(let message) = item { take(message) }
        if case .state(let state) = item { take(state.message(topics: topics)) }
      }
      output.removeAll()
    }

    mutating func take(_ message: Message) {
      hasNews = true
      retained[message.topic] = String(decoding: message.payload, as: UTF8.self)
    }

    private mutating func take(_ message: TransitionMessage) {
      hasNews = true
      guard let kind = message.kind else { return }
      let place = "\(kind.rawValue)/\(message.place)"
      let isInside = inside[place, default: []].contains(message.beacon)
      let isRight = message.event == .enter ? !isInside : isInside
      if !isRight { faults.append("\(message.word) \(message.place) \(message.beacon)") }
      switch message.event {
      case .enter: inside[place, default: []].insert(message.beacon)
      case .exit:
        inside[place, default: []].remove(message.beacon)
        exits += 1
        if message.reason != nil { explained += 1 }
      case .near, nil: break
      }
    }

    private struct Occupancy: Decodable {
      struct Member: Decodable { var beacon: String }
      var state: String
      var beacons: [Member]
    }
    private struct State: Decodable {
      var zones: [String]
      var room: String?

      func agrees(_ zones: [String], _ rooms: [String]) -> Bool {
        self.zones.sorted() == zones && rooms.count < 2 && room == rooms.first
      }
    }
    private struct Room: Decodable { var room: String? }

    private func places(of beacon: String, _ kind: String) -> [String] {
      inside.filter { $0.key.hasPrefix(kind) && $0.value.contains(beacon) }
        .map { String($0.key.dropFirst(kind.count)) }.sorted()
    }

    /// What is retained and does not follow from the transitions.
    mutating func disagreements() throws -> [String] {
      guard hasNews else { return [] }
      hasNews = false
      var found = faults
      for (topic, payload) in retained {
        let levels = topic.split(separator: "/")
        let name = String(levels[3])
        if topic.hasSuffix("/occupancy") {
          let occupancy = try JSONDecoder().decode(Occupancy.self, from: Data(payload.utf8))
          let place = "\(levels[2])/\(name)"
          if Set(occupancy.beacons.map(\.beacon)) != inside[place, default: []] {
            found.append("\(place) has \(payload), not \(inside[place] ?? [])")
          }
        } else if levels[2] == "beacon" {
          let beacon = try #require(name.removingPercentEncoding)
          let (zones, rooms) = (places(of: beacon, "zone/"), places(of: beacon, "room/"))
          let isRight =
            switch levels[4] {
            case "state":
              try JSONDecoder().decode(State.self, from: Data(payload.utf8)).agrees(zones, rooms)
            case "room": try JSONDecoder().decode(Room.self, from: Data(payload.utf8)).room == rooms.first
            case "zone":
              zones.isEmpty ? payload == (rooms.isEmpty ? "not_home" : "home") : zones.contains(payload)
            default: true
            }
          if !isRight { found.append("\(topic) is \(payload), not \(zones) \(rooms)") }
        }
      }
      return found
    }
  }

  private static func configuration(using dice: inout SeededGenerator) throws -> Configuration {
    let region = dice.oneIn(5) ? "vans" : "fleet"
    var beacons: [(name: String, text: String)] = []
    if !dice.oneIn(6) {
      beacons.append((region, "ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 }"))
    }
    if dice.oneIn(3) {
      beacons.append(("one", "ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 1 }"))
    }
    if !dice.oneIn(6) { beacons.append(("tag", #"address: "C1:00:00:00:00:03""#)) }
    if beacons.isEmpty { beacons.append(("tag", #"address: "C1:00:00:00:00:03""#)) }
    beacons.shuffle(using: &dice)
    var text = "gateway: { name: g }\nbeacons:\n"
    for beacon in beacons { text += "  - { name: \(beacon.name), \(beacon.text) }\n" }
    text += "zones:\n"
    let zones = ["a", "b", "c", "d"].shuffled(using: &dice).dropLast(Int.random(in: 0...2, using: &dice))
    for zone in zones {
      let enter = Int.random(in: 3...8, using: &dice)
      text += "  - name: \(zone)\n"
      if dice.oneIn(3) { text += "    receivers: [\(["hci0", "hci1"].randomElement(using: &dice)!)]\n" }
      if dice.oneIn(3) { text += "    beacons: [\(beacons.randomElement(using: &dice)!.name)]\n" }
      if !dice.oneIn(3) { text += "    near: { distance: 2 m, dwell: 1 s, rearm: \(enter) m }\n" }
      text += "    enter: { distance: \(enter) m, dwell: \(Int.random(in: 0...3, using: &dice)) s }\n"
      let lost = dice.oneIn(2) ? "auto" : "\(Int.random(in: 5...40, using: &dice)) s"
      text += "    exit: { distance: \(enter + Int.random(in: 1...5, using: &dice)) m,"
      text += " dwell: \(Int.random(in: 0...5, using: &dice)) s, lost: \(lost) }\n"
    }
    if !dice.oneIn(4) { text += rooms(using: &dice) }
    return try Scene.configuration(text)
  }

  /// Rooms that are renamed now and then, and zones made of them.
  private static func rooms(using dice: inout SeededGenerator) -> String {
    let names = [dice.oneIn(4) ? "galley" : "kitchen", dice.oneIn(6) ? "entry" : "hall"]
    var text = "  - { name: house, rooms: [\(names[0]), \(names[1])] }\n"
    if !dice.oneIn(3) {
      let (enter, exit) = (Int.random(in: 0...3, using: &dice), Int.random(in: 0...5, using: &dice))
      text += "  - { name: e, room: \(names.randomElement(using: &dice)!), "
      text += "enter: { dwell: \(enter) s }, exit: { dwell: \(exit) s } }\n"
    }
    text += "rooms:\n  - { name: \(names[0]), receivers: [hci0] }\n"
    return text + "  - { name: \(names[1]), receivers: [\(dice.oneIn(4) ? "hci2" : "hci1")] }\n"
  }

  private static func advertisement(
    _ beacon: UInt8, at time: MonotonicTime, using dice: inout SeededGenerator
  )
    -> (Advertisement, [UInt8])
  {
    // Far and near in turns of some seconds, so that dwells are served.
    let isNear = (time.nanoseconds / 20_000_000_000 + Int64(beacon)) % 3 > 0
    let heard = Advertisement(
      receiver: ReceiverIndex(rawValue: UInt16.random(in: 0...1, using: &dice)),
      address: DeviceAddress(bits: 0xC100_0000_0000 + UInt64(beacon), kind: .random),
      rssi: Int8.random(in: isNear ? -66 ... -55 : -95 ... -75, using: &dice), time: time,
      wallTime: WallTime(nanoseconds: 1_795_211_400_000_000_000 + time.nanoseconds))
    return (heard, Scene.iBeacon(minor: beacon))
  }

  private static func restarted(
    _ pipeline: Pipeline, _ new: Configuration, at time: MonotonicTime, into output: inout Pipeline.Output,
    using dice: inout SeededGenerator
  ) throws -> Pipeline {
    let wallTime = WallTime(nanoseconds: 1_795_211_400_000_000_000 + time.nanoseconds)
    let saved = pipeline.savedBeacons(at: time, wallTime: wallTime)
    var next = Pipeline(new)
    for name in ["hci0", "hci1"] { _ = next.receiver(name) }
    next.restore(saved, isSameBoot: !dice.oneIn(2), at: time, wallTime: wallTime, into: &output)
    return next
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func retainedStateFollowsFromTheTransitions(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    var output = Pipeline.Output()
    var model = Model()
    var pipeline = Pipeline(try Self.configuration(using: &dice))
    for name in ["hci0", "hci1"] { _ = pipeline.receiver(name) }
    for message in pipeline.allStates() { model.take(message) }
    var time = MonotonicTime.zero
    for step in 0..<2000 {
      time = time + .milliseconds(Int64.random(in: 20...300, using: &dice))
      switch Int.random(in: 0..<200, using: &dice) {
      case 0..<4:
        let new = try Self.configuration(using: &dice)
        pipeline.release(for: new, at: time, into: &output)
        model.take(&output, pipeline.topics)
        pipeline = pipeline.reconfigured(new, into: &output)
        for message in pipeline.allStates() { model.take(message) }
      case 4..<6:
        let new = dice.oneIn(2) ? pipeline.configuration : try Self.configuration(using: &dice)
        pipeline = try Self.restarted(pipeline, new, at: time, into: &output, using: &dice)
        model.take(&output, pipeline.topics)
        for message in pipeline.allStates() { model.take(message) }
      case 6..<8:
        pipeline.setBlind(
          ReceiverIndex(rawValue: UInt16.random(in: 0...1, using: &dice)), dice.oneIn(3), at: time,
          into: &output)
      case 8:
        time = time + .seconds(Double.random(in: 1...60, using: &dice))
        pipeline.advance(to: time, into: &output)
      case 9..<20: pipeline.advance(to: time, into: &output)
      default:
        let (heard, payload) = Self.advertisement(
          UInt8.random(in: 1...3, using: &dice), at: time, using: &dice)
        _ = pipeline.observe(heard, payload: payload.span, into: &output)
      }
      model.take(&output, pipeline.topics)
      let found = try model.disagreements()
      #expect(found == [], "step \(step)")
      if !found.isEmpty { return }
    }
    #expect(model.exits > 10)
    #expect(model.explained > 0)
  }
}
