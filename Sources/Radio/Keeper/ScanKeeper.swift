import Beacons
import Core

/// Keeps every wanted adapter receiving. A pure state machine: packets and time go in, actions come out.
struct ScanKeeper {
  private let wants: @Sendable (AdapterInfo) -> Bool
  private let policy: KeeperPolicy
  private var listDeadline: MonotonicTime?
  /// The adapters listed at the start that have not answered yet; nil before the list arrived.
  private var unanswered: Set<UInt16>?
  /// By adapter index. The kernel limits them to 65,535, and hostile packets do not come from the kernel.
  private var adapters: [UInt16: AdapterKeeper] = [:]
  private var isStopping = false
  /// The payloads that our adapters broadcast. Receiving one with another adapter proves nothing.
  var ownPayloads: [[UInt8]] = []

  init(_ policy: KeeperPolicy, wants: @escaping @Sendable (AdapterInfo) -> Bool) {
    self.policy = policy
    self.wants = wants
  }

  /// When `advance` must be called next.
  var deadline: MonotonicTime {
    adapters.values.reduce(listDeadline ?? .distantFuture) { min($0, $1.deadline) }
  }

  /// Whether our monitors are still being removed.
  var isStopped: Bool { isStopping && !adapters.values.contains { $0.isLeaving } }

  mutating func start(at time: MonotonicTime) -> [KeeperAction] {
    listDeadline = time + AdapterKeeper.patience
    return [.send(ManagementCommand(opcode: .readIndexList, adapter: ManagementCommand.noAdapter))]
  }

  /// Removes our monitors, and no others.
  mutating func stop(at time: MonotonicTime) -> [KeeperAction] {
    isStopping = true
    listDeadline = nil
    return adapters.keys.sorted().flatMap { adapters[$0]?.stop(at: time) ?? [] }
  }

  mutating func advance(to time: MonotonicTime) -> [KeeperAction] {
    var actions: [KeeperAction] = []
    if let listDeadline, listDeadline <= time { actions += start(at: time) }
    guard deadline <= time else { return actions }
    for index in adapters.keys.sorted() {
      // Access by subscript would allocate memory, four times a second.
      guard let place = adapters.index(forKey: index) else { continue }
      actions += adapters.values[place].advance(to: time)
    }
    return actions
  }

  // MARK: Packets of the adapters' sockets

  /// The adapter received the advertisements in this range of the batch.
  mutating func heard(_ batch: borrowing AdvertisementBatch, _ range: Range<Int>, on index: UInt16) {
    // The dictionary is searched once, not once per advertisement. Access by subscript would allocate memory.
    guard let place = adapters.index(forKey: index) else { return }
    adapters.values[place].heard(batch, range, ownPayloads: ownPayloads)
  }

  mutating func socketDied(of index: UInt16, at time: MonotonicTime) { adapters[index]?.socketDied(at: time) }

  /// There is no raw socket for it.
  mutating func hearsByBusOnly(_ index: UInt16) { adapters[index]?.hearByBusOnly() }

  /// Any other packet of the adapter's raw socket.
  mutating func overheard(_ packet: Span<UInt8>, on index: UInt16, at time: MonotonicTime) -> [KeeperAction] {
    adapters[index]?.overhear(packet, at: time) ?? []
  }

  mutating func lost(_ total: Int64, on index: UInt16, at time: MonotonicTime) -> [KeeperAction] {
    adapters[index]?.noteLost(total, at: time) ?? []
  }

  /// The result of `inspectBlock`; nil: unknown.
  mutating func inspected(_ isBlocked: Bool?, of index: UInt16, at time: MonotonicTime) -> [KeeperAction] {
    adapters[index]?.inspected(isBlocked, at: time) ?? []
  }

  // MARK: bluetoothd

  /// Whether bluetoothd is running: the answer to `seekBluetoothd`, and at every change.
  mutating func bluetoothd(_ isThere: Bool, at time: MonotonicTime) -> [KeeperAction] {
    adapters.keys.sorted().flatMap { adapters[$0]?.bluetoothd(isThere, at: time) ?? [] }
  }

  mutating func discovering(_ isOn: Bool, on index: UInt16, at time: MonotonicTime) -> [KeeperAction] {
    adapters[index]?.discovering(isOn, at: time) ?? []
  }

  // MARK: The kernel's management events

  mutating func receive(_ packet: Span<UInt8>, at time: MonotonicTime) -> [KeeperAction] {
    guard let (index, event) = ManagementEvent.parse(packet) else { return [] }
    switch event {
    case .answer(let opcode, let status, let parameters):
      guard let opcode = ManagementCommand.Opcode(rawValue: opcode) else { return [] }
      return answered(opcode, status, packet.extracting(parameters), index, time)
    case .adapterAdded: return isStopping ? [] : ask(index, time)
    case .adapterRemoved:
      let wasKnown = adapters.removeValue(forKey: index)?.info != nil
      return (wasKnown ? [.detach(adapter: index)] : []) + countAnswer(of: index)
    case .newSettings(let settings): return adapters[index]?.settingsChanged(settings, at: time) ?? []
    case .monitorRemoved(let handle): return adapters[index]?.monitorRemoved(handle, at: time) ?? []
    case .advertisingAdded, .advertisingRemoved, .other: return []
    }
  }

