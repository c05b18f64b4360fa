import Beacons
import Core
import Proximity
import TestSupport

/// Random zones and a random day in them, reproducible by its seed.
struct RandomStory {
  enum Step {
    case hear(Sighting)
    case wait(MonotonicTime)
    case blind(ReceiverIndex, Bool, MonotonicTime)

    func play(in scene: inout Scene) {
      switch self {
      case .hear(let sighting):
        scene.engine.observe(sighting, into: &scene.transitions)
        scene.lastTime = max(scene.lastTime, (sighting.time - .zero).seconds)
      case .wait(let time):
        scene.engine.advance(to: time, into: &scene.transitions)
        scene.lastTime = max(scene.lastTime, (time - .zero).seconds)
      case .blind(let receiver, let isBlind, let time):
        scene.blind(receiver, isBlind, at: time)
        scene.lastTime = max(scene.lastTime, (time - .zero).seconds)
      }
    }
  }

  var zones: [Zone]
  var calibrations: [ReceiverIndex: Calibration]
  var steps: [Step] = []
  let beacons: Int32

  init(seed: UInt64, beacons: Int32 = 3, receivers: UInt16 = 4) {
    var generator = SeededGenerator(seed: seed)
    self.beacons = beacons
    zones = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      Self.zone(receivers: receivers, using: &generator)
    }
    calibrations = [:]
    for receiver in 0..<receivers {
      let isPlaced = seed % 2 == 0
      calibrations[ReceiverIndex(rawValue: receiver)] = Calibration(
        measuredPower: -60, exponent: .random(in: 1.5...3, using: &generator),
        position: isPlaced
          ? Position(x: .random(in: 0...10, using: &generator), y: .random(in: 0...10, using: &generator))
          : nil)
    }
    var time = 0.0
    for _ in 0..<800 {
      time += Self.pause(using: &generator)
      steps.append(step(at: time, receivers: receivers, using: &generator))
    }
    steps.append(.wait(.zero + .seconds(time + 5000)))
  }

  func scene() -> Scene { Scene(zones, receivers: calibrations, beacons: beacons) }

  private static func zone(receivers: UInt16, using generator: inout SeededGenerator) -> Zone {
    let some = Set((0..<receivers).filter { _ in Bool.random(using: &generator) }.map(ReceiverIndex.init))
    let near = Double.random(in: 1...3, using: &generator)
    let dwell = { (generator: inout SeededGenerator) in
      Bool.random(using: &generator) ? 0 : Double.random(in: 0...6, using: &generator)
    }
    return .simple(
      receivers: some.isEmpty ? nil : some, near: Bool.random(using: &generator) ? near : nil,
      nearDwell: dwell(&generator), rearm: near + 2, enter: .distance(5), enterDwell: dwell(&generator),
      exit: .distance(8), exitDwell: dwell(&generator),
      lost: Bool.random(using: &generator)
        ? .auto : .after(.seconds(.random(in: 5...60, using: &generator))))
  }

  private static func pause(using generator: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<10: 0
    case 10..<12: .random(in: 10...100, using: &generator)
    case 12..<14: .random(in: -3...0, using: &generator)
    default: .random(in: 0...1, using: &generator)
    }
  }

  private func step(
    at seconds: Double, receivers: UInt16, using generator: inout SeededGenerator
  ) -> Step {
    let time = MonotonicTime.zero + .seconds(seconds)
    let receiver = ReceiverIndex(rawValue: .random(in: 0..<receivers, using: &generator))
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<2: return .blind(receiver, Bool.random(using: &generator), time)
    case 2..<10: return .wait(time)
    default:
      var sighting = Scene.sighting(
        Int.random(in: 0..<20, using: &generator) == 0 ? nil : .random(in: -90 ... -50, using: &generator),
        at: seconds, receiver: receiver.rawValue, beacon: .random(in: 0..<beacons, using: &generator))
      // Long stays near and far, so that dwells can be served.
      if Int(seconds / 40) % 2 == 0, let rssi = sighting.rssi { sighting.rssi = rssi / 2 - 40 }
      return .hear(sighting)
    }
  }
}
