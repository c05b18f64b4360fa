import Beacons
import Core
import Glibc

/// The live radio's thread: polls all sockets, feeds the scan keeper, delivers batches.
final class LiveLoop {
  /// How many packets are read from one socket before the others.
  private static let turn = 512
  private static let farewell = TimeSpan.seconds(1)

  let options: LiveRadio.Options
  let handlers: LiveRadio.Handlers
  let management: HCISocket
  let openRaw: (UInt16, Int32) throws(RadioError) -> HCISocket
  var keeper: ScanKeeper
  /// nil if nothing is to be broadcast.
  var broadcaster: BroadcastKeeper?
  var names: ReceiverNames
  /// Keyed by adapter index.
  private(set) var receivers: [UInt16: LiveReceiver] = [:]
  /// The adapters in `receivers`, in order.
  private var listened: [UInt16] = []
  /// The bell, management, the bus, then the sockets of `listened` at that time; kept, because every turn needs it.
  private var polled: [pollfd] = []
  var health: [ReceiverIndex: ReceiverHealth] = [:]
  var counts: [ReceiverIndex: ReceiverCounts] = [:]
  var batch = AdvertisementBatch()
  /// Memory for sorting.
  private var sorted = AdvertisementBatch()
  private var buffer = PacketBuffer()
  /// The connection to bluetoothd, only if the kernel refuses a monitor.
  var blueZ: BlueZ?
  var hasBluetoothd: Bool?
  /// Adapters without a raw socket, by adapter index.
  var busReceivers: [UInt16: ReceiverIndex] = [:]
  var seeksBlueZ: MonotonicTime?
  private var nextCount = MonotonicTime.zero
  private var pauses = PauseWatch()
  private var gathering = Gathering()
  /// Until then no adapter's socket is polled, so that packets collect.
  private var gathersUntil = MonotonicTime.zero

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
    let policy = KeeperPolicy(
      mayPowerOn: options.powersOn, mayUnblock: options.unblocks, duty: options.duty)
    keeper = ScanKeeper(policy, wants: AdapterChoice.of(options.adapters, aliases: aliases))
    broadcaster = options.broadcast.map { plan in
      BroadcastKeeper(plan, wants: AdapterChoice.of(plan.adapter.map { [$0] } ?? [], aliases: aliases))
    }
    keeper.ownPayloads = options.broadcast?.identities.map(\.advertisingData) ?? []
  }

  func run(until bell: Bell) throws(RadioError) {
    try perform(keeper.start(at: LiveClock.now))
    var stopAt: MonotonicTime?
    while true {
      let now = LiveClock.now
      if let stopAt, (keeper.isStopped && broadcaster?.isStopped != false) || now >= stopAt { return }
      pauses.mark(at: now)
      let ready = try poll(bell, until: deadline(stopAt, now), now)
      noteWaking()
      // A receiver's health is reported after its earlier advertisements.
      try hear(all: gathersUntil > LiveClock.now)
      if stopAt == nil, ready.bell {
        bell.silence()
        stopAt = LiveClock.now + Self.farewell
        try perform(broadcaster?.stop(at: LiveClock.now) ?? [])
        try perform(keeper.stop(at: LiveClock.now))
      }
      if ready.management { try receiveManagement() }
      if ready.bus { try receiveBus() }
      if ready.hasDead { try detachDead() }
      handOver()
      let then = LiveClock.now
      if then >= nextCount {
        try countLost(at: then)
        nextCount = then + .seconds(1)
      }
      if let seeksBlueZ, then >= seeksBlueZ { try seekBlueZ() }
      try perform(keeper.advance(to: then))
      try perform(advanceBroadcaster(to: then))
    }
  }

  /// After a pause of the process, packets that wait in the sockets count as received now.
  private func noteWaking() {
    let now = LiveClock.now
    guard let since = pauses.look(at: now) else { return }
    let wallNow = LiveClock.wallNow
    for place in receivers.values.indices {
      receivers.values[place].clock.resume(since: wallNow - (now - since), at: now, wallNow)
    }
    handlers.onPause(now - since, wallNow, names.table)
  }

  private func deadline(_ stopAt: MonotonicTime?, _ now: MonotonicTime) -> MonotonicTime {
    // With more than two, `min` makes an array.
    var deadline = min(keeper.deadline, broadcaster?.deadline ?? .distantFuture)
    deadline = min(deadline, seeksBlueZ ?? .distantFuture)
    deadline = min(deadline, stopAt ?? .distantFuture)
    return gathersUntil > now ? min(deadline, gathersUntil) : deadline
  }

  private struct Ready {
    var bell = false
    var management = false
    var bus = false
    var hasDead = false
  }

  private static let failed = Int16(POLLERR | POLLHUP | POLLNVAL)

  private func poll(
    _ bell: Bell, until deadline: MonotonicTime, _ now: MonotonicTime
  ) throws(RadioError) -> Ready {
    polled.removeAll(keepingCapacity: true)
    watch(bell.reading)
    watch(management.descriptor.number)
    // poll ignores a negative descriptor.
    watch(blueZ?.connection.descriptor.number ?? -1)
    for adapter in listened {
      watch(gathersUntil > now ? -1 : receivers[adapter]?.socket.descriptor.number ?? -1)
    }
    // Rounded up, so as not to wake just before the deadline.
    let wait = Int32(
      clamping: (min(max(deadline - now, .zero), PauseWatch.pace).nanoseconds / 1_000_000) + 1)
    do throws(SystemError) {
      try systemCall("poll") {
        unsafe polled.withUnsafeMutableBufferPointer {
          unsafe Glibc.poll($0.baseAddress, nfds_t($0.count), wait)
        }
      }
    } catch {
      throw .system(error)
    }
    let ready = Ready(
      bell: polled[0].revents != 0, management: polled[1].revents & Int16(POLLIN) != 0,
      bus: polled[2].revents != 0, hasDead: polled[3...].contains { $0.revents & Self.failed != 0 })
    // The answer is stored with each receiver, because the list may change before it is used.
    for (adapter, answer) in zip(listened, polled.dropFirst(3)) {
      // Access by subscript would allocate memory.
      if let place = receivers.index(forKey: adapter) { receivers.values[place].answer = answer.revents }
    }
    if polled[1].revents & Self.failed != 0, !ready.management {
      throw .system(SystemError(call: "management socket", code: EPIPE))
    }
    return ready
  }

  private func watch(_ descriptor: Int32) {
    polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
  }

  /// Closes the sockets that the kernel closed, and opens their adapters again.
  private func detachDead() throws(RadioError) {
    for adapter in listened where (receivers[adapter]?.answer ?? 0) & Self.failed != 0 {
      // Advertisements from before it died count.
      while try !receiveAdvertisements(adapter).isDrained { handOver() }
      handOver()
      detach(adapter)
      keeper.socketDied(of: adapter, at: LiveClock.now)
    }
  }

  func listen(to adapter: UInt16, as receiver: LiveReceiver) {
    receivers[adapter] = receiver
    listened = receivers.keys.sorted()
  }

  func stopListening(to adapter: UInt16) -> LiveReceiver? {
    defer { listened = receivers.keys.sorted() }
    return receivers.removeValue(forKey: adapter)
  }

  private func receiveManagement() throws(RadioError) {
    management.receive(into: &buffer)
    // Moved out meanwhile, because its actions may receive again.
    let packets = buffer
    for place in 0..<packets.count {
      let packet = packets.bytes.span.extracting(packets.range(place))
      try perform(keeper.receive(packet, at: LiveClock.now))
      try perform(broadcaster?.receive(packet, at: LiveClock.now) ?? [])
    }
  }

  /// Receives from the adapters with data, or from all.
  private func hear(all: Bool) throws(RadioError) {
    var (packets, isDrained, isAny) = (0, true, false)
    // An adapter's packets may start or end the use of another adapter.
    for adapter in listened {
      guard let place = receivers.index(forKey: adapter),
        all || receivers.values[place].answer & Int16(POLLIN) != 0
      else { continue }
      let received = try receiveAdvertisements(adapter)
      packets += received.packets
      isDrained = isDrained && received.isDrained
      isAny = true
    }
    if !isAny { return }
    let now = LiveClock.now
    gathersUntil = now + gathering.pause(after: packets, isDrained: isDrained, at: now)
    handOver()
  }

  private func handOver() {
    if batch.isEmpty { return }
    batch.sortByTime(by: &sorted)
    handlers.onBatch(batch, names.table)
    batch.removeAll()
  }

  private func receiveAdvertisements(
    _ adapter: UInt16
  ) throws(RadioError) -> (packets: Int, isDrained: Bool) {
    // Moved out meanwhile, so that nothing is copied.
    guard var receiver = receivers.removeValue(forKey: adapter) else { return (0, true) }
    let before = batch.count
    var actions: [KeeperAction] = []
    let received = receiver.receive(Self.turn, into: &batch, buffer: &buffer, onEvent: handlers.onEvent) {
      actions += keeper.overheard($0, on: adapter, at: $1)
      actions += broadcaster?.overheard($0, on: adapter, at: $1) ?? []
    }
    // Assignment by subscript would allocate memory.
    receivers.updateValue(receiver, forKey: adapter)
    keeper.heard(batch, before..<batch.count, on: adapter)
    try perform(actions)
    return received
  }

  private func advanceBroadcaster(to time: MonotonicTime) -> [KeeperAction] {
    guard let deadline = broadcaster?.deadline, deadline <= time else { return [] }
    return broadcaster?.advance(to: time) ?? []
  }

  private func countLost(at time: MonotonicTime) throws(RadioError) {
    for (adapter, receiver) in receivers {
      let lost = receiver.socket.dropped
      guard lost > receiver.lost else { continue }
      receivers[adapter]?.lost = lost
      count(receiver.index) { $0.lost += lost - receiver.lost }
      try perform(keeper.lost(counts[receiver.index]?.lost ?? 0, on: adapter, at: time))
    }
  }

  func count(_ receiver: ReceiverIndex, _ change: (inout ReceiverCounts) -> Void) {
    change(&counts[receiver, default: ReceiverCounts(receiver: receiver)])
    if let counts = counts[receiver] { handlers.onCounts(counts, names.table) }
  }
}

