/// Which beacon was last seen at an address, so that a frame without identity (telemetry, a sensor's readings)
/// finds its beacon.
///
/// Bounded: sets of four, the least recently seen gives way.
struct AddressMemory: Sendable {
  private struct Slot {
    var bits: UInt64
    var beacon: Int32
  }

  private static let sets = 4096
  private static let ways = 4
  private var slots: [Slot] = []

  /// Not to be confused with a fair hash: a sender that provokes collisions only makes others' telemetry
  /// unattributed for a moment.
  private func start(_ address: DeviceAddress) -> Int {
    let mixed = key(address) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 52) * Self.ways
  }

  private func key(_ address: DeviceAddress) -> UInt64 {
    address.bits | UInt64(address.kind.rawValue) << 48
  }

  func beacon(at address: DeviceAddress) -> BeaconIndex? {
    guard !slots.isEmpty else { return nil }
    let start = start(address)
    let key = key(address)
    for slot in start..<(start + Self.ways) where slots[slot].beacon >= 0 && slots[slot].bits == key {
      return BeaconIndex(rawValue: slots[slot].beacon)
    }
    return nil
  }

  mutating func remember(_ beacon: BeaconIndex, at address: DeviceAddress) {
    if slots.isEmpty {
      slots = Array(repeating: Slot(bits: 0, beacon: -1), count: Self.sets * Self.ways)
    }
    let start = start(address)
    let key = key(address)
    if slots[start].bits == key, slots[start].beacon == beacon.rawValue { return }
    var position = start
    while position < start + Self.ways - 1, slots[position].bits != key || slots[position].beacon < 0 {
      position += 1
    }
    while position > start {
      slots[position] = slots[position - 1]
      position -= 1
    }
    slots[start] = Slot(bits: key, beacon: beacon.rawValue)
  }
}
