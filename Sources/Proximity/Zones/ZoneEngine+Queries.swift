import Beacons
import Core
import Glibc

extension ZoneEngine {
  /// Whether `takeRearmed` or `takeSilenced` has anything to return.
  public var hasNews: Bool { hasRearmed || hasSilenced }
  public var hasRearmed: Bool { !rearmedZones.isEmpty }
  public var hasSilenced: Bool { !silenced.isEmpty }

  /// Beacons that fell silent at a receiver since the last call. Their nearest receiver may have changed, or they may have no
  /// distance.
  public mutating func takeSilenced() -> [BeaconIndex] {
    defer { silenced.removeAll(keepingCapacity: true) }
    return silenced.sorted { $0.rawValue < $1.rawValue }
  }

  /// Appends the zones in which a beacon moved beyond `rearm` without leaving since the last call. The beacon is no longer near
  /// there, and no transition reports that.
  public mutating func takeRearmed(into zones: inout [ZoneIndex]) {
    zones += rearmedZones.sorted()
    rearmedZones.removeAll(keepingCapacity: true)
  }

  /// The estimate of a beacon at `receiver` or, if nil, at the nearest receiver, with the correction of `Rivals`. nil if no
  /// receiver hears it any more, or none with a signal.
  public func estimate(of beacon: BeaconIndex, at receiver: ReceiverIndex? = nil) -> (
    receiver: ReceiverIndex, estimate: Estimate
  )? {
    guard let link = nearestLink(of: beacon, where: { receiver == nil || receiver == $0 }) else { return nil }
    let index = Int(beacon.rawValue)
    let luck = receiver == nil ? luck(of: index, nearest: link) : 0
    return estimate(of: index, link: link, luck: luck).map { (beacons[index].links[link].receiver, $0) }
  }

  /// The estimate at the zone's receiver that the beacon is nearest to. nil if none of them hears it any more, or none
  /// with a signal.
  public func estimate(of beacon: BeaconIndex, in zone: ZoneIndex) -> Estimate? {
    guard rules.zones.indices.contains(Int(zone.rawValue)) else { return nil }
    let link = nearestLink(of: beacon) { rules.zones[Int(zone.rawValue)].counts($0) }
    return link.flatMap { estimate(of: Int(beacon.rawValue), link: $0) }
  }

  func estimate(of beacon: Int, link number: Int, luck: Double = 0) -> Estimate? {
    let link = beacons[beacon].links[number]
    let calibration = rules.receivers[Int(link.receiver.rawValue)].calibration
    var deviation: Double?
    if link.isLocated, let position = calibration.position {
      deviation =
        places?.deviation(of: beacon, to: Int(link.receiver.rawValue))
        ?? beacons[beacon].locator?.deviation(to: position)
    }
    return link.estimate(calibration: calibration, located: deviation, luck: luck)
  }

  /// The bias of the smallest distance in decades; see `Rivals`.
  private func luck(of beacon: Int, nearest: Int) -> Double {
    let nearest = beacons[beacon].links[nearest]
    if nearest.isLocated { return 0 }
    let calibration = rules.receivers[Int(nearest.receiver.rawValue)].calibration
    var rivals = Rivals(
      nearest: nearest.logDistance, decibels: calibration.deviation, exponent: calibration.exponent)
    for link in beacons[beacon].links.reversed() where link.isCurrent && link.filter.hasLevel {
      rivals.add(link.logDistance)
    }
    return rivals.luck
  }

  /// The nearest link of the selected receivers; nil if none of them hears the beacon with a signal.
  private func nearestLink(of beacon: BeaconIndex, where isMeant: (ReceiverIndex) -> Bool) -> Int? {
    guard let index = admitted(beacon) else { return nil }
    var mask: UInt64 = 0
    for (number, link) in beacons[index].links.enumerated() where isMeant(link.receiver) {
      mask |= 1 << UInt64(number)
    }
    let nearest = beacons[index].nearest(mask, at: now)
    return nearest.isKnown ? nearest.nearestLink : nil
  }

