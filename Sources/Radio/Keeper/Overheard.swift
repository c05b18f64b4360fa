import Core

/// The state of a controller, derived from the commands of the kernel and other programs and the answers on its raw socket.
/// There is no other way to know whether it really scans.
struct Overheard {
  /// nil: unknown, because it began before we listened.
  private(set) var isScanning: Bool?
  /// Since when `isScanning` has its value.
  private(set) var scanChanged: MonotonicTime
  /// Whether it reports only devices on the kernel's accept list.
  private(set) var usesAcceptList = false
  private(set) var acceptListChanged: MonotonicTime
  /// Most controllers do not scan while they connect.
  private(set) var connectingSince: MonotonicTime?
  /// When it was reset, if it has not been set up again: it reports nothing to the host.
  private(set) var resetAt: MonotonicTime?
  private(set) var hardwareErrorAt: MonotonicTime?

  /// A command that was not answered yet.
  private var askedToScan: Bool?
  private var askedForAcceptList: Bool?

  init(at time: MonotonicTime) {
    scanChanged = time
    acceptListChanged = time
  }

  /// An advertising report proves that the controller scans and that its packets reach us, if it came later than the last
  /// change. (Reports and other packets are delivered separately.)
  mutating func noteReport(at time: MonotonicTime) {
    if let reset = resetAt, time > reset { resetAt = nil }
    if let since = connectingSince, time > since { connectingSince = nil }
    if isScanning == false, time > scanChanged { setScanning(nil, time) }
  }

  /// Processes a command of any program, from the opcode on.
  mutating func command(_ bytes: Span<UInt8>, at time: MonotonicTime) {
    guard bytes.count >= 3 else { return }
    switch bytes.littleEndian16(at: 0) {
    case HCICommand.Opcode.setScanEnable, HCICommand.Opcode.setExtendedScanEnable:
      if bytes.count >= 4 { askedToScan = bytes[3] != 0 }
    case HCICommand.Opcode.setScanParameters:
      // Type 1, interval 2, window 2, own address type 1, filter policy 1.
      if bytes.count >= 10 { askedForAcceptList = bytes[9] & 1 != 0 }
    case HCICommand.Opcode.setExtendedScanParameters:
      // Own address type 1, filter policy 1, …
      if bytes.count >= 5 { askedForAcceptList = bytes[4] & 1 != 0 }
    case HCICommand.Opcode.createConnection, HCICommand.Opcode.extendedCreateConnection:
      connectingSince = time
    case HCICommand.Opcode.cancelConnection: connectingSince = nil
    case HCICommand.Opcode.setEventMask: resetAt = nil
    default: break
    }
  }

  /// Processes an answer: Command Complete (0x0E: length 1, commands 1, opcode 2, status 1) or Command Status (0x0F: length 1,
  /// status 1, commands 1, opcode 2); from the event code on. False if it is truncated.
  mutating func answer(_ event: Span<UInt8>, at time: MonotonicTime) -> Bool {
    guard event.count >= 6 else { return event.count >= 5 }
    let isComplete = event[0] == 0x0E
    let opcode = event.littleEndian16(at: isComplete ? 3 : 4)
    let isSuccess = event[isComplete ? 5 : 2] == 0
    switch opcode {
    case HCICommand.Opcode.setScanEnable, HCICommand.Opcode.setExtendedScanEnable:
      if isSuccess, let askedToScan { setScanning(askedToScan, time) }
      askedToScan = nil
    case HCICommand.Opcode.setScanParameters, HCICommand.Opcode.setExtendedScanParameters:
      if isSuccess, let asked = askedForAcceptList, asked != usesAcceptList {
        usesAcceptList = asked
        acceptListChanged = time
      }
      askedForAcceptList = nil
    case HCICommand.Opcode.createConnection, HCICommand.Opcode.extendedCreateConnection:
      if !isSuccess { connectingSince = nil }
    case HCICommand.Opcode.reset:
      guard isSuccess else { break }
      setScanning(false, time)
      usesAcceptList = false
      connectingSince = nil
      resetAt = time
    default: break
    }
    return true
  }

  /// LE Connection Complete, plain or enhanced.
  mutating func connected() { connectingSince = nil }

  mutating func hardwareError(at time: MonotonicTime) { hardwareErrorAt = time }

  /// The kernel has set up the controller again.
  mutating func poweredOn(at time: MonotonicTime) {
    resetAt = nil
    connectingSince = nil
    hardwareErrorAt = nil
    if isScanning == false { scanChanged = time }
  }

  mutating func poweredOff(at time: MonotonicTime) {
    setScanning(false, time)
    usesAcceptList = false
    connectingSince = nil
  }

  private mutating func setScanning(_ new: Bool?, _ time: MonotonicTime) {
    if new != isScanning { scanChanged = time }
    isScanning = new
  }
}
