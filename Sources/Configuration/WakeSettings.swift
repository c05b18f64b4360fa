import Beacons
import Phones

/// `wake:` – a rotation of wake regions that one adapter broadcasts.
package struct WakeSettings: Hashable, Sendable {
  /// `adapter`: its kernel name, its address, or the name of a receiver; nil: the first one found.
  package var adapter: String?
  /// The identities to broadcast.
  package var regions: WakeRegions
  /// `measured_power`: the RSSI that a phone reads at 1 m, in dBm. Default -59.
  package var measuredPower: Int8 = -59
  package var plan: WakePlan
  /// Which phone the plan was computed for, as text; nil: the plan is in the configuration.
  package var audience: String?

  /// In the order of the plan's regions.
  package var identities: [IBeacon] {
    regions.minors.map {
      IBeacon(uuid: regions.uuid, major: regions.major, minor: $0, measuredPower: measuredPower)
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(regions)
    hasher.combine(plan.broadcasts)
  }
}

/// The identities of wake regions: one UUID and major, and a minor for each.
package struct WakeRegions: Hashable, Sendable {
  /// `uuid`.
  package var uuid: UInt128
  /// `major`. Default 1.
  package var major: UInt16
  /// Starts at `minor`, which is 1 by default.
  package var minors: ClosedRange<UInt16>

  package func contains(_ beacon: IBeacon) -> Bool {
    beacon.uuid == uuid && beacon.major == major && minors.contains(beacon.minor)
  }

  /// Whether the payload contains one of them.
  package func areSent(by payload: Span<UInt8>) -> Bool {
    var found = false
    FrameDecoder.forEachFrame(in: payload) { result, _ in
      if case .frame(.iBeacon(let beacon), _) = result, contains(beacon) { found = true }
    }
    return found
  }
}
