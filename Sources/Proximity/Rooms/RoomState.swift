import Beacons

/// What is known of one beacon among the rooms: what another tracker needs to go on, after a restart or under another configuration.
///
/// Where in its room it was is not kept: the belief starts from the room.
public struct RoomState: StateElement, Sendable {
  var track = RoomTrack()
  /// Of the signal maps that the beacon's strength was learnt with.
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

  /// The one that heard it last.
  public var receiver: ReceiverIndex { track.lastReceiver }
  public var room: RoomIndex? { track.told >= 0 ? RoomIndex(rawValue: track.told) : nil }

  /// Takes the beacon out of its room, which the configuration does not have any more.
  public mutating func leave(at wallTime: WallTime) {
    track.told = -1
    track.since = wallTime
  }
}

extension RoomTracker {
  /// nil: no receiver of the rooms ever heard it.
  public func state(of beacon: BeaconIndex) -> RoomState? {
    knownTrack(of: beacon).map { RoomState(track: tracks[$0], maps: maps) }
  }

  /// How much of the belief is in the room in which a restored beacon was.
  private static let trust: Float = 0.95

  /// Restores what is known of a beacon that was not heard yet. Emits nothing.
  ///
  /// - Parameter time: from when on a silence counts.
  ///   - beliefs: the state is of a tracker with the same model, and so is its belief.
  public mutating func restore(_ state: RoomState, of beacon: BeaconIndex, sightSince time: MonotonicTime) {
    guard knownTrack(of: beacon) == nil, state.track.told < roomCount, let track = self.track(of: beacon)
    else { return }
    var known = state.track
    known.window = nil
    known.turnedUp = MonotonicTime(nanoseconds: .min)
    if state.maps != maps {
      // How much stronger it is than other maps say is nothing to these.
      known.offset = 0
      known.offsetWeight = 0
      // Rooms that are just names: which of them it is in is asked anew once all receivers had time to hear it.
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
    let size = Float(model.rooms.count { $0 == Int16(known.told) })
    beliefs.change(track) { [rooms = model.rooms, prior = beliefs.prior] belief in
      for place in belief.indices {
        let own = rooms[place] == Int16(known.told) ? 1 / max(size, 1) : 0
        belief[place] = Self.trust * own + (1 - Self.trust) * prior[place]
      }
    }
  }
}
