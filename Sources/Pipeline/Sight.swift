import Beacons
import Configuration
import Contract
import Core
import Proximity

/// Which receivers can hear, and which places can therefore be seen.
extension Pipeline {
  package mutating func setHealth(
    _ receiver: ReceiverIndex, _ health: ReceiverHealth, at time: MonotonicTime, into output: inout Output
  ) {
    if health == .doubted {
      setDoubted(receiver, at: time, into: &output)
    } else {
      setBlind(receiver, health.isBlind, at: time, into: &output)
    }
  }

  /// A receiver became blind or works again.
  package mutating func setBlind(
    _ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime, into output: inout Output
  ) {
    show(receiver, isBlind ? .blind : .sees, at: time, into: &output)
  }

  mutating func show(
    _ receiver: ReceiverIndex, _ state: ReceiverSight.State, at time: MonotonicTime, into output: inout Output
  ) {
    see([([receiver], state, time)], into: &output)
  }

  /// A receiver that is not known to be blind may have failed since it last heard something. Until it gives a
  /// sign of life, no beacon leaves because of its silence. The published states of places do not change.
  private mutating func setDoubted(
    _ receiver: ReceiverIndex, at time: MonotonicTime, into output: inout Output
  ) {
    guard sight[receiver] != .blind else { return }
    show(receiver, .doubted, at: time, into: &output)
  }

  /// The process did not run in this span. Nothing is known about it, so no beacon left in it, even if data from it
  /// is read later. All receivers count as blind for the span.
  package mutating func pause(from start: MonotonicTime, to end: MonotonicTime, into output: inout Output) {
    advance(to: start, into: &output)
    let (seeing, doubted) = (sight.receivers(.sees), sight.receivers(.doubted))
    see(
      [(seeing + doubted, .blind, start), (doubted, .doubted, end), (seeing, .sees, end)], into: &output)
  }

  /// Processes states of receivers, one after another, and publishes the places that thereby became
  /// observable or ceased to be.
  private mutating func see(
    _ steps: [([ReceiverIndex], ReceiverSight.State, MonotonicTime)], into output: inout Output
  ) {
    let before = views
    for (receivers, state, time) in steps where !receivers.isEmpty {
      self.time = max(self.time, time)
      for receiver in receivers {
        // For a trial, the receiver's first sighting shows that it sees.
        if sight.isKnown(receiver) || state == .blind {
          history?.note(receiver, state, at: time)
        }
        sight[receiver] = state
      }
      showSight(at: time)
      tell(into: &output)
      if !phones.isEmpty { sightOfPhonesChanged(at: time, into: &output) }
    }
    for (place, view) in views.enumerated() where view != before[place] {
      output.items.append(.state(.occupancy(occupancy(ofPlace: place))))
    }
  }

  /// Shows sight to zones and rooms.
  mutating func showSight(at time: MonotonicTime) {
    engine.see(sight, at: time, into: &scratch.transitions)
    rooms?.see(sight, at: time)
    showRoomSight()
  }

  /// Shows zones of rooms which rooms are watched and which are blind.
  mutating func showRoomSight() {
    guard let rooms, engine.hasRoomZones else { return }
    let sight = RoomSight(
      isWatched: rooms.isWatched, blind: Set(roomIndices.lazy.filter { rooms.isBlind($0) }))
    engine.see(sight, at: time, into: &scratch.transitions)
  }

  private enum View { case unwatched, blind, seen }

  /// Whether each place can be seen.
  private var views: [View] {
    let zones = configuration.zones.indices.map { zone in
      let index = ZoneIndex(rawValue: Int32(zone))
      return engine.isBlind(index) ? View.blind : engine.isWatched(index) ? .seen : .unwatched
    }
    guard let rooms else { return zones }
    return zones + roomIndices.map { !rooms.isWatched ? .unwatched : rooms.isBlind($0) ? .blind : .seen }
  }
}

/// Maps a source's receivers to the pipeline's: each source numbers them in order of appearance.
package struct ReceiverMap: Sendable {
  /// Indexed by the source's index; nil for receivers beyond the limit.
  private var indices: [ReceiverIndex?] = []
  /// Whether every receiver so far has an index.
  package private(set) var isComplete = true

  package init() {}

  /// Adds names that are new in the source's table. `receiver` returns the pipeline's index.
  package mutating func learn(_ table: ReceiverTable, _ receiver: (String) -> ReceiverIndex?) {
    while indices.count < table.names.count {
      let index = receiver(table.names[indices.count])
      if index == nil { isComplete = false }
      indices.append(index)
    }
  }

  /// Follows a source that gave an index to another receiver. Returns the pipeline's index if that now belongs to the other
  /// receiver, too.
  ///
  /// - Parameter others: another source, whose receivers keep their indices.
  package mutating func follow(
    _ renaming: ReceiverRenaming, in pipeline: inout Pipeline, beside others: ReceiverMap = ReceiverMap()
  ) -> ReceiverIndex? {
    let place = Int(renaming.receiver.rawValue)
    guard place < indices.count else { return nil }
    if let index = indices[place], !others.indices.contains(index), pipeline.rename(index, to: renaming.name)
    {
      return index
    }
    indices[place] = pipeline.receiver(renaming.name)
    if indices[place] == nil { isComplete = false }
    return nil
  }

  /// Follows a source in which a receiver was renamed. The receiver keeps its index, and so its beacons.
  ///
  /// - Parameter others: another source, whose receivers keep their names.
  package func follow(
    sameReceiver renaming: ReceiverRenaming, in pipeline: inout Pipeline, beside others: ReceiverMap
  ) {
    let place = Int(renaming.receiver.rawValue)
    guard place < indices.count, let index = indices[place], !others.indices.contains(index),
      pipeline.receivers.index(ofKnown: renaming.name) == nil
    else { return }
    pipeline.receivers.rename(index, to: renaming.name)
  }

  package subscript(index: ReceiverIndex) -> ReceiverIndex? { indices[Int(index.rawValue)] }
}
