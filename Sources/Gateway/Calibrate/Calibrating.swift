import Beacons
import Configuration
import Core
import Pipeline
import Proximity

/// The sightings of a beacon, and the rooms that it was in.
package struct WalkWithMarks: Sendable {
  package let beacon: String
  package let sightings: [Sighting]
  package let receivers: ReceiverTable
  package let marks: [PlacedMark]

  /// The receivers that heard it, by name, with the number of sightings.
  package var hearers: [String: Int] {
    var counts: [UInt16: Int] = [:]
    for sighting in sightings { counts[sighting.receiver.rawValue, default: 0] += 1 }
    return Dictionary(
      uniqueKeysWithValues: counts.map { (receivers.name(of: ReceiverIndex(rawValue: $0.key)), $0.value) })
  }
}

/// Computes a calibration from a walk.
package struct Calibrating {
  /// The progress.
  package enum Step: Sendable {
    case learning
    /// Judging on stretches that were left out: the part that is done, 0 to 1.
    case trying(Double)
  }

  private let source: WalkWithMarks
  private let configuration: Configuration
  private let plan: RoomPlan
  private let names: RoomCalibrator.Names
  private let walk: MarkedWalk
  /// The calibration in use; nil: none.
  private let present: CalibrationFile?

  /// - Parameter present: the calibration that the new one would replace; nil: none, or one of another site.
  package init(
    _ source: WalkWithMarks, _ configuration: Configuration, replacing present: CalibrationFile? = nil
  )
    throws(UselessWalk)
  {
    self.source = source
    self.present = present
    var configuration = configuration
    // Every receiver that heard the walk is calibrated, also one that no room names.
    let names = Set(source.hearers.keys).union(present?.calibration.receiverNames ?? []).sorted()
    configuration.roomCalibration = RoomCalibration(
      receivers: names.map { .init(name: $0, power: 0, exponent: 0) }, wallLoss: 0)
    self.configuration = configuration
    var table = source.receivers
    guard let (plan, names) = configuration.roomPlan(receivers: &table) else {
      throw UselessWalk("the configuration has no rooms")
    }
    (self.plan, self.names) = (plan, names)
    let rooms = Dictionary(
      names.rooms.enumerated().map { ($1, RoomIndex(rawValue: Int32($0))) },
      uniquingKeysWith: { first, _ in first }
    )
    try Self.refuseStrangers(source, configuration)
    let strays = Set(Self.strays(source.marks, configuration))
    self.strays = strays.sorted()
    let marks = source.marks.map { mark in
      MarkedWalk.Mark(
        time: mark.time, room: mark.room.flatMap { rooms[$0] },
        point: strays.contains(mark.line) ? nil : mark.point)
    }
    walk = MarkedWalk(source.sightings, marks: marks, plan: plan)
  }

  /// How long the beacon was heard in each room.
  package var stays: [CalibrationAccount.Stay] {
    zip(configuration.rooms, walk.seconds(rooms: names.rooms.count)).map {
      .init(room: $0.name, seconds: $1, receivers: $0.receivers)
    }
  }

  /// Enough seconds in a room.
  package var goal: Double { CalibrationResult.goal(interval: walk.interval) }

  /// The calibration. It takes a while.
  ///
  /// - Parameter progress: is called with each step, and may throw to end it.
  package func result(progress: (Step) throws(UselessWalk) -> Void) throws(UselessWalk) -> CalibrationResult {
    let calibrator = RoomCalibrator(plan, names: names)
    try progress(.learning)
    guard var all = calibrator.calibration(from: walk) else {
      throw UselessWalk(
        "nothing was heard of \(source.beacon) while a room was marked; compare the times of the marks with those of the recording"
      )
    }
    all.measuredPower = source.sightings.lazy.compactMap(\.measuredPower).last.map(Double.init)
    func completed(_ calibration: RoomCalibration) -> (calibration: RoomCalibration, kept: Set<Int>) {
      guard let present else { return (calibration, []) }
      let covered = Set(stays.indices.filter { stays[$0].seconds > 0 })
      return calibrator.complete(calibration, with: present.calibration, covered: covered)
    }
    let kept = completed(all).kept
    // A calibration that was made from this walk would be judged by its own data.
    let rival = isOfThisWalk ? nil : present?.calibration
    let comparison = try calibrator.assess(walk, against: rival, keeping: kept) {
      part throws(UselessWalk) in try progress(.trying(part))
    }
    if comparison?.best == .pathLoss {
      let power = all.measuredPower
      all = calibrator.calibration(from: walk, .pathLoss) ?? all
      all.measuredPower = power
    }
    let earlier = (present?.account.stays ?? []).filter { stay in
      kept.contains { names.rooms[$0] == stay.room }
    }
    let heard = source.hearers
    return CalibrationResult(
      beacon: source.beacon, hasGeometry: plan.hasGeometry, stays: stays,
      receivers: names.receivers.map { name in
        .init(
          name: name, sightings: heard[name] ?? 0,
          isConfigured: configuration.mountedReceivers.contains(name),
          position: configuration.receivers.first { $0.name == name }?.calibration.position)
      },
      kept: earlier, fit: completed(all).calibration, comparison: comparison,
      presentIsOfThisWalk: isOfThisWalk,
      strays: strays, goal: goal)
  }

  /// Whether the calibration in use was learned from the same walk: with the same beacon, to a tenth of a second as long in each
  /// room that this one covered.
  private var isOfThisWalk: Bool {
    guard let account = present?.account, account.beacon == source.beacon else { return false }
    let covered = stays.filter { $0.seconds > 0 }
    return !covered.isEmpty
      && covered.allSatisfy { stay in
        account.stays.contains { $0.room == stay.room && abs($0.seconds - stay.seconds) < 0.1 }
      }
  }

  /// A walk that no configured receiver heard teaches nothing of use.
  private static func refuseStrangers(_ source: WalkWithMarks, _ configuration: Configuration)
    throws(UselessWalk)
  {
    let configured = configuration.mountedReceivers
    let hearers = source.hearers.keys.sorted()
    guard !configured.isEmpty, !hearers.isEmpty, configured.isDisjoint(with: hearers) else { return }
    throw UselessWalk(
      "no receiver of the configuration heard it, only \(hearers.prefix(10).joined(separator: ", ")); "
        + "rename them in the configuration: it has \(configured.sorted().prefix(10).joined(separator: ", "))"
    )
  }

  /// Lines of marks whose point lies outside of their room. Such a point is left out; the room counts.
  private let strays: [Int]

  private static func strays(_ marks: [PlacedMark], _ configuration: Configuration) -> [Int] {
    marks.compactMap { mark in
      guard let point = mark.point, let room = configuration.rooms.first(where: { $0.name == mark.room }),
        case let outline = Outline(room.outline), outline.corners.count > 2,
        !outline.contains(point), outline.distance(to: point) > tolerance
      else { return nil }
      return mark.line
    }
  }

  /// Metres.
  private static let tolerance = 0.5
}

extension Configuration {
  /// Why no walk through these rooms can be used; nil: it can.
  package var isTooLargeToCalibrate: String? {
    let most = max(rooms.count, mountedReceivers.count)
    guard most > RoomSettings.mappedLimit else { return nil }
    return "a calibration has room for \(RoomSettings.mappedLimit) rooms and as many receivers, and the "
      + "configuration has \(rooms.count) and \(mountedReceivers.count); divide the site into several gateways, "
      + "each with its part of the rooms"
  }

  /// The receivers that it names.
  fileprivate var mountedReceivers: Set<String> {
    Set(rooms.flatMap(\.receivers) + receivers.map(\.name))
  }
}

/// Why a walk cannot be used, in plain words.
package struct UselessWalk: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// Whether no beacon was heard at all.
  package private(set) var isSilent = false

  package init(_ description: String) { self.description = description }

  static func silent(_ description: String) -> UselessWalk {
    var walk = UselessWalk(description)
    walk.isSilent = true
    return walk
  }
}
