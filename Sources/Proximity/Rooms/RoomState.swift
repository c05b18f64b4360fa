import Beacons
import Core

/// The state of one beacon in the rooms. Another tracker can continue from it, after a restart or under another configuration.
///
/// The position within the room is not stored: the belief restarts from the room.
public struct RoomState: StateElement, Sendable {
  var track = RoomTrack()
  /// Fingerprint of the signal maps with which the beacon's strength was learnt.
  var maps: UInt64 = 0

  public init() {}

  init(track: RoomTrack, maps: UInt64) {
    self.track = track
    self.maps = maps
  }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("track", &track)
    try coder("maps", &maps)
  }

  /// The receiver that heard the beacon last.
  public var receiver: ReceiverIndex { track.lastReceiver }
  public var room: RoomIndex? { track.told >= 0 ? RoomIndex(rawValue: track.told) : nil }
  /// The room that it is in, or was in last.
  public var latestRoom: RoomIndex? { track.latest >= 0 ? RoomIndex(rawValue: track.latest) : nil }

  /// Removes the beacon from its room, because the configuration no longer has it.
  public mutating func leave(at wallTime: WallTime) {
    track.told = -1
    track.since = wallTime
  }
}

extension RoomTracker {
  /// nil: no receiver of the rooms ever heard the beacon.
  public func state(of beacon: BeaconIndex) -> RoomState? {
    knownTrack(of: beacon).map { RoomState(track: tracks[$0], maps: maps) }
  }

  /// Share of the belief in the room of a restored beacon.
  private static let trust: Float = 0.95

  /// Restores the state of a beacon that was not heard yet. Emits nothing.
  ///
  /// - Parameter time: the beacon's silence counts from then at the earliest.
  public mutating func restore(_ state: RoomState, of beacon: BeaconIndex, sightSince time: MonotonicTime) {
    guard knownTrack(of: beacon) == nil, max(state.track.told, state.track.latest) < roomCount,
      let track = self.track(of: beacon)
    else { return }
    var known = state.track
    known.window = nil
    known.turnedUp = MonotonicTime(nanoseconds: .min)
    if state.maps != maps {
      // A strength relative to other maps is useless.
      known.offset = 0
      known.offsetWeight = 0
      // Without outlines, the room is judged again after all receivers had time to hear the beacon.
      if model.grid == nil { known.turnedUp = time }
    }
    known.isFrozen = false
    known.silentSince = max(known.silentSince, time)
    known.earlierHearers = HearerSet()
    let isAsked = known.turnedUp.nanoseconds != .min
    known.hearers = HearerSet(isAsked ? [] : hearer(known.lastReceiver).map { [$0] } ?? [])
    known.hearersSince = time
    tracks[track] = known
    silences.schedule(Int32(track), at: known.silenceDeadline)
    guard known.told >= 0 else { return }
    insiders[Int(known.told)][beacon] = known.since
    beginStay(track)
    gains.goOn(track)
    if isAsked { return }
    nearby?.update(heard: [], near: [known.told], of: model.possibleRooms)
    let rooms = nearby.map { $0.rooms.map(Int.init) + [-1] } ?? model.rooms.map(Int.init)
    let size = Float(rooms.count { $0 == Int(known.told) })
    beliefs.change(track, nearby) { belief in
      for place in belief.indices {
        let own = rooms[place] == Int(known.told) ? 1 / max(size, 1) : 0
        belief[place] = Self.trust * own + (1 - Self.trust) * belief[place]
      }
    }
  }
}
