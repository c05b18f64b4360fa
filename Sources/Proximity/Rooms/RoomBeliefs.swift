import Beacons
import Core

/// The belief of each track: a probability for each place.
///
/// On a site of many rooms without outlines, most rooms are equally probable because no receiver there hears
/// the beacon. So only the others are stored one by one.
struct RoomBeliefs: Sendable {
  /// The belief of an unknown beacon.
  let prior: [Float]
  /// nil: each track has a probability for each place of the model.
  private let roomCount: Int?
  /// Number of rooms in which a beacon can be.
  private let possible: Int
  /// By track and place.
  private var numbers: [Float] = []
  /// By track: the rooms with a probability of their own, in order, and last, all others together; empty: all
  /// are equally probable.
  private var shares: [[Share]] = []
  /// Buffer for one track.
  private var spread: [Float] = []

  private struct Share: Sendable {
    var room: Int32
    var probability: Float
  }

  /// A room with a smaller probability joins the others. A room near a receiver that hears the beacon exceeds
  /// this after the next window.
  private static let least: Float = 1e-6
  /// How many rooms a track usually has.
  private static let usualRooms = 16

  init(_ model: RoomModel) {
    prior = model.prior
    roomCount = model.keepsNearby ? model.roomCount : nil
    possible = prior.count { $0 > 0 }
  }

  /// Memory for one track, octets.
  var size: Int {
    roomCount == nil
      ? MemoryLayout<Float>.stride * max(prior.count, 1) : MemoryLayout<Share>.stride * Self.usualRooms
  }

  /// Reserves memory for this many tracks. Growth by doubling would waste too much.
  mutating func reserve(_ tracks: Int) {
    if roomCount != nil {
      shares.reserveCapacity(tracks)
    } else {
      numbers.reserveCapacity(tracks * prior.count)
    }
  }

  /// Whether there is room for another track.
  var hasRoom: Bool {
    roomCount != nil ? shares.count < shares.capacity : numbers.count + prior.count <= numbers.capacity
  }

  /// Appends a track with the prior.
  mutating func append() {
    if roomCount != nil { shares.append([]) } else { numbers += prior }
  }

  /// Resets a track to the prior.
  mutating func reset(_ track: Int) {
    if roomCount != nil {
      shares[track].removeAll(keepingCapacity: true)
    } else {
      numbers.replaceSubrange(places(track), with: prior)
    }
  }

  /// - Parameter nearby: has the rooms of the track's belief; nil if the places are those of the model.
  mutating func change(
    _ track: Int, _ nearby: NearbyRooms?, _ body: (UnsafeMutableBufferPointer<Float>) -> Void
  ) {
    guard let nearby else {
      let places = places(track)
      return numbers.withUnsafeMutableBufferPointer { body(UnsafeMutableBufferPointer(rebasing: $0[places])) }
    }
    unfold(track, nearby)
    spread.withUnsafeMutableBufferPointer { body($0) }
    shares[track].removeAll(keepingCapacity: true)
    var others = spread[nearby.rooms.count]
    for (room, probability) in zip(nearby.rooms, spread) {
      if probability < Self.least {
        others += probability
      } else {
        shares[track].append(Share(room: room, probability: probability))
      }
    }
    shares[track].append(Share(room: .max, probability: others))
  }

  mutating func look<Result>(
    _ track: Int, _ nearby: NearbyRooms?, _ body: (UnsafeBufferPointer<Float>) -> Result
  ) -> Result {
    guard let nearby else { return read(track, body) }
    unfold(track, nearby)
    return spread.withUnsafeBufferPointer(body)
  }

  /// Fills `spread` with the probabilities of these places. A room that was one of the others takes its share
  /// of their probability.
  private mutating func unfold(_ track: Int, _ nearby: NearbyRooms) {
    spread.removeAll(keepingCapacity: true)
    let known = shares[track].dropLast()
    var others = shares[track].last?.probability ?? 1
    let each = others / Float(max(possible - known.count, 1))
    var next = known.startIndex
    for room in nearby.rooms {
      if next < known.endIndex, known[next].room == room {
        spread.append(known[next].probability)
        next += 1
      } else {
        spread.append(each)
        others -= each
      }
    }
    spread.append(max(others, 0))
  }

  /// The rooms with a probability of their own in a track's belief, in order; nil: the places are those of
  /// the model.
  func rooms(_ track: Int) -> [(room: Int32, probability: Float)]? {
    roomCount == nil ? nil : shares[track].dropLast().map { ($0.room, $0.probability) }
  }

  /// The probability of each room that is not in `rooms`.
  func probabilityOfOthers(_ track: Int) -> Float {
    (shares[track].last?.probability ?? 1) / Float(max(possible - shares[track].dropLast().count, 1))
  }

  /// Only if the places are those of the model.
  func read<Result>(_ track: Int, _ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
    let places = places(track)
    return numbers.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[places])) }
  }

  private func places(_ track: Int) -> Range<Int> { (track * prior.count)..<((track + 1) * prior.count) }
}

extension RoomBeliefs {
  func write(_ track: Int, to coder: inout StateCoder) {
    guard roomCount == nil else {
      coder.count(shares[track].count)
      for share in shares[track] {
        coder.write(share.room)
        coder.write(share.probability)
      }
      return
    }
    var words: [UInt32] = []
    PackedNumbers.pack(Array(numbers[places(track)]), into: &words)
    coder.write(packed: words)
  }

  /// Appends a track.
  mutating func append(from coder: inout StateCoder) throws(StateError) {
    if let roomCount {
      var read: [Share] = []
      let count = try coder.count()
      for place in 0..<count {
        let share = Share(room: try coder.read(), probability: try coder.read())
        let isLast = place == count - 1
        guard isLast ? share.room == .max : share.room > read.last?.room ?? -1 && share.room < roomCount,
          share.probability.isFinite, share.probability >= 0
        else { throw coder.damaged }
        read.append(share)
      }
      return shares.append(read)
    }
    let words = try coder.read(packed: prior.count)
    var belief = prior
    PackedNumbers.unpack(words, into: &belief)
    guard belief.allSatisfy(\.isFinite) else { throw coder.damaged }
    numbers += belief
  }
}

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
