/// An identity as plain numbers; equal if and only if the identities are.
struct IdentityKey: PlaceKey {
  private var high: UInt128
  /// The kind in the uppermost octet.
  private(set) var low: UInt64

  init(_ identity: BeaconIdentity) {
    switch identity {
    case .iBeacon(let uuid, let major, let minor): (high, low) = (uuid, UInt64(major) << 16 | UInt64(minor))
    case .altBeacon(let high, let low): (self.high, self.low) = (high, 1 << 56 | UInt64(low))
    // 48 bits of instance, 32 of the URL with its length above.
    case .eddystoneUID(let namespace, let instance): (high, low) = (namespace, 2 << 56 | instance)
    case .eddystoneURL(let high, let low, let length):
      (self.high, self.low) = (low, 3 << 56 | UInt64(length) << 32 | UInt64(high))
    case .entry(let entry): (high, low) = (0, 4 << 56 | UInt64(UInt32(bitPattern: entry.rawValue)))
    }
  }

  func hash(_ seed: HashSeed) -> UInt64 {
    seed.mix(
      seed.mix(UInt64(truncatingIfNeeded: high >> 64), UInt64(truncatingIfNeeded: high)), low)
  }
}

/// Identities that match no entry, so that a stranger who is heard all day is looked up only once. The size is fixed: a
/// newcomer replaces the previous one in its place.
struct Strangers: Sendable {
  private static let size = 4096
  private var keys: [IdentityKey?] = []

  func contains(_ key: IdentityKey, hash: UInt64) -> Bool {
    !keys.isEmpty && keys[Self.place(hash)] == key
  }

  mutating func insert(_ key: IdentityKey, hash: UInt64) {
    if keys.isEmpty { keys = Array(repeating: nil, count: Self.size) }
    keys[Self.place(hash)] = key
  }

  private static func place(_ hash: UInt64) -> Int { Int(hash >> 52) }
}
