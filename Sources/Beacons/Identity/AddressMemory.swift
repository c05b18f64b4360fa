import CPrefetch

/// Which beacon was last seen at an address. With it, a frame without identity (telemetry, a sensor's readings)
/// finds its beacon, and a frame with an identity seldom needs a search.
///
/// The size is limited: sets of four that evict the least recently seen. While a set has room, repeats are not recorded.
/// There are at least four times as many places as beacons, so about one set in 150 is full.
struct AddressMemory: Sendable {
  private struct Slot {
    var bits: UInt64
    var beacon: Int32
    /// The generation of the beacon's row, which may have been reused since.
    var generation: UInt32
  }

  private static let ways = 4
  /// log2 of the number of sets.
  private var magnitude = 12
  private var slots: [Slot] = []

  /// The hash is not keyed: a sender that provokes collisions can at worst make others' telemetry unattributable for a moment.
  @inline(__always) private func start(_ key: UInt64) -> Int {
    let mixed = key &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed &>> UInt64(64 - magnitude)) * Self.ways
  }

  @inline(__always) private func key(_ address: DeviceAddress) -> UInt64 {
    address.bits | UInt64(address.kind.rawValue) << 48
  }

  /// Which beacon was last seen at an address, if the beacon's row was not reused since.
  func beacon(at address: DeviceAddress, _ generation: (BeaconIndex) -> UInt32) -> BeaconIndex? {
    guard !slots.isEmpty else { return nil }
    let key = key(address)
    let start = start(key)
    for slot in start..<(start + Self.ways) where slots[slot].beacon >= 0 && slots[slot].bits == key {
      let beacon = BeaconIndex(rawValue: slots[slot].beacon)
      return generation(beacon) == slots[slot].generation ? beacon : nil
    }
    return nil
  }

  /// The same without the check of the generation, for callers that compare the payload anyway.
  @inline(__always) func beacon(at address: DeviceAddress) -> BeaconIndex? {
    guard !slots.isEmpty else { return nil }
    let key = key(address)
    let start = start(key)
    // The address is usually in the first slot: there are more addresses than sets only if somebody invents them.
    if slots[start].bits == key, slots[start].beacon >= 0 {
      return BeaconIndex(rawValue: slots[start].beacon)
    }
    for slot in (start + 1)..<(start + Self.ways) where slots[slot].beacon >= 0 && slots[slot].bits == key {
      return BeaconIndex(rawValue: slots[slot].beacon)
    }
    return nil
  }

  /// Prefetches what the next look-up of an address will read.
  func prefetch(_ address: DeviceAddress) {
    guard !slots.isEmpty else { return }
    let start = start(key(address))
    slots.prefetch(at: start)
    slots.prefetch(at: start + Self.ways - 1)
  }

  @inline(__always) mutating func remember(
    _ beacon: BeaconIndex, at address: DeviceAddress, generation: UInt32
  ) {
    let key = key(address)
    if !slots.isEmpty {
      let start = start(key)
      if slots[start].bits == key, slots[start].beacon == beacon.rawValue,
        slots[start].generation == generation
      {
        return
      }
    }
    insert(beacon, at: address, generation)
  }

  private mutating func insert(_ beacon: BeaconIndex, at address: DeviceAddress, _ generation: UInt32) {
    if slots.isEmpty { slots = Self.free(1 << magnitude) }
    let key = key(address)
    let start = start(key)
    if Int(beacon.rawValue) * 4 >= slots.count {
      grow()
      return insert(beacon, at: address, generation)
    }
    var position = start
    while position < start + Self.ways - 1, slots[position].bits != key || slots[position].beacon < 0 {
      position += 1
    }
    let isKnown =
      slots[position].bits == key && slots[position].beacon == beacon.rawValue
      && slots[position].generation == generation
    if isKnown, hasRoom(start) { return }
    while position > start {
      slots[position] = slots[position - 1]
      position -= 1
    }
    slots[start] = Slot(bits: key, beacon: beacon.rawValue, generation: generation)
  }

  /// Whether the set has room for another address. Until it is full, its order is the order of arrival.
  private func hasRoom(_ start: Int) -> Bool { slots[start + Self.ways - 1].beacon < 0 }

  /// Doubles the number of sets; each keeps its order.
  private mutating func grow() {
    let old = slots
    magnitude += 1
    slots = Self.free(1 << magnitude)
    for slot in old where slot.beacon >= 0 {
      var position = start(slot.bits)
      while slots[position].beacon >= 0 { position += 1 }
      slots[position] = slot
    }
  }

  private static func free(_ sets: Int) -> [Slot] {
    Array(repeating: Slot(bits: 0, beacon: -1, generation: 0), count: sets * ways)
  }
}

/// Only occupied slots.
extension AddressMemory: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    var size = UInt8(magnitude)
    try coder("magnitude", &size)
    magnitude = Int(size)
    // The table grows with the number of beacons.
    try coder.check(
      magnitude == 12 || magnitude > 12 && magnitude < 32 && 1 << (magnitude - 1) < coder.bounds.beacons)
    var taken: [SavedSlot] = []
    if !coder.isReading {
      for (place, slot) in slots.enumerated() where slot.beacon >= 0 {
        taken.append(SavedSlot(place: UInt32(place), slot: slot))
      }
    }
    try coder("slots", &taken)
    guard coder.isReading, !taken.isEmpty else { return }
    slots = Self.free(1 << magnitude)
    for saved in taken {
      let place = Int(saved.place)
      try coder.check(place < slots.count && place / Self.ways * Self.ways == start(saved.slot.bits))
      slots[place] = saved.slot
    }
  }

  private struct SavedSlot: StateElement {
    var place: UInt32 = 0
    var slot = Slot(bits: 0, beacon: -1, generation: 0)

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("place", &place)
      try coder("bits", &slot.bits)
      try coder("beacon", &slot.beacon, below: coder.bounds.beacons)
      try coder("generation", &slot.generation)
    }
  }
}

extension Array {
  /// Prefetches an element that will be read soon into the cache, without waiting for it.
  @inlinable package func prefetch(at index: Int) {
    guard indices.contains(index) else { return }
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      let element = unsafe UnsafeRawPointer(start + index)
      unsafe beaconkeeper_prefetch(element)
      // A larger element often spans two cache lines.
      unsafe beaconkeeper_prefetch(element + (MemoryLayout<Element>.size - 1))
    }
  }
}