  private mutating func answered(
    _ opcode: ManagementCommand.Opcode, _ status: ManagementStatus, _ parameters: Span<UInt8>,
    _ index: UInt16, _ time: MonotonicTime
  ) -> [KeeperAction] {
    switch opcode {
    case .readIndexList: return listed(parameters, time)
    case .readInformation: return described(status, parameters, index, time)
    case .setPowered:
      let settings = parameters.count >= 4 ? parameters.littleEndian32(at: 0) : nil
      return adapters[index]?.powerAnswered(status, settings, at: time) ?? []
    case .addPatternMonitor:
      let handle = parameters.count >= 2 ? parameters.littleEndian16(at: 0) : nil
      return adapters[index]?.monitorAdded(status, handle: handle, at: time) ?? []
    case .removeMonitor: return adapters[index]?.removalAnswered(at: time) ?? []
    case .startDiscovery: return adapters[index]?.discoveryAnswered(status) ?? []
    case .readPHY: return adapters[index]?.learnedPHY(parameters) ?? []
    case .setPHY: return adapters[index]?.changedPHY(status, at: time) ?? []
    default: return []
    }
  }

  private mutating func ask(_ index: UInt16, _ time: MonotonicTime) -> [KeeperAction] {
    adapters[index] = AdapterKeeper(index, policy, at: time)
    return adapters[index]?.ask(at: time) ?? []
  }

  /// Count 2, then an index of 2 bytes each.
  private mutating func listed(_ parameters: Span<UInt8>, _ time: MonotonicTime) -> [KeeperAction] {
    guard listDeadline != nil, parameters.count >= 2 else { return [] }
    listDeadline = nil
    var actions: [KeeperAction] = []
    let count = min(Int(parameters.littleEndian16(at: 0)), (parameters.count - 2) / 2)
    for place in 0..<count { actions += ask(parameters.littleEndian16(at: 2 + place * 2), time) }
    unanswered = Set(adapters.keys)
    if count == 0 { actions.append(.listed(wanted: 0)) }
    return actions
  }

  private mutating func described(
    _ status: ManagementStatus, _ parameters: Span<UInt8>, _ index: UInt16, _ time: MonotonicTime
  ) -> [KeeperAction] {
    guard let adapter = adapters[index], adapter.power == .asking else { return [] }
    guard status == .success, let info = AdapterInfo(index: index, reply: parameters), wants(info) else {
      adapters[index] = nil
      return countAnswer(of: index)
    }
    guard info.supportsLowEnergy else {
      adapters[index] = nil
      return [.notice("\(info.kernelName) (\(info.address)) has no Bluetooth Low Energy and is ignored")]
        + countAnswer(of: index)
    }
    return (adapters[index]?.described(info, at: time) ?? []) + countAnswer(of: index)
  }

  private mutating func countAnswer(of index: UInt16) -> [KeeperAction] {
    guard unanswered?.remove(index) != nil, unanswered?.isEmpty == true else { return [] }
    return [.listed(wanted: adapters.values.count { $0.info != nil })]
  }
}

/// An action or a report that a keeper requests.
enum KeeperAction: Equatable {
  case send(ManagementCommand)
  /// To the controller itself, by the adapter's raw socket.
  case command(adapter: UInt16, HCICommand)
  /// Open a raw socket on it.
  case attach(AdapterInfo)
  case detach(adapter: UInt16)
  case health(adapter: UInt16, ReceiverHealth, reason: String)
  /// A message for people, given once.
  case notice(String)
  /// A recovery step was taken, for the count.
  case recovery(adapter: UInt16)
  /// All adapters present at the start are known; perhaps none of them is wanted.
  case listed(wanted: Int)
  /// Find out whether bluetoothd is running, and pass the result to `ScanKeeper.bluetoothd`.
  case seekBluetoothd
  /// Start or stop bluetoothd's discovery on it; the result goes to `ScanKeeper.discovering`.
  case discover(adapter: UInt16, Bool)
  /// Find out whether rfkill blocks it, and pass the result to `ScanKeeper.inspected`.
  case inspectBlock(adapter: UInt16)
  case unblock(adapter: UInt16)
  case broadcast(BroadcastStatus)
  case resetUSB(adapter: UInt16)
}

/// The configured rights of the keepers.
struct KeeperPolicy: Sendable {
  /// Whether to switch on an adapter that is off when it is found.
  var mayPowerOn = true
  /// Whether to lift an rfkill block that somebody set.
  var mayUnblock = false
  var duty = ScanDuty.balanced
}
