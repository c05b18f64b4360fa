import Beacons
import Glibc

/// The live radio's thread: polls all sockets, feeds the scan keeper, hands over batches.
final class LiveLoop {
  /// Packets taken from one socket before the others get their turn.
  private static let turn = 512
  private static let farewell = TimeSpan.seconds(1)

  private let options: LiveRadio.Options
  private let handlers: LiveRadio.Handlers
  private let management: HCISocket
  private let openRaw: (UInt16, Int32) throws(RadioError) -> HCISocket
  private var keeper: ScanKeeper
  private var names: ReceiverNames
  /// Keyed by adapter index.
  private var receivers: [UInt16: LiveReceiver] = [:]
  private var health: [ReceiverIndex: ReceiverHealth] = [:]
  private var batch = AdvertisementBatch()
  private var buffer = [UInt8](repeating: 0, count: 4096)

  init(
    _ options: LiveRadio.Options, _ handlers: LiveRadio.Handlers, management: HCISocket,
    openRaw: @escaping (UInt16, Int32) throws(RadioError) -> HCISocket
  ) {
    self.options = options
    self.handlers = handlers
    self.management = management
    self.openRaw = openRaw
    let aliases = Dictionary(options.aliases.map { ($0.key.bits, $0.value) }) { first, _ in first }
    names = ReceiverNames(aliases: aliases)
    let wanted = Set(options.adapters.map { $0.lowercased() })
    keeper = ScanKeeper(mayPowerOn: options.powersOn) { info in
      wanted.isEmpty || wanted.contains(info.kernelName)
        || wanted.contains(info.address.description.lowercased())
        || aliases[info.address.bits].map { wanted.contains($0.lowercased()) } == true
    }
  }

  func run(until wake: borrowing WakeUp) throws(RadioError) {
    try perform(keeper.start(at: LiveClock.now))
    var stopAt: MonotonicTime?
    while true {
      let now = LiveClock.now
      if let stopAt, keeper.isStopped || now >= stopAt { return }
      let ready = try poll(wake, until: min(keeper.deadline, stopAt ?? .distantFuture), now)
      if stopAt == nil, ready.wake {
        stopAt = LiveClock.now + Self.farewell
        try perform(keeper.stop(at: LiveClock.now))
      }
      if ready.management { try receiveManagement() }
      for adapter in ready.adapters { receiveAdvertisements(adapter) }
      for adapter in ready.dead { detach(adapter) }
      if !batch.isEmpty {
        handlers.onBatch(batch, names.table)
        batch.removeAll()
      }
      try perform(keeper.advance(to: LiveClock.now))
    }
  }

  private struct Ready {
    var wake = false
    var management = false
    var adapters: [UInt16] = []
    var dead: [UInt16] = []
  }

  private func poll(
    _ wake: borrowing WakeUp, until deadline: MonotonicTime, _ now: MonotonicTime
  ) throws(RadioError) -> Ready {
    let adapters = receivers.keys.sorted()
    var polled = [pollfd(fd: wake.descriptor.number, events: Int16(POLLIN), revents: 0)]
    polled.append(pollfd(fd: management.descriptor.number, events: Int16(POLLIN), revents: 0))
    for adapter in adapters {
      polled.append(
        pollfd(fd: receivers[adapter]?.socket.descriptor.number ?? -1, events: Int16(POLLIN), revents: 0))
    }
    // Rounded up, so as not to wake just before the deadline; bounded, for poll counts in 32 bits.
    let wait = Int32(clamping: min(max((deadline - now).nanoseconds, 0) / 1_000_000 + 1, 60_000))
    do throws(SystemError) {
      try systemCall("poll") {
        unsafe polled.withUnsafeMutableBufferPointer {
          unsafe Glibc.poll($0.baseAddress, nfds_t($0.count), wait)
        }
      }
    } catch {
      throw .system(error)
    }
    let failed = Int16(POLLERR | POLLHUP | POLLNVAL)
    var ready = Ready(wake: polled[0].revents != 0, management: polled[1].revents & Int16(POLLIN) != 0)
    if polled[1].revents & failed != 0, !ready.management {
      throw .system(SystemError(call: "management socket", code: EPIPE))
    }
    for (place, adapter) in adapters.enumerated() {
      let events = polled[place + 2].revents
      if events & Int16(POLLIN) != 0 { ready.adapters.append(adapter) }
      if events & failed != 0 { ready.dead.append(adapter) }
    }
    return ready
  }

  private func receiveManagement() throws(RadioError) {
    var stamp: WallTime?
    for _ in 0..<Self.turn {
      guard let count = management.receive(into: &buffer, stamp: &stamp), count > 0 else { return }
      let actions = keeper.receive(buffer.span.extracting(..<count), at: LiveClock.now)
      try perform(actions)
    }
  }

  private func receiveAdvertisements(_ adapter: UInt16) {
    // Taken out while it works, so that nothing is copied.
    guard var receiver = receivers.removeValue(forKey: adapter) else { return }
    let heard = receiver.receive(Self.turn, into: &batch, buffer: &buffer, handlers.onEvent)
    receivers[adapter] = receiver
    if heard { keeper.heard(on: adapter, at: LiveClock.now) }
  }

  private func perform(_ actions: [ScanKeeper.Action]) throws(RadioError) {
    for action in actions {
      switch action {
      case .send(let command):
        do throws(SystemError) { try management.send(command.bytes) } catch { throw RadioError(error) }
      case .attach(let info): try attach(info)
      case .detach(let adapter): detach(adapter)
      case .health(let adapter, let health, let reason):
        guard let receiver = receivers[adapter] else { continue }
        report(health, receiver.index, reason)
      case .notice(let text): handlers.onNotice(text)
      case .listed(let wanted):
        guard wanted == 0, !options.waitsForAdapter else { continue }
        throw .noAdapter(found: try LiveRadio.adapters().map { "\($0.kernelName) (\($0.address))" })
      }
    }
  }

  private func attach(_ info: AdapterInfo) throws(RadioError) {
    guard receivers[info.index] == nil, let index = names.receiver(of: info) else { return }
    do throws(RadioError) {
      receivers[info.index] = LiveReceiver(
        info: info, index: index, socket: try openRaw(info.index, options.receiveBuffer))
    } catch .system(let error) where error.code == ENODEV {
      // Gone again already; its removal is announced next.
    }
  }

  private func detach(_ adapter: UInt16) {
    guard let receiver = receivers.removeValue(forKey: adapter) else { return }
    report(.gone, receiver.index, "the adapter was removed")
  }

  private func report(_ new: ReceiverHealth, _ receiver: ReceiverIndex, _ reason: String) {
    guard health.updateValue(new, forKey: receiver) != new else { return }
    handlers.onHealth(
      ReceiverHealthChange(
        receiver: receiver, health: new, reason: reason, time: LiveClock.now, wallTime: LiveClock.wallNow),
      names.table)
  }
}