/// Performs the keeper's actions.
extension LiveLoop {
  func perform(_ actions: [KeeperAction]) throws(RadioError) {
    for action in actions {
      switch action {
      case .send(let command):
        do throws(SystemError) { try management.send(command.bytes) } catch { throw RadioError(error) }
      case .attach(let info): try attach(info)
      case .detach(let adapter): detach(adapter)
      case .health(let adapter, let health, let reason):
        // The adapter's state was reported before the attempt to open a raw socket failed.
        if busReceivers[adapter] != nil, health == .ok, reason.isEmpty { continue }
        guard let receiver = receivers[adapter]?.index ?? busReceivers[adapter] else { continue }
        report(health, receiver, reason)
      case .notice(let text): handlers.onNotice(text)
      case .command(let adapter, let command):
        // An adapter that is down accepts none; that is reported elsewhere.
        try? receivers[adapter]?.socket.send(command.packet)
      case .recovery(let adapter):
        if let receiver = receivers[adapter] { count(receiver.index) { $0.recoveries += 1 } }
      case .seekBluetoothd: try seekBlueZ()
      case .discover(let adapter, let isOn):
        if isOn { blueZ?.startDiscovery(adapter) } else { blueZ?.stopDiscovery(adapter) }
      case .broadcast(let status): handlers.onBroadcast(status)
      case .inspectBlock(let adapter):
        try perform(
          keeper.inspected(AdapterHardware.isBlocked(adapter), of: adapter, at: LiveClock.now))
      case .unblock(let adapter):
        attempt("hci\(adapter) stays blocked") { () throws(SystemError) in
          try AdapterHardware.unblock(adapter)
        }
      case .resetUSB(let adapter):
        attempt("the USB device of hci\(adapter) was not reset") { () throws(SystemError) in
          try AdapterHardware.resetUSB(adapter)
        }
      case .listed(let wanted):
        guard wanted == 0 else { continue }
        if options.waitsForAdapter {
          handlers.onNotice("no Bluetooth adapter yet; waiting for one")
          continue
        }
        throw .noAdapter(found: try LiveRadio.adapters().map { "\($0.kernelName) (\($0.address))" })
      }
    }
  }

