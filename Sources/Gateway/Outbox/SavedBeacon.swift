import Beacons
import GatewayConfiguration
import Proximity

/// What is known of a beacon, written so that a later run of the gateway can take it up: with names in place of the
/// indices of this run.
struct SavedBeacon: Codable, Sendable {
  /// As `BeaconCatalogue.key(of:)` gives it.
  var key: String
  /// When it was saved.
  var time: MonotonicTime
  var wallTime: WallTime
  /// By index in `state`.
  var receivers: [UInt16: String]
  /// What each zone asked for, by index in `state`.
  var zones: [Int32: String]
  var state: BeaconState
}

extension Pipeline {
  /// A beacon as it stands after a transition; nil where it is in no zone, so that there is nothing to remember.
  func saved(_ beacon: BeaconIndex, after transition: Transition) -> SavedBeacon? {
    saved(beacon, at: transition.time, wallTime: transition.wallTime)
  }

  /// Every beacon that is in a zone.
  func savedBeacons(at time: MonotonicTime, wallTime: WallTime) -> [SavedBeacon] {
    (0..<Int32(clamping: roster.count)).compactMap {
      saved(BeaconIndex(rawValue: $0), at: time, wallTime: wallTime)
    }
  }

  private func saved(_ beacon: BeaconIndex, at time: MonotonicTime, wallTime: WallTime) -> SavedBeacon? {
    guard let state = engine.state(of: beacon), state.isInside else { return nil }
    var receivers: [UInt16: String] = [:]
    for receiver in state.receivers { receivers[receiver.rawValue] = self.receivers.name(of: receiver) }
    var zones: [Int32: String] = [:]
    for zone in state.zones { zones[zone.rawValue] = zoneDefinitions[Int(zone.rawValue)] }
    return SavedBeacon(
      key: roster.key(of: beacon), time: time, wallTime: wallTime, receivers: receivers, zones: zones,
      state: state)
  }

  /// From here on sequence numbers count anew.
  mutating func beginEpoch(_ epoch: UInt64, lastSequence: UInt64) {
    self.epoch = epoch
    sequence = lastSequence
  }

  func key(of beacon: BeaconIndex) -> String { roster.key(of: beacon) }

  /// Takes up who was where when an earlier run ended. Zones that ask for something else now start empty.
  ///
  /// Nothing is known of the receivers yet, so they count as blind until they report: nobody is declared away, or in
  /// again, before they had time to be heard.
  ///
  /// - Parameter isSameBoot: whether the monotonic clock is the one by which the beacons were saved.
  mutating func restore(
    _ beacons: [SavedBeacon], isSameBoot: Bool, at now: MonotonicTime, wallTime: WallTime
  ) {
    time = max(time, now)
    let zones = Dictionary(
      zoneDefinitions.enumerated().map { ($1, ZoneIndex(rawValue: Int32($0))) },
      uniquingKeysWith: { a, _ in a })
    var blinded: Set<ReceiverIndex> = []
    var none: [Transition] = []
    for (saved, beacon) in zip(beacons, roster.adopt(keys: beacons.map(\.key))) {
      guard let beacon else { continue }
      var state = saved.state
      state.shift(by: span(from: saved, isSameBoot, now, wallTime))
      state.renumber(
        receivers: { index in saved.receivers[index.rawValue].flatMap { receivers.index(of: $0) } },
        zones: { index in saved.zones[index.rawValue].flatMap { zones[$0] } })
      for receiver in state.receivers where blinded.insert(receiver).inserted {
        blind.insert(receiver)
        unproven.insert(receiver)
        engine.setBlind(receiver, true, at: now, into: &none)
      }
      engine.admit(beacon, zones: roster.zones(of: beacon))
      engine.restore(state, of: beacon, sightSince: now)
    }
  }

  /// An advertisement proves that its receiver sees.
  mutating func proveSight(_ receiver: ReceiverIndex, at time: MonotonicTime, into output: inout Output) {
    guard unproven.contains(receiver) else { return }
    setBlind(receiver, false, at: time, into: &output)
  }

  /// How far the monotonic clock of now is from that of the saved beacon. A calendar that is behind, as on a board
  /// without a clock of its own, must not put it into the future.
  private func span(
    from saved: SavedBeacon, _ isSameBoot: Bool, _ now: MonotonicTime, _ wallTime: WallTime
  ) -> TimeSpan {
    let span = isSameBoot ? .zero : (now - saved.time) - (wallTime - saved.wallTime)
    return saved.time + span > now ? now - saved.time : span
  }
}
