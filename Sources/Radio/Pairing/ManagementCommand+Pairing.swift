import Beacons
import Core

/// Pairing (BlueZ doc/mgmt-api.txt; an address is 6 octets and its type, 1 public or 2 random).
extension ManagementCommand {
  /// Sets something on or off that takes one octet.
  static func set(_ opcode: Opcode, of adapter: UInt16, to value: UInt8) -> Self {
    Self(opcode: opcode, adapter: adapter, parameters: [value])
  }

  /// No keys. It lets the kernel ask devices for their identity resolving keys, and forgets those it had.
  static func loadNoResolvingKeys(_ adapter: UInt16) -> Self {
    Self(opcode: .loadResolvingKeys, adapter: adapter, parameters: [0, 0])
  }

  /// On a connection that the device began, this asks it to pair.
  static func pair(_ adapter: UInt16, _ device: DeviceAddress) -> Self {
    Self(opcode: .pairDevice, adapter: adapter, parameters: octets(of: device) + [Pairing.displayYesNo])
  }

  static func confirm(_ adapter: UInt16, _ device: DeviceAddress, _ isAgreed: Bool) -> Self {
    Self(
      opcode: isAgreed ? .confirmNumber : .refuseNumber, adapter: adapter, parameters: octets(of: device))
  }

  static func refusePasskey(_ adapter: UInt16, _ device: DeviceAddress) -> Self {
    Self(opcode: .refusePasskey, adapter: adapter, parameters: octets(of: device))
  }

  /// Removes the bond, and disconnects.
  static func unpair(_ adapter: UInt16, _ device: DeviceAddress) -> Self {
    Self(opcode: .unpairDevice, adapter: adapter, parameters: octets(of: device) + [1])
  }

  static func disconnect(_ adapter: UInt16, _ device: DeviceAddress) -> Self {
    Self(opcode: .disconnect, adapter: adapter, parameters: octets(of: device))
  }

  /// Puts an instance on air that devices can connect to. Instance 1, flags 4, duration 2, timeout 2 (s, then the kernel
  /// removes it), length of the data 1, of the scan response 1, data.
  static func advertiseConnectably(_ adapter: UInt16, instance: UInt8, timeout: UInt16, _ data: [UInt8])
    -> Self
  {
    var parameters: [UInt8] = [instance]
    parameters.append(littleEndian: AdvertisingFlag.connectable)
    parameters.append(littleEndian: timeout)
    parameters.append(littleEndian: timeout)
    parameters += [UInt8(truncatingIfNeeded: data.count), 0]
    return Self(opcode: .addAdvertising, adapter: adapter, parameters: parameters + data)
  }

  private static func octets(of device: DeviceAddress) -> [UInt8] {
    device.bits.littleEndianOctets.prefix(6) + [device.kind == .public ? 1 : 2]
  }
}

/// Events of the management interface about pairing.
enum PairingEvent: Equatable {
  case connected(DeviceAddress, isOurs: Bool)
  case disconnected(DeviceAddress)
  /// nil: the device cannot show a number.
  case asksToConfirm(DeviceAddress, number: UInt32?)
  case asksForPasskey(DeviceAddress)
  case showsPasskey(DeviceAddress, UInt32)
  case failed(DeviceAddress, ManagementStatus)
  /// `address`: the one that it connected with. `key`: the least significant octet first.
  case newResolvingKey(address: DeviceAddress, identity: DeviceAddress, key: [UInt8])
  case newLongTermKey(DeviceAddress)
  /// The end of our request to pair.
  case answered(DeviceAddress, ManagementStatus)

  static func parse(_ packet: Span<UInt8>, adapter: UInt16) -> Self? {
    guard packet.count >= 6, packet.littleEndian16(at: 2) == adapter,
      packet.count - 6 >= Int(packet.littleEndian16(at: 4))
    else { return nil }
    let code = packet.littleEndian16(at: 0)
    let body = packet.extracting(6..<6 + Int(packet.littleEndian16(at: 4)))
    switch (code, body.count) {
    // Address 7, flags 4: bit 3 says that this machine began it.
    case (0x000B, 11...): return device(body, 0).map { .connected($0, isOurs: body[7] & 0x08 != 0) }
    case (0x000C, 7...): return device(body, 0).map { .disconnected($0) }
    // Address 7, hint 1 (only whether to pair at all), number 4.
    case (0x000F, 12...):
      return device(body, 0).map {
        .asksToConfirm($0, number: body[7] == 0 ? body.littleEndian32(at: 8) : nil)
      }
    case (0x0010, 7...): return device(body, 0).map { .asksForPasskey($0) }
    case (0x0017, 11...): return device(body, 0).map { .showsPasskey($0, body.littleEndian32(at: 7)) }
    case (0x0011, 8...):
      return device(body, 0).map { .failed($0, ManagementStatus(rawValue: body[7])) }
    // Store hint 1, the address now 6, identity 7, key 16.
    case (0x0018, 30...):
      let now = DeviceAddress(bits: body.littleEndian48(at: 1), kind: .random)
      return device(body, 7).map {
        .newResolvingKey(
          address: now.bits == 0 ? $0 : now, identity: $0, key: (14..<30).map { body[$0] })
      }
    case (0x000A, 8...): return device(body, 1).map { .newLongTermKey($0) }
    // Opcode 2, status 1, address 7.
    case (0x0001, 10...) where body.littleEndian16(at: 0) == ManagementCommand.Opcode.pairDevice.rawValue:
      return device(body, 3).map { .answered($0, ManagementStatus(rawValue: body[2])) }
    default: return nil
    }
  }

  /// nil for a device that is not a Low Energy one.
  private static func device(_ body: Span<UInt8>, _ offset: Int) -> DeviceAddress? {
    switch body[offset + 6] {
    case 1: DeviceAddress(bits: body.littleEndian48(at: offset), kind: .public)
    case 2: DeviceAddress(bits: body.littleEndian48(at: offset), kind: .random)
    default: nil
    }
  }
}