  private func attempt(_ failure: String, _ body: () throws(SystemError) -> Void) {
    do throws(SystemError) {
      try body()
    } catch {
      let why = error.code == ENODEV ? "it is not a USB adapter" : "\(error)"
      let grant =
        [EACCES, EPERM].contains(error.code) ? "; a udev rule can allow this user to write there" : ""
      handlers.onNotice("\(failure): \(why)\(grant)")
    }
  }

  private func attach(_ info: AdapterInfo) throws(RadioError) {
    let others = Set(receivers.values.map(\.index) + busReceivers.values)
    guard receivers[info.index] == nil, let index = names.receiver(of: info, beside: others) else { return }
    if let twin = receivers.values.first(where: { $0.info.address == info.address }) {
      handlers.onNotice(
        "\(names.table.name(of: index)) and \(names.table.name(of: twin.index)) have one address, \(info.address), as cheap adapters do: they are different receivers while both are plugged in, but after both were unplugged, each may get the other's name"
      )
    }
    do throws(RadioError) {
      let socket = try openRaw(info.index, options.receiveBuffer)
      listen(to: info.index, as: LiveReceiver(info: info, index: index, socket: socket))
    } catch .missingRawCapability where options.takesBus {
      busReceivers[info.index] = index
      keeper.hearsByBusOnly(info.index)
    } catch .system(let error) where error.code == ENODEV {
      // The adapter has already gone. Its removal is reported next, or it is back.
      keeper.socketDied(of: info.index, at: LiveClock.now)
    }
  }

