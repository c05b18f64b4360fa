import Beacons
import Core

/// Keeps one adapter receiving. A pure state machine: packets and time go in, actions come out. It maintains two things: the
/// adapter's power, and a management pattern monitor, which makes the kernel scan passively, also after every power-on.
struct AdapterKeeper {
  /// The kernel usually answers at once; after this time the question is repeated.
  static let patience = TimeSpan.seconds(5)
  /// If a controller hangs, the kernel waits 2 s for each of many commands before it answers.
  static let powerPatience = TimeSpan.seconds(20)
  /// The pause between two checks of rfkill while it blocks.
  static let blockInterval = TimeSpan.seconds(1)
  /// How long the state stays `lossy` after the last loss.
  static let lossShown = TimeSpan.seconds(5)
  /// An adapter that goes down this soon after a hardware error was not switched off by a person.
  static let aftermath = TimeSpan.seconds(10)

  enum Power: Equatable {
    /// Its description was requested.
    case asking
    case on
    /// Another program or a person switched it off; it stays off.
    case off
    case blocked
    case turningOn
    /// Switched off by us, to be switched on again at once.
    case turningOff
  }

  enum Monitor: Equatable {
    case none
    case adding
    case added(handle: UInt16)
    /// Our monitor is being removed, to be added again.
    case removing(handle: UInt16)
    /// The kernel refused; the reason was reported.
    case refused
  }

  let index: UInt16
  let policy: KeeperPolicy
  var info: AdapterInfo?
  var power = Power.asking
  var powerDeadline: MonotonicTime
  var powerTries = 0
  var monitor = Monitor.none
  var monitorDeadline = MonotonicTime.distantFuture
  var monitorTries = 0
  var substitute = Substitute.none
  var substituteDeadline = MonotonicTime.distantFuture
  var hearing: AdapterHearing
  var recovery = Recovery()
  /// Whether the kernel refused a command for lack of CAP_NET_ADMIN.
  var lacksAdmin = false
  var isStopping = false
  var hasToldPath = false
  /// There is no raw socket: the adapter receives only what bluetoothd forwards.
  private(set) var hearsByBusOnly = false
  var lacksBluetoothd = false
  /// The PHYs that were selected before we added one.
  var formerPHY: UInt32?
  /// Since when nothing of ours keeps it scanning; nil: something does.
  private var unkeptSince: MonotonicTime?
  private var lost: Int64 = 0
  private var lossShownUntil: MonotonicTime?
  private var told: ReceiverHealth?
  private var toldReason = ""
  /// Why it is off, as far as that is known.
  var powerReason = ""

  init(_ index: UInt16, _ policy: KeeperPolicy, at time: MonotonicTime) {
    self.index = index
    self.policy = policy
    powerDeadline = time
    hearing = AdapterHearing(at: time)
  }

  /// Its usual name.
  var name: String { info?.kernelName ?? "hci\(index)" }

  var deadline: MonotonicTime {
    min(
      powerDeadline, monitorDeadline, substituteDeadline,
      info != nil && power == .on ? hearing.deadline : .distantFuture)
  }

  /// Whether our monitor still has to be removed.
  var isLeaving: Bool {
    switch monitor {
    case .adding, .removing: true
    case .none, .added, .refused: false
    }
  }

  mutating func ask(at time: MonotonicTime) -> [KeeperAction] {
    power = .asking
    powerDeadline = time + Self.patience
    return [.send(ManagementCommand(opcode: .readInformation, adapter: index))]
  }

  /// Its socket died. Unless the kernel reports the adapter's removal, it is opened again after a moment.
  mutating func socketDied(at time: MonotonicTime) {
    guard !isStopping else { return }
    info = nil
    power = .asking
    powerDeadline = time + Self.patience
    hearing = AdapterHearing(at: time)
    told = nil
  }

  /// There is no raw socket for it. bluetoothd is needed, whatever the kernel answers about a monitor.
  mutating func hearByBusOnly() {
    hearsByBusOnly = true
    monitorDeadline = .zero
    told = nil
  }

  mutating func advance(to time: MonotonicTime) -> [KeeperAction] {
    var actions: [KeeperAction] = []
    if powerDeadline <= time { actions += powerIsDue(at: time) }
    if monitorDeadline <= time { actions += monitorIsDue(at: time) }
    if substituteDeadline <= time { actions += substituteIsDue(at: time) }
    guard !isStopping, info != nil else { return actions }
    if power == .on, hearing.deadline <= time {
      if hearing.advance(to: time, canAsk: !hearsByBusOnly) {
        actions.append(.command(adapter: index, .probe))
      }
      actions += recover(at: time)
    }
    return actions + tellHealth(at: time)
  }

