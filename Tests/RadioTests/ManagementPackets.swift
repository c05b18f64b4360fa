import TestSupport

@testable import Radio

/// What the kernel's management interface says, byte by byte.
enum ManagementPackets {
  static func packet(_ code: UInt16, _ adapter: UInt16, _ parameters: [UInt8]) -> [UInt8] {
    EventBytes.little(code) + EventBytes.little(adapter) + EventBytes.little(UInt16(parameters.count))
      + parameters
  }

  static func complete(
    _ opcode: ManagementCommand.Opcode, _ adapter: UInt16, _ parameters: [UInt8] = [], status: UInt8 = 0
  ) -> [UInt8] {
    packet(1, adapter, EventBytes.little(opcode.rawValue) + [status] + parameters)
  }

  static func refuse(_ opcode: ManagementCommand.Opcode, _ adapter: UInt16, status: UInt8) -> [UInt8] {
    packet(2, adapter, EventBytes.little(opcode.rawValue) + [status])
  }

  static func list(_ adapters: [UInt16]) -> [UInt8] {
    complete(
      .readIndexList, 0xFFFF,
      EventBytes.little(UInt16(adapters.count)) + adapters.flatMap { EventBytes.little($0) })
  }

  static let powered: UInt32 = 1 << 0
  static let lowEnergy: UInt32 = 1 << 9

  static func information(
    _ adapter: UInt16, settings: UInt32 = powered | lowEnergy, supported: UInt32 = powered | lowEnergy,
    last: UInt8 = 0x42
  ) -> [UInt8] {
    let address: [UInt8] = [last, 0, 0, 1, 0xAA, 0]
    let name = Array("lab".utf8) + [UInt8](repeating: 0, count: 249 - 3 + 11)
    let version: [UInt8] = [8] + EventBytes.little(UInt16(2))
    let all: [UInt8] = EventBytes.little(supported) + EventBytes.little(settings)
    return complete(.readInformation, adapter, [address, version, all, [0, 0, 0], name].flatMap { $0 })
  }

  static func settings(_ adapter: UInt16, _ settings: UInt32) -> [UInt8] {
    packet(6, adapter, EventBytes.little(settings))
  }

  static func added(_ adapter: UInt16, handle: UInt16) -> [UInt8] {
    complete(.addPatternMonitor, adapter, EventBytes.little(handle))
  }

  static func monitorRemoved(_ adapter: UInt16, handle: UInt16) -> [UInt8] {
    packet(0x2C, adapter, EventBytes.little(handle))
  }
}
