import Core

/// Advertising instances of the kernel's (BlueZ doc/mgmt-api.txt; parameters little endian).
extension ManagementCommand {
  /// Bits of an instance's flags, and of those that an adapter supports.
  enum AdvertisingFlag {
    static let connectable: UInt32 = 1 << 0
    /// The controller has advertising sets of its own (extended advertising), so instances need not take turns.
    static let secondaryPHY: UInt32 = 1 << 7
    static let duration: UInt32 = 1 << 12
    static let timeout: UInt32 = 1 << 13
    static let intervals: UInt32 = 1 << 14
  }

  /// As Apple requires of beacons: 100 ms, in units of 0.625 ms.
  static let advertisingInterval: UInt32 = 160

  static func readAdvertisingFeatures(_ adapter: UInt16) -> Self {
    Self(opcode: .readAdvertisingFeatures, adapter: adapter)
  }

  /// Instance 1, flags 4, duration 2 (the length of its turn if instances take turns, s), timeout 2 (s, then the kernel removes
  /// it), least and greatest interval 4 each, power 1 (127: any).
  static func addAdvertisingParameters(
    _ adapter: UInt16, instance: UInt8, timeout: UInt16, isConnectable: Bool
  ) -> Self {
    var parameters: [UInt8] = [instance]
    let flags = AdvertisingFlag.duration | AdvertisingFlag.timeout | AdvertisingFlag.intervals
    parameters.append(littleEndian: isConnectable ? flags | AdvertisingFlag.connectable : flags)
    parameters.append(littleEndian: timeout)
    parameters.append(littleEndian: timeout)
    parameters.append(littleEndian: advertisingInterval)
    parameters.append(littleEndian: advertisingInterval)
    parameters.append(127)
    return Self(opcode: .addAdvertisingParameters, adapter: adapter, parameters: parameters)
  }

  /// Instance 1, length of the data 1, of the scan response 1, data. This puts it on air.
  static func addAdvertisingData(_ adapter: UInt16, instance: UInt8, _ data: [UInt8]) -> Self {
    let length = UInt8(truncatingIfNeeded: data.count)
    return Self(opcode: .addAdvertisingData, adapter: adapter, parameters: [instance, length, 0] + data)
  }

  /// nil for instance 0, which would remove all programs' instances.
  static func removeAdvertising(_ adapter: UInt16, instance: UInt8) -> Self? {
    guard instance != 0 else { return nil }
    return Self(opcode: .removeAdvertising, adapter: adapter, parameters: [instance])
  }
}
