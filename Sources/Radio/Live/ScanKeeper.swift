import Beacons

/// Keeps every wanted adapter scanning passively by a management pattern monitor, as a pure state machine:
/// packets and time go in, commands and news come out.
///
/// A monitor beats a scan of one's own: the kernel re-arms it at power-on, it does not filter duplicates, and
/// it does not quarrel with other programs' discovery.
struct ScanKeeper {
  enum Action: Equatable {
    case send(ManagementCommand)
    /// Open a raw socket on it.
    case attach(AdapterInfo)
    case detach(adapter: UInt16)
    case health(adapter: UInt16, ReceiverHealth, reason: String)
    /// Something a person should know; said once.
    case notice(String)
    /// The adapters there are at start are known; none may be wanted.
    case listed(wanted: Int)
  }

  /// The kernel answers at once; after this long the question is asked again.
  static let patience = TimeSpan.seconds(5)
  static let shortestRetry = TimeSpan.seconds(1)
  static let longestRetry = TimeSpan.seconds(30)
  /// With nothing heard for so long the monitor is renewed, which costs nothing when it is merely quiet.
  static let silence = TimeSpan.seconds(60)
  static let longestSilence = TimeSpan.seconds(600)

  private enum Phase: Equatable {
    case asking
    /// Off, and left so.
    case off
    case poweringOn
    case adding
    case keeping(handle: UInt16)
    /// Ours is being removed to be added again.
    case renewing
    /// Nothing more can be done: the reason was told.
    case stuck
  }

  private struct Adapter {
    var info: AdapterInfo?
    var phase: Phase
    /// When the phase is looked at again.
    var deadline: MonotonicTime
    var retry = ScanKeeper.shortestRetry
    var silence = ScanKeeper.silence
  }

  private let wants: @Sendable (AdapterInfo) -> Bool
  private let mayPowerOn: Bool
  private var listDeadline: MonotonicTime?
  /// How many of the adapters listed at start have not answered yet; nil before the list came.
  private var unanswered: Int?
  /// By adapter index; the kernel bounds it to 65,535 and hostile packets do not come from the kernel.
  private var adapters: [UInt16: Adapter] = [:]
  private var isStopping = false

  init(mayPowerOn: Bool, wants: @escaping @Sendable (AdapterInfo) -> Bool) {
    self.mayPowerOn = mayPowerOn
    self.wants = wants
  }

  /// When `advance` has something to do.
  var deadline: MonotonicTime {
    adapters.values.reduce(listDeadline ?? .distantFuture) { min($0, $1.deadline) }
  }

  /// Whether our monitors are still being removed.
  var isStopped: Bool { isStopping && adapters.values.allSatisfy { $0.phase != .renewing } }

  mutating func start(at time: MonotonicTime) -> [Action] {
    listDeadline = time + Self.patience
    return [.send(ManagementCommand(opcode: .readIndexList, adapter: ManagementCommand.noAdapter))]
  }

  /// Gives back what was taken: our monitors, and no other.
  mutating func stop(at time: MonotonicTime) -> [Action] {
    isStopping = true
    listDeadline = nil
    var actions: [Action] = []
    for index in adapters.keys.sorted() {
      if case .keeping(let handle) = adapters[index]?.phase,
        let remove = ManagementCommand.removeMonitor(index, handle: handle)
      {
        set(index, .renewing, until: time + Self.patience)
        actions.append(.send(remove))
      } else {
        adapters[index] = nil
      }
    }
    return actions
  }

  /// An advertisement came from the adapter.
  mutating func heard(on index: UInt16, at time: MonotonicTime) {
    guard case .keeping = adapters[index]?.phase else { return }
    adapters[index]?.silence = Self.silence
    adapters[index]?.deadline = time + Self.silence
  }

  mutating func advance(to time: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    if let listDeadline, listDeadline <= time { actions += start(at: time) }
    for index in adapters.keys.sorted() {
      guard let adapter = adapters[index], adapter.deadline <= time else { continue }
      actions += look(at: index, adapter, time)
    }
    return actions
  }

  mutating func receive(_ packet: Span<UInt8>, at time: MonotonicTime) -> [Action] {
    guard let (index, event) = ManagementEvent.parse(packet) else { return [] }
    switch event {
    case .answer(let opcode, let status, let parameters):
      guard let opcode = ManagementCommand.Opcode(rawValue: opcode) else { return [] }
      return answered(opcode, status, packet.extracting(parameters), index, time)
    case .adapterAdded: return isStopping ? [] : ask(index, time)
    case .adapterRemoved:
      return adapters.removeValue(forKey: index)?.info == nil ? [] : [.detach(adapter: index)]
    case .newSettings(let settings): return settingsChanged(settings, index, time)
    case .monitorRemoved(let handle): return monitorRemoved(handle, index, time)
    case .other: return []
    }
  }