  /// Processes the description of an adapter that is wanted.
  mutating func described(_ info: AdapterInfo, at time: MonotonicTime) -> [KeeperAction] {
    self.info = info
    var actions: [KeeperAction] = [.attach(info), .send(.setScan(policy.duty, of: index))]
    if info.isPowered {
      actions += switchedOn(at: time)
    } else if policy.mayPowerOn {
      actions += powerOn(at: time)
    } else {
      actions += foundOff()
    }
    return actions + tellHealth(at: time)
  }

  /// Processes the advertisements in this range of the batch.
  ///
  /// - Parameter ownPayloads: the payloads that our adapters broadcast.
  mutating func heard(_ batch: borrowing AdvertisementBatch, _ range: Range<Int>, ownPayloads: [[UInt8]]) {
    batch.forEach(in: range) { advertisement, payload in
      // Our own broadcasts are not counted as senders: their addresses change with every turn, and they never leave.
      let isOwn = ownPayloads.contains { own in
        own.count == payload.count && payload.indices.allSatisfy { own[$0] == payload[$0] }
      }
      hearing.report(
        from: isOwn ? 0 : advertisement.address.bits,
        isEmpty: payload.isEmpty && !advertisement.isScanResponse && !hearsByBusOnly,
        hasData: !payload.isEmpty, at: advertisement.time)
    }
  }

  mutating func stop(at time: MonotonicTime) -> [KeeperAction] {
    isStopping = true
    powerDeadline = .distantFuture
    monitorDeadline = .distantFuture
    return restorePHY() + endSubstitute() + removeMonitor(at: time)
  }

  /// The total number of packets that the kernel has dropped from its socket.
  mutating func noteLost(_ total: Int64, at time: MonotonicTime) -> [KeeperAction] {
    guard total > lost else { return [] }
    lost = total
    lossShownUntil = time + Self.lossShown
    return tellHealth(at: time)
  }

  // MARK: Health

  /// Its health for publication; nil while nothing is known.
  private func health(at time: MonotonicTime) -> (ReceiverHealth, String)? {
    switch power {
    case .asking: return nil
    case .off, .blocked, .turningOff: return (.deaf, powerReason)
    case .turningOn: return powerReason.isEmpty ? nil : (.deaf, powerReason)
    case .on: break
    }
    if hearsByBusOnly, lacksBluetoothd {
      return (.deaf, "bluetoothd is not running, and it hears only through bluetoothd")
    }
    let state = hearing.state(at: time)
    // After it was blind, a proof is needed that it works again.
    if told?.isBlind == true, !hearsByBusOnly, !hearing.isProved, state == .ok { return nil }
    switch state {
    case .deaf(let deafness): return (.deaf, deafness.reason)
    case .empty: return (.empty, "reports arrive empty")
    case .ok, .quiet:
      // A controller that responds receives nothing while it is not scanning.
      let hears = state == .ok ? hearing.isProved : hearing.overheard.isScanning == true
      if let unkeptSince, !hears {
        if time - unkeptSince >= Self.patience { return (.deaf, unkeptReason) }
        if hearsByBusOnly { return nil }
      }
      if let lossShownUntil, time < lossShownUntil {
        return (.lossy, "advertisements arrive faster than they are read; \(lost) lost so far")
      }
      if hearsByBusOnly {
        return (state == .quiet ? .quiet : .ok, "degraded: hears only what bluetoothd passes on")
      }
      return state == .quiet ? (.quiet, "hears nobody; the controller responds") : (.ok, "")
    }
  }

  private var isKeptScanning: Bool {
    switch monitor {
    case .added, .removing: true
    case .none, .adding: false
    case .refused:
      switch substitute {
      case .none: false
      case .discovery(let isOn, _): isOn
      case .ownScan(let scan): scan.isRunning
      }
    }
  }

  private var unkeptReason: String {
    switch substitute {
    case .discovery: "nothing keeps it scanning: bluetoothd does not discover although it was asked to"
    case .ownScan: "nothing keeps it scanning: the controller does not begin the scan that it was asked for"
    case .none where monitor == .refused: "nothing keeps it scanning: the system bus does not answer"
    case .none: "nothing keeps it scanning: the kernel did not accept a monitor yet"
    }
  }

  mutating func tellHealth(at time: MonotonicTime) -> [KeeperAction] {
    unkeptSince = power != .on || isKeptScanning ? nil : unkeptSince ?? time
    guard !isStopping, let (health, reason) = health(at: time) else { return [] }
    // The number of lost packets changes all the time and is published separately.
    guard health != told || (reason != toldReason && health != .lossy) else { return [] }
    told = health
    toldReason = reason
    return [.health(adapter: index, health, reason: reason)]
  }
}

