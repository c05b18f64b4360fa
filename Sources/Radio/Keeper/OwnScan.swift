import Beacons
import Core

/// A scan of our own, by commands to the controller, if the kernel refuses a monitor and there is no bluetoothd. A pure state
/// machine. It never stops another program's scan.
struct OwnScan {
  private enum Phase: Equatable {
    case idle
    /// Reading the controller's capabilities.
    case learning
    case setting
    case enabling
    case on
    /// Another program is scanning, which serves us as well.
    case yielding
  }

  /// The pause between two attempts.
  static let retry = TimeSpan.seconds(1)
  private static let disallowed: UInt8 = 0x0C

  private let duty: ScanDuty
  private var phase = Phase.idle
  private var usesExtended: Bool?
  private var hearsCoded = false
  private(set) var deadline: MonotonicTime

  /// Ours, or another program's.
  var isRunning: Bool { phase == .on || phase == .yielding }

  init(_ duty: ScanDuty, at time: MonotonicTime) {
    self.duty = duty
    deadline = time
  }

  /// - Parameter isScanning: the controller's state, if known.
  mutating func advance(to time: MonotonicTime, isScanning: Bool?) -> [HCICommand] {
    guard deadline <= time else { return [] }
    deadline = time + Self.retry
    if isRunning, isScanning != false { return [] }
    return begin()
  }

  /// Stops and restarts our scan.
  mutating func renew(at time: MonotonicTime) -> [HCICommand] {
    deadline = time + Self.retry
    return stop() + begin()
  }

  /// Called at the end, and before the parameters are set again.
  mutating func stop() -> [HCICommand] {
    guard phase == .on else { return [] }
    phase = .idle
    return [enabling(false)]
  }

  /// Processes another program's command.
  mutating func overhear(_ opcode: UInt16) {
    let steersScan = [HCICommand.Opcode.setScanEnable, HCICommand.Opcode.setExtendedScanEnable].contains(
      opcode)
    if steersScan, phase != .idle { phase = .yielding }
  }

  /// Processes an answer, perhaps to one of our commands; with the return parameters after the status.
  mutating func answered(_ opcode: UInt16, status: UInt8, _ parameters: Span<UInt8>) -> [HCICommand] {
    switch (phase, opcode) {
    case (.learning, HCICommand.Opcode.readCommands):
      usesExtended = status == 0 && parameters.count > 37 && parameters[37] & 0x60 == 0x60
      return [HCICommand(opcode: HCICommand.Opcode.readFeatures)]
    case (.learning, HCICommand.Opcode.readFeatures):
      hearsCoded = status == 0 && parameters.count > 1 && parameters[1] & 0x08 != 0
      return begin()
    case (.setting, HCICommand.Opcode.setScanParameters),
      (.setting, HCICommand.Opcode.setExtendedScanParameters):
      // Refused while any scan is running, ours or another program's.
      phase = status == 0 ? .enabling : status == Self.disallowed ? .yielding : .idle
      return status == 0 ? [enabling(true)] : []
    case (.enabling, HCICommand.Opcode.setScanEnable), (.enabling, HCICommand.Opcode.setExtendedScanEnable):
      phase = status == 0 ? .on : status == Self.disallowed ? .yielding : .idle
      return []
    default: return []
    }
  }

  private mutating func begin() -> [HCICommand] {
    guard let usesExtended else {
      phase = .learning
      return [HCICommand(opcode: HCICommand.Opcode.readCommands)]
    }
    phase = .setting
    let timing = duty.interval.littleEndianOctets + duty.window.littleEndianOctets
    // Passive; own address public, which a passive scan does not use; all devices are reported.
    guard usesExtended else {
      return [HCICommand(opcode: HCICommand.Opcode.setScanParameters, parameters: [0] + timing + [0, 0])]
    }
    let physical: [UInt8] =
      hearsCoded ? [0, 0, 0x05] + [0] + timing + [0] + timing : [0, 0, 0x01] + [0] + timing
    return [HCICommand(opcode: HCICommand.Opcode.setExtendedScanParameters, parameters: physical)]
  }

  /// Without the filter for duplicates, which would hide every advertisement but the first.
  private func enabling(_ isOn: Bool) -> HCICommand {
    usesExtended == true
      ? HCICommand(
        opcode: HCICommand.Opcode.setExtendedScanEnable, parameters: [isOn ? 1 : 0, 0, 0, 0, 0, 0])
      : HCICommand(opcode: HCICommand.Opcode.setScanEnable, parameters: [isOn ? 1 : 0, 0])
  }
}

/// How much of the time the radio listens.
package enum ScanDuty: Sendable {
  /// Always: 60 of 60 ms.
  case full
  /// Half the time, as the kernel does by default: 30 of 60 ms.
  case balanced
  /// A quarter of the time, for boards where Bluetooth and Wi-Fi share an antenna: 25 of 100 ms.
  case wifiFriendly

  /// From the start of one window to the next, in units of 0.625 ms (Core Specification, Vol 4, Part E, 7.8.10).
  var interval: UInt16 { self == .wifiFriendly ? 0xA0 : 0x60 }
  /// How long it listens, in units of 0.625 ms.
  var window: UInt16 {
    switch self {
    case .full: 0x60
    case .balanced: 0x30
    case .wifiFriendly: 0x28
    }
  }
}

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
