import Beacons

/// Commands to a controller from the kernel and other programs, and its answers, overheard on its raw socket: the only way to
/// know whether it really scans.
struct Overheard {
  /// nil: unknown, because it began before we listened.
  private(set) var isScanning: Bool?
  /// Since when that is so.
  private(set) var scanChanged: MonotonicTime
  /// Whether it reports only devices that the kernel waits for.
  private(set) var usesAcceptList = false
  private(set) var acceptListChanged: MonotonicTime
  /// Most controllers do not scan while they connect.
  private(set) var connectingSince: MonotonicTime?
  /// It was reset and has not been set up again: it reports nothing to the host.
  private(set) var resetAt: MonotonicTime?
  private(set) var hardwareErrorAt: MonotonicTime?

  /// Asked for, and not answered yet.
  private var askedToScan: Bool?
  private var askedForAcceptList: Bool?

  init(at time: MonotonicTime) {
    scanChanged = time
    acceptListChanged = time
  }

  /// An advertising report proves that it scans, and that what it sends reaches us; if it came later, for reports and the
  /// rest are handed over apart.
  mutating func noteReport(at time: MonotonicTime) {
    if let reset = resetAt, time > reset { resetAt = nil }
    if let since = connectingSince, time > since { connectingSince = nil }
    if isScanning == false, time > scanChanged { setScanning(nil, time) }
  }

  /// A command that somebody sends; from the opcode on.
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

  /// An answer: Command Complete (0x0E: length 1, commands 1, opcode 2, status 1) or Command Status (0x0F: length 1,
  /// status 1, commands 1, opcode 2); from the event code on. False where it is cut short.
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

  /// The controller was set up anew by the kernel.
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