extension AdapterKeeper {
  /// Checks whether the adapter receives, and takes the next recovery step if not.
  mutating func recover(at time: MonotonicTime) -> [KeeperAction] {
    if hearing.hasReturned {
      hearing.hasReturned = false
      return [.notice("\(name) responds again; restarting its scan")] + renewMonitor(at: time)
    }
    let state = hearing.state(at: time)
    switch state {
    case .ok:
      if hearing.isProved { recovery.sound(at: time) }
      return []
    case .quiet:
      recovery.sound(at: time)
      return []
    case .empty, .deaf: break
    }
    switch recovery.advise(state, at: time) {
    case nil: return []
    case .perform(let step):
      let actions = perform(step, against: state, at: time)
      return actions.isEmpty ? [] : [.recovery(adapter: index)] + actions
    case .budgetSpent:
      return [
        .notice(
          "\(name) is still deaf (\(words(state))), but was switched off and on \(Recovery.budget) times within "
            + "an hour, which is the limit")
      ]
    case .exhausted(let until):
      if case .deaf(.fellSilent) = state {
        hearing.acquit()
        return [.notice("\(name): nothing is wrong with the controller; everyone has left")]
      }
      let minutes = Int(((until - time).seconds / 60).rounded())
      return [
        .notice(
          "\(name) is still deaf (\(words(state))) after all recovery steps; trying again in \(minutes) min. "
            + "If it is a USB adapter, unplug it and plug it in again")
      ]
    }
  }

  private func words(_ state: HearingState) -> String {
    switch state {
    case .deaf(let deafness): deafness.reason
    case .empty: "its reports are empty"
    case .ok, .quiet: "nothing is wrong"
    }
  }

  private mutating func perform(
    _ step: Recovery.Step, against state: HearingState, at time: MonotonicTime
  ) -> [KeeperAction] {
    let why = words(state)
    func note(_ what: String) -> KeeperAction { .notice("\(name) is deaf (\(why)): \(what)") }
    switch step {
    case .renewScan:
      let actions = renewMonitor(at: time)
      return actions.isEmpty ? [] : [note("restarting its scan")] + actions
    case .restartScan:
      guard !lacksAdmin else { return [] }
      return [note("restarting its scan with a moment of discovery"), .send(.startDiscovery(index))]
    case .powerCycle:
      guard !lacksAdmin else {
        return [note("switching it off and on needs CAP_NET_ADMIN; \(RadioError.grant)")]
      }
      return [note("switching it off and on")] + powerCycle(because: why, at: time)
    case .reset:
      guard !lacksAdmin else { return [] }
      return [note("resetting it, then switching it off and on"), .command(adapter: index, .reset)]
        + powerCycle(because: why, at: time)
    case .resetUSB:
      return [note("resetting its USB device, if it has one"), .resetUSB(adapter: index)]
    }
  }

  /// Our brief discovery began, and nothing more is needed.
  mutating func discoveryAnswered(_ status: ManagementStatus) -> [KeeperAction] {
    status == .success ? [.send(.stopDiscovery(index))] : []
  }
}

/// Long range: if the controller has the coded PHY, the kernel scans on it once it is among the PHYs for receiving. That is a
/// setting of the adapter, so it is restored at the end.
extension AdapterKeeper {
  /// The bit of LE Coded RX in the management interface.
  private static let coded: UInt32 = 1 << 14

  /// Read after each power-on: Linux 6.12 then begins with its own choice of PHYs, Linux 6.1 keeps ours.
  var readPHY: KeeperAction { .send(ManagementCommand(opcode: .readPHY, adapter: index)) }

  /// Supported, configurable and selected PHYs, 4 bytes each.
  mutating func learnedPHY(_ reply: Span<UInt8>) -> [KeeperAction] {
    guard !isStopping, reply.count >= 12 else { return [] }
    let configurable = reply.littleEndian32(at: 4)
    let selected = reply.littleEndian32(at: 8)
    guard configurable & Self.coded != 0, selected & Self.coded == 0 else { return [] }
    formerPHY = formerPHY ?? selected
    return [.send(.setPHY(index, selected | Self.coded))]
  }

  /// The running scan began without it.
  mutating func changedPHY(_ status: ManagementStatus, at time: MonotonicTime) -> [KeeperAction] {
    guard status == .success else {
      formerPHY = nil
      return []
    }
    return isStopping ? [] : renewMonitor(at: time)
  }

  mutating func restorePHY() -> [KeeperAction] {
    defer { formerPHY = nil }
    return formerPHY.map { [.send(.setPHY(index, $0))] } ?? []
  }
}