  // MARK: Steps

  private mutating func set(_ index: UInt16, _ phase: Phase, until deadline: MonotonicTime) {
    adapters[index]?.phase = phase
    adapters[index]?.deadline = deadline
  }

  private mutating func ask(_ index: UInt16, _ time: MonotonicTime) -> [Action] {
    if adapters[index] == nil { adapters[index] = Adapter(phase: .asking, deadline: time) }
    set(index, .asking, until: time + Self.patience)
    return [.send(ManagementCommand(opcode: .readInformation, adapter: index))]
  }

  private mutating func look(at index: UInt16, _ adapter: Adapter, _ time: MonotonicTime) -> [Action] {
    switch adapter.phase {
    case .asking: return ask(index, time)
    case .poweringOn: return powerOn(index, time)
    case .adding: return addMonitor(index, time)
    case .keeping(let handle):
      guard let remove = ManagementCommand.removeMonitor(index, handle: handle) else { return [] }
      adapters[index]?.silence = min(adapter.silence * 2, Self.longestSilence)
      set(index, .renewing, until: time + Self.patience)
      return [.send(remove)]
    case .renewing:
      if isStopping {
        adapters[index] = nil
        return []
      }
      return addMonitor(index, time)
    case .off, .stuck:
      set(index, adapter.phase, until: .distantFuture)
      return []
    }
  }

  private mutating func powerOn(_ index: UInt16, _ time: MonotonicTime) -> [Action] {
    guard let info = adapters[index]?.info else { return [] }
    set(index, .poweringOn, until: time + Self.patience)
    let power = ManagementCommand(opcode: .setPowered, adapter: index, parameters: [1])
    if info.hasLowEnergyEnabled { return [.send(power)] }
    return [.send(ManagementCommand(opcode: .setLowEnergy, adapter: index, parameters: [1])), .send(power)]
  }

  private mutating func addMonitor(_ index: UInt16, _ time: MonotonicTime) -> [Action] {
    set(index, .adding, until: time + Self.patience)
    return [.send(.addPatternMonitor(index))]
  }

  // MARK: What the kernel says

  private mutating func answered(
    _ opcode: ManagementCommand.Opcode, _ status: ManagementStatus, _ parameters: Span<UInt8>,
    _ index: UInt16,
    _ time: MonotonicTime
  ) -> [Action] {
    switch opcode {
    case .readIndexList: return listed(parameters, time)
    case .readInformation: return described(status, parameters, index, time)
    case .setPowered: return powered(status, parameters, index, time)
    case .setLowEnergy: return []
    case .addPatternMonitor: return added(status, parameters, index, time)
    case .removeMonitor:
      guard adapters[index]?.phase == .renewing else { return [] }
      if isStopping {
        adapters[index] = nil
        return []
      }
      return addMonitor(index, time)
    }
  }

  /// Count 2, then an index of 2 bytes each.
  private mutating func listed(_ parameters: Span<UInt8>, _ time: MonotonicTime) -> [Action] {
    guard listDeadline != nil, parameters.count >= 2 else { return [] }
    listDeadline = nil
    var actions: [Action] = []
    let count = min(Int(parameters.littleEndian16(at: 0)), (parameters.count - 2) / 2)
    for place in 0..<count { actions += ask(parameters.littleEndian16(at: 2 + place * 2), time) }
    unanswered = count
    if count == 0 { actions.append(.listed(wanted: 0)) }
    return actions
  }

  private mutating func described(
    _ status: ManagementStatus, _ parameters: Span<UInt8>, _ index: UInt16, _ time: MonotonicTime
  ) -> [Action] {
    guard let adapter = adapters[index], adapter.phase == .asking else { return [] }
    guard status == .success, let info = AdapterInfo(index: index, reply: parameters), wants(info) else {
      adapters[index] = nil
      return countAnswer()
    }
    guard info.supportsLowEnergy else {
      adapters[index] = nil
      return [.notice("\(info.kernelName) (\(info.address)) has no Bluetooth Low Energy and is left alone")]
        + countAnswer()
    }
    adapters[index]?.info = info
    var actions: [Action] = [.attach(info)]
    if info.isPowered {
      actions.append(.health(adapter: index, .ok, reason: ""))
      actions += addMonitor(index, time)
    } else if mayPowerOn {
      actions += powerOn(index, time)
    } else {
      set(index, .off, until: .distantFuture)
      actions.append(.health(adapter: index, .deaf, reason: Self.offReason))
    }
    return actions + countAnswer()
  }

