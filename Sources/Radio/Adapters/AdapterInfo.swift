import Beacons
import Core

/// A Bluetooth adapter as the kernel describes it.
package struct AdapterInfo: Equatable, Sendable {
  /// The N of `hciN`; it may change when the adapter is unplugged and comes back.
  package var index: UInt16
  package var address: DeviceAddress
  package var isPowered: Bool
  package var supportsLowEnergy: Bool
  package var hasLowEnergyEnabled: Bool
  /// Another program has the adapter advertise without an advertising instance.
  package var advertisesByItself: Bool

  /// The usual name: `hci0`.
  package var kernelName: String { "hci\(index)" }

  private enum Setting {
    static let powered: UInt32 = 1 << 0
    static let lowEnergy: UInt32 = 1 << 9
    static let advertising: UInt32 = 1 << 10
  }

  /// From the reply to Read Controller Information: address 6, version 1, manufacturer 2, supported and
  /// current settings 4 each, class 3, name 249, short name 11 (BlueZ doc/mgmt-api.txt).
  init?(index: UInt16, reply: Span<UInt8>) {
    guard reply.count >= 20 else { return nil }
    self.index = index
    address = DeviceAddress(bits: reply.littleEndian48(at: 0), kind: .public)
    supportsLowEnergy = reply.littleEndian32(at: 9) & Setting.lowEnergy != 0
    isPowered = false
    hasLowEnergyEnabled = false
    advertisesByItself = false
    apply(settings: reply.littleEndian32(at: 13))
  }

  mutating func apply(settings: UInt32) {
    isPowered = settings & Setting.powered != 0
    hasLowEnergyEnabled = settings & Setting.lowEnergy != 0
    advertisesByItself = settings & Setting.advertising != 0
  }
}
