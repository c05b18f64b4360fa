import Scenes
import Beacons
import Messages
import Randomness
import Testing

@testable import Pipeline

/// Whether advertisements come one by one or many at a time, the same is said in the same order.
@Suite struct BatchProperties {
  private static let rules = """
    gateway: { name: forecourt }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 }, measured_power: -50 dBm }
      - { name: fridge, address: "C1:00:00:00:00:05" }
      - { name: tag, address: "C1:00:00:00:00:06" }
    zones:
      - name: pump-3
        beacons: [fleet, tag]
        near:  { distance: 2 m, dwell: 1 s, rearm: 5 m }
        enter: { distance: 6 m, dwell: 0 s }
        exit:  { distance: 9 m, dwell: 0 s, lost: 2 s }
      - name: shop
        enter: { signal: -90 dBm, dwell: 0 s }
        exit:  { signal: -95 dBm, dwell: 1 s }
      - name: back
        receivers: [hci1]
        enter: { signal: -100 dBm, dwell: 0 s }
        exit:  { signal: -104 dBm, dwell: 0 s, lost: 1 s }
    telemetry: { beacon_state: 2 s }
    home_assistant: { room_presence: on }
    """

  private enum Step {
    case hear(Advertisement, [UInt8])
    case blind(ReceiverIndex, Bool, MonotonicTime)
    case advance(MonotonicTime)
    case reload
  }

  /// Addresses of which a set of four in the memory of addresses gets too many.
  private static let crowded = Scene.addresses(8, sharingTheSetOf: 0xC200_0000_0000)

  private static func payload(_ number: UInt16, using dice: inout SeededGenerator) -> [UInt8] {
    switch Int.random(in: 0..<20, using: &dice) {
    case 0: []
    case 1: [2, 1, 6]
    case 2, 3: Scene.temperature(number)
    case 4: Scene.iBeacon(number: number) + Scene.iBeacon(number: (number + 500) % 600).dropFirst(3)
    case 5: Scene.iBeacon(number: number) + Scene.temperature(number).dropFirst(3)
    case 6: Scene.temperature(number) + Scene.iBeacon(number: number).dropFirst(3)
    default: Scene.iBeacon(number: number)
    }
  }

  private static func address(_ number: UInt16, of population: UInt16, using dice: inout SeededGenerator)
    -> UInt64
  {
    let usual: UInt64 = 0xC100_0000_0100
    return switch Int.random(in: 0..<40, using: &dice) {
    case 0...3: usual + UInt64(UInt16.random(in: 0..<population, using: &dice))
    case 4: 0xC100_0000_0005 + UInt64.random(in: 0...1, using: &dice)
    case 5...14: crowded[Int(number) % crowded.count]
    default: usual + UInt64(number)
    }
  }

  /// Time that stands still, leaps, steps back, and now and then is none that a clock tells.
  private static func pass(_ time: MonotonicTime, isHostile: Bool, using dice: inout SeededGenerator)
    -> MonotonicTime
  {
    switch Int.random(in: 0..<4000, using: &dice) {
    case 0..<20: time + .seconds(.random(in: -20...20, using: &dice))
    case 20 where isHostile: MonotonicTime(nanoseconds: .min)
    case 21 where isHostile: MonotonicTime(nanoseconds: .max - 5_000_000_000)
    case 22 where isHostile: MonotonicTime(nanoseconds: .max)
    case 23..<1000: time
    default: time + .milliseconds(.random(in: 0...9, using: &dice))
    }
  }

  private static func steps(_ seed: UInt64, count: Int) -> [Step] {
    var dice = SeededGenerator(seed: seed)
    let population: UInt16 = [5, 40, 400][Int(seed % 3)]
    var time = MonotonicTime.zero
    return (0..<count).map { _ in
      let receiver = ReceiverIndex(rawValue: UInt16.random(in: 0..<3, using: &dice))
      switch Int.random(in: 0..<1000, using: &dice) {
      case 0, 1: return .blind(receiver, Bool.random(using: &dice), time)
      case 2, 3: return .advance(time + .milliseconds(.random(in: -500...3000, using: &dice)))
      case 4: return .reload
      default: break
      }
      time = pass(time, isHostile: seed % 4 == 0, using: &dice)
      let number = UInt16.random(in: 0..<population, using: &dice)
      let heard = Advertisement(
        receiver: receiver,
        address: DeviceAddress(bits: address(number, of: population, using: &dice), kind: .random),
        rssi: Int.random(in: 0..<20, using: &dice) == 0 ? nil : Int8.random(in: -128...30, using: &dice),
        time: time, wallTime: WallTime(nanoseconds: time.nanoseconds &+ Int64(number)))
      return .hear(heard, payload(number, using: &dice))
    }
  }

  private static func pipeline(restored: [SavedBeacon]) throws -> Pipeline {
    var pipeline = Pipeline(try Scene.configuration(rules))
    for name in ["hci0", "hci1", "hci2"] { _ = pipeline.receiver(name) }
    if !restored.isEmpty {
      var output = Pipeline.Output()
      pipeline.restore(
        restored, isSameBoot: true, at: .zero, wallTime: WallTime(nanoseconds: 0), into: &output)
    }
    return pipeline
  }

  /// All that is said, and what is known in the end.
  private static func told(_ steps: [Step], inBatchesOf size: Int, restored: [SavedBeacon]) throws -> [String]
  {
    var pipeline = try pipeline(restored: restored)
    var output = Pipeline.Output()
    var batch = AdvertisementBatch()
    func takeIn() {
      pipeline.observe(batch, into: &output)
      batch.removeAll()
    }
    for step in steps {
      if case .hear(let advertisement, let payload) = step {
        batch.append(advertisement, payload: payload.span)
        if batch.count == size { takeIn() }
        continue
      }
      takeIn()
      switch step {
      case .hear: break
      case .blind(let receiver, let isBlind, let time):
        pipeline.setBlind(receiver, isBlind, at: time, into: &output)
      case .advance(let time): pipeline.advance(to: time, into: &output)
      case .reload: pipeline = pipeline.reconfigured(try Scene.configuration(rules))
      }
    }
    takeIn()
    let messages = output.messages(topics: pipeline.topics) + pipeline.allStates()
    return messages.map { $0.topic + " " + String(decoding: $0.payload, as: UTF8.self) }
      + ["\(pipeline.counts)"] + pipeline.takeNews().map { "\($0.name) \($0.beacon.readings.count)" }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func theSameIsSaidInTheSameOrder(seed: UInt64) throws {
    var saved: [SavedBeacon] = []
    if seed % 4 < 2 {
      var before = try Self.pipeline(restored: [])
      var output = Pipeline.Output()
      for case .hear(var advertisement, let payload) in Self.steps(seed + 1000, count: 500) {
        advertisement.time = min(advertisement.time, .zero)
        _ = before.observe(advertisement, payload: payload.span, into: &output)
      }
      saved = before.savedBeacons(at: .zero, wallTime: WallTime(nanoseconds: 0))
    }
    let steps = Self.steps(seed, count: 3000)
    let oneByOne = try Self.told(steps, inBatchesOf: 1, restored: saved)
    #expect(oneByOne.count > 300)
    for size in [2, 7, 64, 300] {
      let together = try Self.told(steps, inBatchesOf: size, restored: saved)
      let place = zip(oneByOne, together).enumerated().first { $1.0 != $1.1 }
      #expect(place == nil && together.count == oneByOne.count, "\(size), \(place.map { "\($0)" } ?? "")")
    }
  }
}
