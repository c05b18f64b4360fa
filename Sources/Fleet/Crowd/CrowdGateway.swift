import Beacons
import Configuration
import Contract
import Core
import Pipeline

/// A gateway of the site, with its own clock and a network that sometimes fails.
struct CrowdGateway: Sendable {
  private static let cut = 2.0...10.0  // In seconds.

  let name: String
  let topics: Topics
  private let offset: TimeSpan
  private let skew: Double
  private var tap: ObservationTap
  private var receivers = ReceiverTable()
  private let receiver: ReceiverIndex
  private var dice: Dice
  /// Seconds since the start.
  private var cutFrom: Double
  private var cutUntil: Double
  private let late: Double
  /// Batches that were made while it was cut off.
  private var waiting: [CrowdBatch] = []

  init(_ name: String, number: Int, _ settings: CrowdSettings) {
    self.name = name
    topics = Topics(gateway: name)
    dice = Dice(seed: settings.seed, stream: UInt64(1 << 40 + number))
    offset = .seconds(dice.number(in: 100...1e6))
    skew = dice.number(in: -1...1) * settings.skew * 1e-6
    tap = ObservationTap(
      ObservationSettings(
        interval: settings.interval, partitions: settings.partitions, buffer: WaitingBatches.octetLimit),
      boot: hexadecimal(UInt128(dice.next()), octets: 8))
    receiver = receivers.index(of: CrowdSite.receiver) ?? ReceiverIndex(rawValue: 0)
    late = min(settings.late, 0.9)
    (cutFrom, cutUntil) = (.infinity, .infinity)
    if late > 0 { plan(after: 0) }
  }

  private mutating func plan(after time: Double) {
    let length = dice.number(in: Self.cut)
    let mean = (Self.cut.lowerBound + Self.cut.upperBound) / 2
    cutFrom = time + dice.wait(mean: mean * (1 - late) / late)
    cutUntil = cutFrom + length
  }

  private func clock(_ time: Double) -> MonotonicTime { .zero + offset + .seconds(time * (1 + skew)) }

  mutating func hear(_ tag: Int, _ level: Double, at time: Double) {
    tap.note(
      Sighting(
        beacon: BeaconIndex(rawValue: Int32(tag)), receiver: receiver,
        rssi: Int8(max(-127, min(20, level.rounded()))), measuredPower: Int8(CrowdSite.measuredPower),
        time: clock(time), wallTime: WallTime(nanoseconds: 0)))
  }

  /// Publishes its observations.
  mutating func publish(
    at time: Double, number: Int, key: (Int) -> String, duplicates: Double, into batches: inout [CrowdBatch]
  ) {
    let made = tap.take(at: clock(time), gateway: name, receivers: receivers) { key(Int($0.rawValue)) }
    for batch in made {
      waiting.append(
        CrowdBatch(
          gateway: number, message: batch.message(topics: topics, qos: .atLeastOnce),
          observations: batch.count, made: .zero + .seconds(time)))
    }
    if time >= cutFrom {
      guard time >= cutUntil else { return }
      plan(after: time)
    }
    for batch in waiting {
      batches.append(batch)
      if duplicates > 0, dice.share() < duplicates {
        var again = batch
        again.observations = 0
        batches.append(again)
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }
}

/// A batch that a gateway publishes.
package struct CrowdBatch: Sendable {
  /// The gateway's index.
  package var gateway: Int
  package var message: Message
  /// How many observations are in it; 0 for one that is published a second time.
  package var observations: Int
  /// Since the crowd's start. A batch may be sent later, because its gateway was cut off: see `payload(at:)`.
  package var made: MonotonicTime

  /// The payload if it is sent at this time: with the time that it waited, like a real gateway's.
  package func payload(at time: MonotonicTime) -> [UInt8] {
    ObservationsMessage.delayed(message.payload, held: time - made)
  }
}

/// A tag that entered a room.
package struct CrowdMove: Hashable, Sendable {
  package var tag: Int
  package var room: Int
  /// Since the crowd's start.
  package var time: MonotonicTime
}
