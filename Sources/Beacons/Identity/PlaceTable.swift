/// An open-addressing hash table that gives keys the places 0, 1, 2 … in the order of insertion. Places never change. The
/// place of a removed key is reused.
///
/// Swift's Dictionary could do the same, but hashing a key of arbitrary shape costs more than everything else that is done
/// with an advertisement.
struct PlaceTable<Key: PlaceKey>: Sendable {
  private static var tagMask: UInt64 { 0xFFFF_FFFF_0000_0000 }

  let seed: HashSeed
  private var keys: [Key] = []
  /// The hash in the upper half, place + 1 in the lower; 0: free. The size is a power of two, and at most half is used.
  private var slots: [UInt64] = []

  init(seed: HashSeed = HashSeed()) { self.seed = seed }

  func key(at place: Int) -> Key { keys[place] }

  func hash(of key: Key) -> UInt64 { key.hash(seed) }

  func place(of key: Key) -> Int? { place(of: key, hash: hash(of: key)) }

  func place(of key: Key, hash: UInt64) -> Int? {
    if slots.isEmpty { return nil }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let taken = slots[slot]
      if taken == 0 { return nil }
      if (taken ^ hash) & Self.tagMask == 0 {
        let place = Int(taken & ~Self.tagMask) - 1
        if keys[place] == key { return place }
      }
      slot = (slot + 1) & mask
    }
  }

  /// Inserts a new key.
  mutating func append(_ key: Key) {
    keys.append(key)
    if keys.count * 2 > slots.count {
      slots = Array(repeating: 0, count: max(64, slots.count * 2))
      for place in keys.indices { settle(place) }
    } else {
      settle(keys.count - 1)
    }
  }

  /// Removes the key at a place. Another key must be put there before the next `append`.
  mutating func remove(at place: Int) {
    let mask = slots.count - 1
    let hash = hash(of: keys[place])
    var free = Int(truncatingIfNeeded: hash) & mask
    let sought = hash & Self.tagMask | UInt64(place + 1)
    while slots[free] != sought {
      if slots[free] == 0 { return }
      free = (free + 1) & mask
    }
    // Keys that it displaced move up; otherwise they would not be found.
    var next = (free + 1) & mask
    while slots[next] != 0 {
      let other = Int(slots[next] & ~Self.tagMask) - 1
      let home = Int(truncatingIfNeeded: self.hash(of: keys[other])) & mask
      if (next - home) & mask >= (next - free) & mask {
        slots[free] = slots[next]
        free = next
      }
      next = (next + 1) & mask
    }
    slots[free] = 0
  }

  /// Inserts a new key at the place of a removed one.
  mutating func put(_ key: Key, at place: Int) {
    keys[place] = key
    settle(place)
  }

  private mutating func settle(_ place: Int) {
    let hash = hash(of: keys[place])
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = hash & Self.tagMask | UInt64(place + 1)
  }
}

/// A key of fixed size with a fast hash.
protocol PlaceKey: Equatable, Sendable {
  func hash(_ seed: HashSeed) -> UInt64
}

/// Differs in every process, so that no sender can choose keys that collide. It affects where keys are in memory, and which
/// refused members of regions are remembered.
struct HashSeed: Sendable {
  let first: UInt64
  let second: UInt64

  init() {
    func draw(_ number: Int) -> UInt64 {
      var hasher = Hasher()
      hasher.combine(number)
      return UInt64(bitPattern: Int64(hasher.finalize()))
    }
    first = draw(1)
    second = draw(2) | 1
  }

  /// The seed in a snapshot.
  init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Combines both halves of a product: each bit of the result depends on all bits of both factors.
  func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = (a ^ first).multipliedFullWidth(by: b ^ second)
    return product.high ^ product.low
  }
}

extension UInt64: PlaceKey {
  func hash(_ seed: HashSeed) -> UInt64 { seed.mix(self, 0) }
}

extension UInt128: PlaceKey {
  func hash(_ seed: HashSeed) -> UInt64 {
    seed.mix(UInt64(truncatingIfNeeded: self >> 64), UInt64(truncatingIfNeeded: self))
  }
}