  /// The newest sighting's times and receiver. Wall times that are centuries off the monotonic time are not exact. nil: never
  /// heard, or heard at the earliest possible time.
  public func lastSighting(of beacon: BeaconIndex) -> LastSighting? {
    admitted(beacon).flatMap { beacons[$0].lastSighting }
  }

  /// Since when a beacon has been silent, and when it counts as lost by its own interval: the latest over the zone's receivers, or
  /// over all receivers if `zone` is nil. nil if none of them ever heard it.
  public func silence(of beacon: BeaconIndex, in zone: ZoneIndex?) -> (
    since: MonotonicTime, loss: MonotonicTime
  )? {
    guard let index = admitted(beacon), zone.map({ rules.zones.indices.contains(Int($0.rawValue)) }) ?? true
    else { return nil }
    var latest: (since: MonotonicTime, loss: MonotonicTime)?
    for link in beacons[index].links {
      if let zone, !rules.zones[Int(zone.rawValue)].counts(link.receiver) { continue }
      latest = (
        max(latest?.since ?? link.silentSince, link.silentSince),
        max(latest?.loss ?? link.silenceDeadline, link.silenceDeadline)
      )
    }
    return latest
  }

  /// The members of a zone, by beacon, ascending. `unknown` if all its receivers are blind or none has reported yet.
  public func occupancy(of zone: ZoneIndex) -> Occupancy {
    guard insiders.indices.contains(Int(zone.rawValue)) else { return Occupancy(state: .empty, members: []) }
    let members = insiders[Int(zone.rawValue)].sorted { $0.rawValue < $1.rawValue }.compactMap { beacon in
      stay(of: beacon, in: zone).map {
        Occupancy.Member(beacon: beacon, since: $0.since, isNear: !$0.isArmed)
      }
    }
    if isBlind(zone) || !isWatched(zone) { return Occupancy(state: .unknown, members: members) }
    return Occupancy(state: members.isEmpty ? .empty : .occupied, members: members)
  }

  /// Whether a beacon was admitted and not retired since.
  public func isAdmitted(_ beacon: BeaconIndex) -> Bool { admitted(beacon) != nil }

  /// Whether anybody can make up a beacon like it.
  public func isInventable(_ beacon: BeaconIndex) -> Bool {
    admitted(beacon).map { beacons[$0].isInventable } ?? false
  }

  /// The receivers of a zone; nil: all.
  public func receivers(of zone: ZoneIndex) -> Set<ReceiverIndex>? {
    rules.zones.indices.contains(Int(zone.rawValue)) ? rules.zones[Int(zone.rawValue)].receivers : []
  }

  /// How many beacons are in a zone.
  public func memberCount(of zone: ZoneIndex) -> Int {
    insiders.indices.contains(Int(zone.rawValue)) ? insiders[Int(zone.rawValue)].count : 0
  }

  /// The zones a beacon is in, ascending.
  public func zones(of beacon: BeaconIndex) -> [ZoneIndex] {
    guard let index = admitted(beacon) else { return [] }
    var inside = beacons[index].stays.compactMap { $0.isInside ? $0.zone : nil }
    if inside.count > 1 { inside.sort() }
    return inside
  }

  private func stay(of beacon: BeaconIndex, in zone: ZoneIndex) -> Stay? {
    guard let index = admitted(beacon) else { return nil }
    return beacons[index].stay(in: zone).map { beacons[index].stays[$0] }
  }

  /// nil: no receiver of the zone ever heard the beacon.
  public func progress(of beacon: BeaconIndex, in zone: ZoneIndex) -> ZoneProgress? {
    guard let stay = stay(of: beacon, in: zone) else { return nil }
    let rules = rules.zones[Int(zone.rawValue)]
    return ZoneProgress(
      isInside: stay.isInside, isNear: !stay.isArmed,
      pending: stay.pending(rules.dwells, isBlind: rules.isFrozen))
  }
}

