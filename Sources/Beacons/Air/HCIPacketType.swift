/// The first octet of an HCI packet on a UART, and on Linux' raw sockets (Bluetooth Core Specification, volume 4, part A, 2).
package enum HCIPacketType {
  package static let command: UInt8 = 0x01
  package static let event: UInt8 = 0x04
}