  func detach(_ adapter: UInt16) {
    let byBus = busReceivers.removeValue(forKey: adapter)
    guard let receiver = stopListening(to: adapter)?.index ?? byBus else { return }
    report(.gone, receiver, "the adapter was removed")
  }

  private func report(_ new: ReceiverHealth, _ receiver: ReceiverIndex, _ reason: String) {
    health[receiver] = new
    handlers.onHealth(
      ReceiverHealthChange(
        receiver: receiver, health: new, reason: reason, time: LiveClock.now, wallTime: LiveClock.wallNow),
      names.table)
  }
}

/// The pause between two attempts to reach the system bus.
private let busRetry = TimeSpan.seconds(5)

/// Uses bluetoothd if the kernel refuses a monitor or even a raw socket.
extension LiveLoop {
  /// Connects to bluetoothd on the bus; without a bus, tries again later.
  func seekBlueZ() throws(RadioError) {
    seeksBlueZ = nil
    if blueZ != nil {
      if let hasBluetoothd { try perform(keeper.bluetoothd(hasBluetoothd, at: LiveClock.now)) }
      return
    }
    do throws(SystemError) {
      blueZ = try BlueZ(hearsDevices: !busReceivers.isEmpty)
    } catch {
      try miss()
      seeksBlueZ = LiveClock.now + busRetry
      try perform(keeper.bluetoothd(false, at: LiveClock.now))
    }
  }

  func receiveBus() throws(RadioError) {
    guard let bus = blueZ else { return }
    for news in bus.receive() {
      switch news {
      case .isThere(let isThere):
        if !isThere { try miss() }
        hasBluetoothd = isThere
        try perform(keeper.bluetoothd(isThere, at: LiveClock.now))
      case .discovering(let adapter, let isOn):
        try perform(keeper.discovering(isOn, on: adapter, at: LiveClock.now))
      case .heard(let heard): take(heard)
      }
    }
    if bus.connection.isDead {
      blueZ = nil
      seeksBlueZ = LiveClock.now + busRetry
    }
  }

  /// There never was a bluetoothd: without a raw socket nothing can be received.
  private func miss() throws(RadioError) {
    if !busReceivers.isEmpty, hasBluetoothd == nil { throw .missingRawCapability }
  }

  private func take(_ heard: BusDevices.Heard) {
    guard let receiver = busReceivers[heard.adapter] else { return }
    let before = batch.count
    batch.append(
      Advertisement(
        receiver: receiver, address: heard.address, rssi: heard.rssi, time: LiveClock.now,
        wallTime: LiveClock.wallNow), payload: heard.payload.span)
    keeper.heard(batch, before..<batch.count, on: heard.adapter)
  }
}
