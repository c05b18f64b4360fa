import Beacons

/// Reads an advertisement out of a management event: Device Found (0x0012) or Advertisement Monitor Device Found (0x002F).
/// nil for other events, for classic Bluetooth, and for events shorter than their stated length.
///
/// Parameters: monitor handle 2 (0x002F only), address 6, address type 1 (1 public, 2 random), RSSI 1,
/// flags 4, data length 2, data (BlueZ doc/mgmt-api.txt).
func managementAdvertisement(
  _ packet: Span<UInt8>, receiver: ReceiverIndex, time: MonotonicTime, wallTime: WallTime
) -> (advertisement: Advertisement, payload: Range<Int>)? {
  guard packet.count >= 6 else { return nil }
  let start: Int
  switch packet.littleEndian16(at: 0) {
  case 0x0012: start = 6
  case 0x002F: start = 8
  default: return nil
  }
  let end = 6 + Int(packet.littleEndian16(at: 4))
  guard end <= packet.count, start + 14 <= end else { return nil }
  let kind: DeviceAddress.Kind
  switch packet[start + 6] {
  case 1: kind = .public
  case 2: kind = .random
  default: return nil
  }
  let length = Int(packet.littleEndian16(at: start + 12))
  guard length <= end - start - 14 else { return nil }
  let rssi = Int8(bitPattern: packet[start + 7])
  let advertisement = Advertisement(
    receiver: receiver, address: DeviceAddress(bits: packet.littleEndian48(at: start), kind: kind),
    rssi: rssi == 127 ? nil : rssi, time: time, wallTime: wallTime)
  return (advertisement, start + 14..<start + 14 + length)
}
