import Beacons
import Core
import TestSupport

@testable import Radio

/// A kernel with one controller and tags around it, as a model in steps of 50 ms, with the keeper that is tried on it.
/// Faults are its variables.
struct ModelAdapter {
  var isHung = false
  var isMute = false
  var sendsEmptyReports = false
  /// Intervals of the tags in the air, in steps; each has its index as address.
  var tags: [Int] = []

  private(set) var stage: Stage
  private(set) var isPowered = true
  private(set) var isScanning = false
  private(set) var isSetUp = true
  private(set) var monitors: Set<UInt16> = []
  private(set) var health: ReceiverHealth?
  private(set) var notices: [String] = []
  /// When heavy steps were taken, in seconds.
  private(set) var heavySteps: [Double] = []
  private(set) var stepsOfOurs = 0
  private(set) var refusedToRemoveAll = true
  private var step = 0
  private var nextHandle: UInt16 = 1
  private var pending: [(at: Int, packet: [UInt8], isRaw: Bool)] = []

  var seconds: Double { Double(step) / 20 }

  init(policy: KeeperPolicy = KeeperPolicy()) {
    stage = Stage(policy)
    perform(stage.hear(ManagementPackets.list([0])))
    perform(stage.hear(ManagementPackets.information(0)))
    run(1)
    // How it hears is said once, at the start.
    notices = []
  }

  mutating func run(_ seconds: Double) {
    for _ in 0..<Int(seconds * 20) { advance() }
  }

  /// The seconds until something holds; nil: not within the limit.
  mutating func seconds(until holds: (Self) -> Bool, limit: Double = 30) -> Double? {
    let start = step
    while Double(step - start) / 20 <= limit {
      if holds(self) { return Double(step - start) / 20 }
      advance()
    }
    return nil
  }

  // MARK: What others do

  mutating func switchedByOthers(_ isOn: Bool) {
    guard isOn != isPowered, !(isOn && isHung) else { return }
    isPowered = isOn
    isScanning = isOn && !monitors.isEmpty
    isSetUp = true
    perform(stage.hear(ManagementPackets.settings(0, isOn ? 0x201 : 0x200)))
    if isOn, isScanning { raw(0x200C, [1, 0]) }
  }

  /// As `hciconfig hci0 reset` does.
  mutating func resetByOthers() {
    raw(HCICommand.Opcode.reset, [])
    isScanning = false
    isSetUp = false
  }

  mutating func scanStoppedByOthers() {
    raw(0x200C, [0, 0])
    isScanning = false
  }

  mutating func monitorsRemovedByOthers() {
    monitors = []
    scanStoppedByOthers()
    perform(stage.hear(ManagementPackets.monitorRemoved(0, handle: 0)))
  }

  // MARK: Time

  private mutating func advance() {
    step += 1
    stage.now = stage.now + .milliseconds(50)
    let due = pending.filter { $0.at <= step }
    pending.removeAll { $0.at <= step }
    for (_, packet, isRaw) in due {
      if isRaw { stage.overhear(packet) } else { perform(stage.hear(packet)) }
    }
    if isPowered, isScanning, isSetUp, !isHung, !isMute {
      for (tag, interval) in tags.enumerated() where (step + tag) % interval == 0 {
        stage.report(from: UInt64(tag + 1), bytes: sendsEmptyReports ? 0 : 7)
      }
    }
    if stage.keeper.deadline <= stage.now { perform(stage.keeper.advance(to: stage.now)) }
    precondition(stage.keeper.deadline > stage.now, "it would never sleep")
  }

  private mutating func perform(_ actions: [KeeperAction]) {
    for action in actions {
      switch action {
      case .send(let command): obey(command)
      case .command(_, let command):
        if command == .reset { heavySteps.append(seconds) }
        guard isPowered, !isHung else { continue }
        if command == .reset { (isScanning, isSetUp) = (false, false) }
        answer(RawPackets.complete(command.opcode), isRaw: true)
      case .health(_, let new, _): health = new
      case .notice(let text): notices.append(text)
      case .recovery: stepsOfOurs += 1
      case .inspectBlock: perform(stage.keeper.inspected(false, of: 0, at: stage.now))
      case .attach, .detach, .listed, .unblock, .resetUSB, .seekBluetoothd, .discover, .broadcast: break
      }
    }
  }

  private mutating func obey(_ command: ManagementCommand) {
    switch command.opcode {
    case .addPatternMonitor:
      monitors.insert(nextHandle)
      answer(ManagementPackets.added(0, handle: nextHandle))
      nextHandle += 1
      scanAnew()
    case .removeMonitor:
      let handle = command.parameters.span.littleEndian16(at: 0)
      if handle == 0 { refusedToRemoveAll = false }
      monitors.remove(handle)
      answer(ManagementPackets.complete(.removeMonitor, 0, command.parameters))
      if monitors.isEmpty, !isHung { scanStoppedByOthers() }
    case .setPowered:
      if command.parameters == [0] { heavySteps.append(seconds) }
      guard !isHung else {
        (isPowered, isScanning) = (false, false)
        answer(ManagementPackets.refuse(.setPowered, 0, status: 3), after: 80)
        return
      }
      isPowered = command.parameters == [1]
      isScanning = false
      isSetUp = true
      answer(
        ManagementPackets.complete(.setPowered, 0, EventBytes.little(UInt32(isPowered ? 0x201 : 0x200))))
      if isPowered { scanAnew() }
    case .startDiscovery:
      answer(ManagementPackets.complete(.startDiscovery, 0, [6]))
      scanAnew()
    default: break
    }
  }

  private mutating func scanAnew() {
    guard isPowered, !isHung, !monitors.isEmpty else { return }
    isScanning = true
    raw(0x200C, [1, 0])
  }

  private mutating func raw(_ opcode: UInt16, _ parameters: [UInt8]) {
    guard !isHung else { return }
    answer(RawPackets.command(opcode, parameters), isRaw: true)
    answer(RawPackets.complete(opcode), isRaw: true)
  }

  private mutating func answer(_ packet: [UInt8], after steps: Int = 1, isRaw: Bool = false) {
    pending.append((step + steps, packet, isRaw))
  }
}

extension ModelAdapter: CustomStringConvertible {
  var description: String {
    "at \(seconds) s: health \(health?.rawValue ?? "unknown"), powered \(isPowered), scanning \(isScanning), "
      + "heavy steps at \(heavySteps), said: \(notices.suffix(6))"
  }
}
