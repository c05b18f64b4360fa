/// Packets built octet by octet.
package enum EventBytes {
  package static let address: [UInt8] = [0x01, 0x00, 0x00, 0x00, 0x00, 0xC1]
  package static let payload: [UInt8] = [0x02, 0x01, 0x1A, 0x03, 0x03, 0xAA, 0xFE]

  /// An LE meta event with one legacy report, from the event code on.
  package static func event(rssi: Int8 = -72, payload: [UInt8] = payload) -> [UInt8] {
    let body = [0x02, 1, 3, 1] + address + [UInt8(payload.count)] + payload + [UInt8(bitPattern: rssi)]
    return [0x3E, UInt8(body.count)] + body
  }

  package static func big(_ value: some FixedWidthInteger) -> [UInt8] { Array(little(value).reversed()) }
  package static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
