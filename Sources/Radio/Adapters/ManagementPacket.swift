import Core

/// A command to the kernel's Bluetooth management interface (BlueZ doc/mgmt-api.txt):
/// opcode, adapter index and parameter length (2 bytes each, little endian), parameters.
struct ManagementCommand: Equatable, Sendable {
  enum Opcode: UInt16, Sendable {
    case readIndexList = 0x0003
    case readInformation = 0x0004
    case setPowered = 0x0005
    case setBondable = 0x0009
    case setSimplePairing = 0x000B
    case setLowEnergy = 0x000D
    case disconnect = 0x0014
    case setInputOutput = 0x0018
    case pairDevice = 0x0019
    case unpairDevice = 0x001B
    case confirmNumber = 0x001C
    case refuseNumber = 0x001D
    case refusePasskey = 0x001F
    case startDiscovery = 0x0023
    case stopDiscovery = 0x0024
    case setSecureConnections = 0x002D
    case loadResolvingKeys = 0x0030
    case readPHY = 0x0044
    case setPHY = 0x0045
    case readAdvertisingFeatures = 0x003D
    case addAdvertising = 0x003E
    case removeAdvertising = 0x003F
    case setDefaultConfiguration = 0x004C
    case addPatternMonitor = 0x0052
    case removeMonitor = 0x0053
    case addAdvertisingParameters = 0x0054
    case addAdvertisingData = 0x0055
  }

  /// For commands that concern no adapter.
  static let noAdapter: UInt16 = 0xFFFF

  var opcode: Opcode
  var adapter: UInt16
  var parameters: [UInt8] = []

  var bytes: [UInt8] {
    let length = UInt16(truncatingIfNeeded: parameters.count)
    return [opcode.rawValue, adapter, length].flatMap(\.littleEndianOctets) + parameters
  }

  /// A monitor for Apple's "Find My" pattern. Which one does not matter: without a controller that filters,
  /// any pattern keeps the passive scan on for everything.
  static func addPatternMonitor(_ adapter: UInt16) -> Self {
    // One pattern: AD type 0xFF at offset 0, of 4 bytes; the value field has 31.
    let pattern: [UInt8] = [1, 0xFF, 0, 4, 0x4C, 0x00, 0x12, 0x19]
    return Self(
      opcode: .addPatternMonitor, adapter: adapter,
      parameters: pattern + [UInt8](repeating: 0, count: 35 - pattern.count))
  }

  /// How the kernel scans for monitors: interval (0x0013) and window (0x0014) in units of 0.625 ms. It must not alternate with
  /// the accept list (0x001F), because then only the devices on the list are received.
  static func setScan(_ duty: ScanDuty, of adapter: UInt16) -> Self {
    let interval = [0x13, 0x00, 2] + duty.interval.littleEndianOctets
    let window = [0x14, 0x00, 2] + duty.window.littleEndianOctets
    return Self(
      opcode: .setDefaultConfiguration, adapter: adapter, parameters: interval + window + [0x1F, 0x00, 1, 0])
  }

  /// The PHYs for sending and receiving.
  static func setPHY(_ adapter: UInt16, _ selected: UInt32) -> Self {
    Self(opcode: .setPHY, adapter: adapter, parameters: selected.littleEndianOctets)
  }

  /// Low Energy discovery, public and random addresses.
  static func startDiscovery(_ adapter: UInt16) -> Self {
    Self(opcode: .startDiscovery, adapter: adapter, parameters: [0x06])
  }

  static func stopDiscovery(_ adapter: UInt16) -> Self {
    Self(opcode: .stopDiscovery, adapter: adapter, parameters: [0x06])
  }

  /// nil for handle 0, which would remove all programs' monitors.
  static func removeMonitor(_ adapter: UInt16, handle: UInt16) -> Self? {
    guard handle != 0 else { return nil }
    return Self(opcode: .removeMonitor, adapter: adapter, parameters: handle.littleEndianOctets)
  }
}

/// Events of the management interface.
enum ManagementEvent {
  /// The answer to a command; parameters are empty if it failed.
  case answer(opcode: UInt16, status: ManagementStatus, parameters: Range<Int>)
  case adapterAdded
  case adapterRemoved
  case newSettings(UInt32)
  case monitorRemoved(handle: UInt16)
  case advertisingAdded(instance: UInt8)
  case advertisingRemoved(instance: UInt8)
  case other

  /// Event code, adapter index, length, parameters. nil if shorter than its stated length.
  static func parse(_ packet: Span<UInt8>) -> (adapter: UInt16, event: ManagementEvent)? {
    guard packet.count >= 6 else { return nil }
    let adapter = packet.littleEndian16(at: 2)
    let length = Int(packet.littleEndian16(at: 4))
    guard packet.count - 6 >= length else { return nil }
    switch (packet.littleEndian16(at: 0), length) {
    case (0x0001, 3...), (0x0002, 3...):
      let status = ManagementStatus(rawValue: packet[8])
      return (
        adapter, .answer(opcode: packet.littleEndian16(at: 6), status: status, parameters: 9..<6 + length)
      )
    case (0x0004, _): return (adapter, .adapterAdded)
    case (0x0005, _): return (adapter, .adapterRemoved)
    case (0x0006, 4...): return (adapter, .newSettings(packet.littleEndian32(at: 6)))
    case (0x0023, 1...): return (adapter, .advertisingAdded(instance: packet[6]))
    case (0x0024, 1...): return (adapter, .advertisingRemoved(instance: packet[6]))
    case (0x002C, 2...): return (adapter, .monitorRemoved(handle: packet.littleEndian16(at: 6)))
    default: return (adapter, .other)
    }
  }
}

struct ManagementStatus: RawRepresentable, Equatable, Sendable {
  var rawValue: UInt8

  static let success = Self(rawValue: 0x00)
  static let unknownCommand = Self(rawValue: 0x01)
  static let busy = Self(rawValue: 0x0A)
  static let notSupported = Self(rawValue: 0x0C)
  static let invalidParameters = Self(rawValue: 0x0D)
  static let blocked = Self(rawValue: 0x12)
  static let permissionDenied = Self(rawValue: 0x14)

  /// As text.
  var meaning: String {
    switch rawValue {
    case 0x00: "success"
    case 0x01: "the kernel does not know the command"
    case 0x03: "failed"
    case 0x07: "no resources left"
    case 0x0A: "busy"
    case 0x0B: "rejected"
    case 0x0C: "not supported"
    case 0x0D: "invalid parameters"
    case 0x0F: "not powered"
    case 0x11: "invalid index"
    case 0x12: "blocked by rfkill"
    case 0x14: "permission denied"
    default: "status \(rawValue)"
    }
  }
}