  private mutating func countAnswer() -> [Action] {
    guard let count = unanswered, count > 0 else { return [] }
    unanswered = count - 1
    guard count == 1 else { return [] }
    return [.listed(wanted: adapters.values.count { $0.info != nil })]
  }

  private static let offReason = "the adapter is powered off; switch it on with: bluetoothctl power on"

  private mutating func powered(
    _ status: ManagementStatus, _ parameters: Span<UInt8>, _ index: UInt16, _ time: MonotonicTime
  ) -> [Action] {
    guard let adapter = adapters[index], adapter.phase == .poweringOn else { return [] }
    switch status {
    case .success:
      guard parameters.count >= 4 else { return [] }
      return settingsChanged(parameters.littleEndian32(at: 0), index, time)
    case .permissionDenied:
      set(index, .off, until: .distantFuture)
      return [
        .health(adapter: index, .deaf, reason: "\(Self.offReason) (or grant CAP_NET_ADMIN)")
      ]
    case .blocked:
      retryLater(index, time)
      return [
        .health(adapter: index, .deaf, reason: "blocked by rfkill; unblock with: rfkill unblock bluetooth")
      ]
    case .busy:
      // Somebody else is at it, often powering it on as well.
      retryLater(index, time)
      return []
    default:
      retryLater(index, time)
      return [.health(adapter: index, .deaf, reason: "cannot be powered on: \(status.meaning)")]
    }
  }

  private mutating func retryLater(_ index: UInt16, _ time: MonotonicTime) {
    guard let retry = adapters[index]?.retry else { return }
    adapters[index]?.deadline = time + retry
    adapters[index]?.retry = min(retry * 2, Self.longestRetry)
  }

  private mutating func settingsChanged(
    _ settings: UInt32, _ index: UInt16, _ time: MonotonicTime
  ) -> [Action] {
    guard !isStopping, let adapter = adapters[index], var info = adapter.info else { return [] }
    let wasPowered = info.isPowered
    info.apply(settings: settings)
    adapters[index]?.info = info
    guard info.isPowered != wasPowered else { return [] }
    guard info.isPowered else {
      // The monitor, if there is one, stays ours through this; the kernel re-arms it at power-on.
      if case .keeping = adapter.phase {
        adapters[index]?.deadline = .distantFuture
      } else {
        set(index, .off, until: .distantFuture)
      }
      return [.health(adapter: index, .deaf, reason: Self.offReason)]
    }
    var actions: [Action] = [.health(adapter: index, .ok, reason: "")]
    adapters[index]?.retry = Self.shortestRetry
    if case .keeping = adapter.phase {
      adapters[index]?.deadline = time + adapter.silence
    } else {
      actions += addMonitor(index, time)
    }
    return actions
  }

  private mutating func added(
    _ status: ManagementStatus, _ parameters: Span<UInt8>, _ index: UInt16, _ time: MonotonicTime
  ) -> [Action] {
    guard let adapter = adapters[index], adapter.phase == .adding, let info = adapter.info else { return [] }
    switch status {
    case .success:
      guard parameters.count >= 2, parameters.littleEndian16(at: 0) != 0 else { return [] }
      adapters[index]?.retry = Self.shortestRetry
      set(index, .keeping(handle: parameters.littleEndian16(at: 0)), until: time + adapter.silence)
      return []
    case .permissionDenied:
      set(index, .stuck, until: .distantFuture)
      return [
        .notice(
          "\(info.kernelName) hears only while another program scans: keeping it scanning needs CAP_NET_ADMIN; "
            + RadioError.grant)
      ]
    case .unknownCommand, .notSupported:
      set(index, .stuck, until: .distantFuture)
      return [
        .notice(
          "\(info.kernelName) hears only while another program scans: this kernel has no advertisement monitors "
            + "(Linux 5.10 or newer has)")
      ]
    default:
      retryLater(index, time)
      return []
    }
  }

  /// Handle 0: everybody's monitors were removed.
  private mutating func monitorRemoved(
    _ handle: UInt16, _ index: UInt16, _ time: MonotonicTime
  ) -> [Action] {
    guard case .keeping(let ours) = adapters[index]?.phase, handle == 0 || handle == ours else { return [] }
    if isStopping {
      adapters[index] = nil
      return []
    }
    guard adapters[index]?.info?.isPowered == true else {
      set(index, .off, until: .distantFuture)
      return []
    }
    return addMonitor(index, time)
  }
}