/// The members of a zone.
public struct Occupancy: Hashable, Sendable {
  public enum State: String, Hashable, Sendable {
    case occupied, empty
    /// Every receiver of the zone is blind, or none has reported yet. `members` are those from before.
    case unknown
  }

  public struct Member: Hashable, Sendable {
    public var beacon: BeaconIndex
    /// When it entered.
    public var since: WallTime
    /// Whether near fired in this approach and is not re-armed yet.
    public var isNear: Bool
  }

  public var state: State
  /// By beacon, ascending.
  public var members: [Member]
}

/// The state of a beacon in a zone, and its next event.
public struct ZoneProgress: Hashable, Sendable {
  public enum Event: String, Hashable, Sendable { case near, enter, exit, lost }

  /// An event that happens at `due` unless the beacon moves.
  public struct Pending: Hashable, Sendable {
    public var event: Event
    public var since: MonotonicTime
    public var due: MonotonicTime
  }

  public var isInside: Bool
  public var isNear: Bool
  /// The first event; nil: nothing is due.
  public var pending: Pending?
}

extension Stay {
  /// The next event if nothing changes.
  fileprivate func pending(_ dwells: Dwells, isBlind: Bool) -> ZoneProgress.Pending? {
    var all: [ZoneProgress.Pending] = []
    func add(_ event: ZoneProgress.Event, since: MonotonicTime, due: MonotonicTime) {
      if since != Self.never, due != Self.never { all.append(.init(event: event, since: since, due: due)) }
    }
    if !isInside { add(.enter, since: enterSince, due: enterSince + dwells.enter) }
    if isArmed { add(.near, since: nearSince, due: nearSince + dwells.near) }
    if isInside, !isBlind {
      add(.exit, since: exitSince, due: exitSince + dwells.exit)
      add(.lost, since: silentSince, due: lostDeadline)
    }
    return all.min { $0.due < $1.due }
  }
}

/// Corrects the bias of the smallest of several distances.
///
/// The smallest of several uncertain distances is too small on average. In an open office with twelve receivers, the distance to
/// the nearest receiver was 2.0 m too small where 3 to 7 m were true, and 1.2 m with this correction. The median error fell from
/// 1.5 to 1.1 m (Position-Annotated-BLE-RSSI-Dataset, leave one walk out).
///
/// Use this to report the distance to the nearest receiver. Zones compare the uncorrected smallest distance with their thresholds:
/// it measures well how near the nearest receiver is, whichever receiver that is.
struct Rivals {
  private let nearest: Double
  /// Standard deviation of each distance, decades.
  private let deviation: Double
  /// The effective number of receivers, including the nearest. More distant ones count less.
  private var count = 0.0

  /// The share of the signal's deviation that remains after smoothing, for a moving beacon.
  private static let remaining = 0.8

  /// - Parameters:
  ///   - nearest: the smallest log10 of a distance in metres.
  ///   - decibels: standard deviation of the signal around the model.
  init(nearest: Float, decibels: Double, exponent: Double) {
    self.nearest = Double(nearest)
    deviation = Self.remaining * decibels / (10 * exponent)
  }

  mutating func add(_ logDistance: Float) {
    let apart = (Double(logDistance) - nearest) / deviation
    count += exp(-0.25 * apart * apart)
  }

  /// The bias of the smallest distance in decades.
  var luck: Double { 0.5 * deviation * log(max(count, 1)).squareRoot() }
}

/// Smoothed signal and distance of one beacon at one receiver.
public struct Estimate: Hashable, Sendable {
  /// Smoothed signal in dBm.
  public var rssi: Double
  /// Metres.
  public var distance: Double
  /// Standard deviation of `distance`, metres.
  public var distanceDeviation: Double
  /// The mean interval between receptions at this receiver; nil: not learnt yet.
  public var interval: TimeSpan?
  public var samples: Int
  public var lastHeard: MonotonicTime
}

/// Time and receiver of a beacon's newest sighting.
public struct LastSighting: Hashable, Sendable {
  public var time: MonotonicTime
  public var wallTime: WallTime
  public var receiver: ReceiverIndex
}
