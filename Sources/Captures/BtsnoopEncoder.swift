import Beacons
import Core

/// Writes btsnoop in the monitor variant, which btmon and Wireshark open. Pure: it appends bytes, and the caller
/// writes them to the file.
public struct BtsnoopEncoder: Sendable {
  private enum Opcode {
    static let newIndex: UInt16 = 0
    static let event: UInt16 = 3
    static let openIndex: UInt16 = 8
  }

  /// Bytes not written yet.
  public var bytes: [UInt8] = []
  /// Adapters with a record in the file, by index, with their address.
  private var introduced: [UInt16: DeviceAddress] = [:]

  public init() {
    for letter in "btsnoop\0".utf8 { bytes.append(letter) }
    bytes.append(bigEndian: UInt32(1))
    bytes.append(bigEndian: BtsnoopRecords.Datalink.monitor.rawValue)
  }

  /// Appends one HCI event, from its event code on. A record for the adapter precedes its first event.
  public mutating func append(event: Span<UInt8>, adapter: UInt16, address: DeviceAddress, wallTime: WallTime)
  {
    if introduced[adapter] != address {
      introduced[adapter] = address
      introduce(adapter, address, wallTime)
    }
    appendHeader(Opcode.event, adapter, length: event.count, wallTime)
    bytes.append(event)
  }

  /// New index: type 1 (0 primary), bus 1, address 6, name 8. Open index: nothing.
  private mutating func introduce(_ adapter: UInt16, _ address: DeviceAddress, _ wallTime: WallTime) {
    appendHeader(Opcode.newIndex, adapter, length: 16, wallTime)
    bytes.append(0)
    bytes.append(0)
    for shift in stride(from: 0, to: 48, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: address.bits >> UInt64(shift)))
    }
    let name = Array("hci\(adapter)".utf8.prefix(8))
    bytes += name + [UInt8](repeating: 0, count: 8 - name.count)
    appendHeader(Opcode.openIndex, adapter, length: 0, wallTime)
  }

  private mutating func appendHeader(
    _ opcode: UInt16, _ adapter: UInt16, length: Int, _ wallTime: WallTime
  ) {
    bytes.append(bigEndian: UInt32(truncatingIfNeeded: length))
    bytes.append(bigEndian: UInt32(truncatingIfNeeded: length))
    bytes.append(bigEndian: UInt32(adapter) << 16 | UInt32(opcode))
    bytes.append(bigEndian: UInt32(0))
    // Rounded down, also before 1970.
    let nanoseconds = wallTime.nanoseconds
    let microseconds = nanoseconds >= 0 ? nanoseconds / 1000 : -((999 - nanoseconds) / 1000)
    bytes.append(bigEndian: UInt64(bitPattern: microseconds) &+ BtsnoopRecords.epoch)
  }
}
