import Beacons
import Core

/// A command to the controller itself (Core Specification, Vol 4, Part E, 5.4.1), in the format of a raw socket: packet type 1,
/// opcode 2, length 1, parameters.
struct HCICommand: Equatable, Sendable {
  enum Opcode {
    static let setEventMask: UInt16 = 0x0C01
    static let reset: UInt16 = 0x0C03
    static let readVersion: UInt16 = 0x1001
    static let readCommands: UInt16 = 0x1002
    static let readFeatures: UInt16 = 0x2003
    static let setScanParameters: UInt16 = 0x200B
    static let setScanEnable: UInt16 = 0x200C
    static let createConnection: UInt16 = 0x200D
    static let cancelConnection: UInt16 = 0x200E
    static let setExtendedScanParameters: UInt16 = 0x2041
    static let setExtendedScanEnable: UInt16 = 0x2042
    static let extendedCreateConnection: UInt16 = 0x2043
  }

  var opcode: UInt16
  var parameters: [UInt8] = []

  /// Every working controller answers this, and it changes nothing.
  static let probe = Self(opcode: Opcode.readVersion)
  static let reset = Self(opcode: Opcode.reset)

  var packet: [UInt8] {
    let length = UInt8(truncatingIfNeeded: parameters.count)
    return [HCIPacketType.command] + opcode.littleEndianOctets + [length] + parameters
  }
}
