/// The places of a beacon's belief on a site of many rooms without outlines: the rooms near receivers that
/// hear it, the other rooms in which it is probable, and last, all remaining rooms together, because no
/// receiver that hears it distinguishes between them.
///
/// So memory and time for a beacon depend on how many receivers hear it, not on the size of the site.
struct NearbyRooms: Sendable {
  /// In order. The place of a room is its index here. The place of all others is the last.
  private(set) var rooms: [Int32] = []
  /// By index in `rooms`: whether a receiver in it hears the beacon.
  private(set) var isHeard: [Bool] = []
  /// Number of the other rooms.
  private(set) var otherCount: Float = 0

  /// Number of places.
  var count: Int { rooms.count + 1 }

  /// - Parameter all: rooms in which a beacon can be.
  mutating func update(heard: some Sequence<Int32>, near: some Sequence<Int32>, of all: Int) {
    // Twice the room, plus 1 if none of its receivers hears the beacon, so that of two equal rooms the heard one comes first.
    var keys = heard.map { $0 << 1 }
    keys += near.lazy.map { $0 << 1 | 1 }
    keys.sort()
    rooms.removeAll(keepingCapacity: true)
    isHeard.removeAll(keepingCapacity: true)
    for key in keys where key >> 1 != rooms.last {
      rooms.append(key >> 1)
      isHeard.append(key & 1 == 0)
    }
    otherCount = Float(all - rooms.count)
  }

  /// nil: the room is one of the others.
  func place(of room: Int) -> Int? { rooms.firstIndex { Int($0) == room } }
}
