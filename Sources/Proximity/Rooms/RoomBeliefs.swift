import Beacons
import Core

/// The belief of each track: a probability for each place.
///
/// With many rooms without outlines, most have equal probabilities because no receiver there hears the beacon. So beliefs are
/// stored packed and unpacked when needed: about 200 octets instead of 800 for 200 rooms.
struct RoomBeliefs: Sendable {
  /// Minimum number of places for packing to save memory.
  private static let many = 64

  /// The belief of an unknown beacon.
  let prior: [Float]
  private let packedPrior: [UInt32]
  /// By track and place; empty if packed.
  private var numbers: [Float] = []
  private var packed: [[UInt32]] = []
  /// Buffer for one track.
  private var unpacked: [Float] = []
  private var words: [UInt32] = []

  init(_ model: RoomModel) {
    prior = model.prior
    var words: [UInt32] = []
    if model.grid == nil, prior.count >= Self.many {
      PackedNumbers.pack(prior, into: &words)
      unpacked = prior
    }
    packedPrior = words
  }

  private var isPacked: Bool { !unpacked.isEmpty }

  /// Reserves memory for this many tracks. Growth by doubling would waste too much.
  mutating func reserve(_ tracks: Int) {
    if isPacked { packed.reserveCapacity(tracks) } else { numbers.reserveCapacity(tracks * prior.count) }
  }

  /// Whether there is room for another track.
  var hasRoom: Bool {
    isPacked ? packed.count < packed.capacity : numbers.count + prior.count <= numbers.capacity
  }

  /// Appends a track with the prior.
  mutating func append() {
    if isPacked { packed.append(packedPrior) } else { numbers += prior }
  }

  /// Resets a track to the prior.
  mutating func reset(_ track: Int) {
    if isPacked {
      packed[track] = packedPrior
    } else {
      numbers.replaceSubrange(places(track), with: prior)
    }
  }

  mutating func change(_ track: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Void) {
    guard isPacked else {
      let places = places(track)
      return numbers.withUnsafeMutableBufferPointer { body(UnsafeMutableBufferPointer(rebasing: $0[places])) }
    }
    PackedNumbers.unpack(packed[track], into: &unpacked)
    unpacked.withUnsafeMutableBufferPointer { body($0) }
    PackedNumbers.pack(unpacked, into: &words)
    keep(track)
  }

  /// Reuses the row's memory if it fits. Most changes keep the number of words.
  private mutating func keep(_ track: Int) {
    let capacity = packed[track].capacity
    if words.count <= capacity, capacity <= 2 * words.count + 16 {
      packed[track].removeAll(keepingCapacity: true)
      packed[track] += words
    } else {
      packed[track] = words.withUnsafeBufferPointer { Array($0) }
    }
  }

  /// Like `read`, but uses the shared buffer.
  mutating func look<Result>(_ track: Int, _ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
    guard isPacked else { return read(track, body) }
    PackedNumbers.unpack(packed[track], into: &unpacked)
    return unpacked.withUnsafeBufferPointer(body)
  }

  func read<Result>(_ track: Int, _ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
    guard isPacked else {
      let places = places(track)
      return numbers.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[places])) }
    }
    var unpacked = prior
    PackedNumbers.unpack(packed[track], into: &unpacked)
    return unpacked.withUnsafeBufferPointer(body)
  }

  private func places(_ track: Int) -> Range<Int> { (track * prior.count)..<((track + 1) * prior.count) }
}

extension RoomBeliefs {
  func write(_ track: Int, to coder: inout StateCoder) {
    if isPacked { return coder.write(packed: packed[track]) }
    var words: [UInt32] = []
    PackedNumbers.pack(Array(numbers[places(track)]), into: &words)
    coder.write(packed: words)
  }

  /// Appends a track.
  mutating func append(from coder: inout StateCoder) throws(StateError) {
    let words = try coder.read(packed: prior.count)
    var belief = prior
    PackedNumbers.unpack(words, into: &belief)
    guard belief.allSatisfy(\.isFinite) else { throw coder.damaged }
    if isPacked { return packed.append(words) }
    numbers += belief
  }
}
