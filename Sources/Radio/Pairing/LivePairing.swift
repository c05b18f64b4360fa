import Beacons
import CBlueZ
import Core
import Glibc
import Synchronization

/// Opens an adapter for one device that pairs, learns its identity resolving key, and leaves everything as it was, even if this
/// process is killed.
///
/// With bluetoothd or without. Only one at a time on a machine, whichever user runs it.
package final class LivePairing: Sendable {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case radio(RadioError)
    /// What the adapter does not do, and why.
    case refused(String, String)
    case missingAdminCapability
    case noAdvertising
    /// bluetoothd refuses our agent, or does not answer.
    case noAgent(answers: Bool)
    /// Another process or page is pairing.
    case busy

    package var description: String {
      switch self {
      case .radio(.missingRawCapability), .missingAdminCapability:
        "pairing needs CAP_NET_ADMIN, which this process lacks; run it with sudo"
      case .radio(let error): "\(error)"
      case .refused(let what, let reason): "the adapter \(what): \(reason)"
      case .noAdvertising: "the adapter has no advertising instance that is free"
      case .noAgent(answers: true): "bluetoothd does not let this program answer for it"
      case .noAgent(answers: false):
        "bluetoothd does not answer; see: systemctl status bluetooth; restart it with: sudo systemctl restart bluetooth"
      case .busy: "another enrol is at work; let it end first"
      }
    }

    fileprivate init(_ what: String, _ status: ManagementStatus) {
      self = status == .permissionDenied ? .missingAdminCapability : .refused(what, status.meaning)
    }
  }

  /// How long the adapter may take to be switched on, in milliseconds.
  private static let patience: Int32 = 10_000

  /// The adapter, by kernel name or address; nil: the first one.
  private let name: String?
  private let environment: [String: String]
  private let bell = Bell()
  private let typed = Mutex<(lines: [String], isStopped: Bool)>(([], false))

  /// How long an adapter is open, in seconds.
  package static let seconds = Pairing.seconds

  /// - Parameter environment: names the folder of a service that is not root.
  package init(adapter name: String? = nil, environment: [String: String]) {
    self.name = name
    self.environment = environment
  }

  /// Why nobody can be paired, as far as that is known before anything is opened; nil: it probably works.
  package var obstacle: Failure? {
    do throws(RadioError) { _ = try adapter() } catch { return .radio(error) }
    guard SmallFile.capabilities & 1 << 12 != 0 else { return .missingAdminCapability }
    do throws(Failure) { _ = try PairingLeftovers(environment) } catch { return error }
    return nil
  }

  /// A line that a person typed; from anywhere.
  package func type(_ line: String) {
    typed.withLock { if $0.lines.count < 100 { $0.lines.append(line) } }
    bell.ring()
  }

  package func stop() {
    typed.withLock { $0.isStopped = true }
    bell.ring()
  }

  /// Undoes changes, given as packets. A command that fails does not prevent the others.
  package static func undo(_ packets: [[UInt8]]) throws(RadioError) {
    let socket = try HCISocket.management()
    for packet in packets.reversed() {
      guard packet.count >= 6,
        let opcode = ManagementCommand.Opcode(rawValue: packet.span.littleEndian16(at: 0))
      else { continue }
      let command = ManagementCommand(
        opcode: opcode, adapter: packet.span.littleEndian16(at: 2), parameters: Array(packet[6...]))
      _ = try? AdapterList.ask(command, socket, patience: Self.patience)
    }
  }

  /// Blocks until a key is learned, the time is over, or `stop`. Afterwards the adapter is as it was before.
  package func run(
    allowsNoNumber: Bool, onNews: @escaping @Sendable (PairingNews) -> Void
  ) throws(Failure) -> PairingEnd {
    let leftovers = try PairingLeftovers(environment)
    if try leftovers.undo() { onNews(.putBack) }
    let result: Result<PairingEnd, Failure>
    do throws(RadioError) {
      let adapter = try adapter()
      let undo: PairingUndo
      do throws(SystemError) { undo = try PairingUndo(leftovers) } catch { throw .system(error) }
      defer { undo.finish() }
      result = try run(
        on: adapter, HCISocket.management(), HCISocket.management(), allowsNoNumber, onNews, undo)
    } catch {
      throw .radio(error)
    }
    return try result.get()
  }

  private func adapter() throws(RadioError) -> AdapterInfo {
    let found = try LiveRadio.adapters()
    let wants = AdapterChoice.of(name.map { [$0] } ?? [], aliases: [:])
    guard let adapter = found.first(where: { $0.supportsLowEnergy && wants($0) }) else {
      throw RadioError.noAdapter(found: found.map(\.kernelName))
    }
    return adapter
  }

  private func run(
    on adapter: AdapterInfo, _ setting: HCISocket, _ socket: HCISocket, _ allowsNoNumber: Bool,
    _ onNews: @escaping (PairingNews) -> Void, _ undo: PairingUndo
  ) throws(RadioError) -> Result<PairingEnd, Failure> {
    do throws(SystemError) {
      // Read before bluetoothd has an agent, because it then makes the adapter bondable.
      let (_, reply) = try AdapterList.ask(
        ManagementCommand(opcode: .readInformation, adapter: adapter.index), setting)
      let agent = try openAgent()
      let session = PairingSession(
        adapter: adapter, setting: setting, socket: socket, agent: agent, onNews: onNews, undo: undo)
      if let failure = try session.open(reply) { return .failure(failure) }
      return .success(
        try session.run(allowsNoNumber: allowsNoNumber, until: bell) {
          typed.withLock { state in
            defer { state.lines = [] }
            return state
          }
        })
    } catch {
      throw RadioError(error)
    }
  }

  /// nil: bluetoothd does not run.
  private func openAgent() throws(SystemError) -> PairingAgent? {
    guard let agent = try? PairingAgent() else { return nil }
    // On a busy machine it needs some seconds to answer.
    let end = LiveClock.now + .seconds(20)
    while LiveClock.now < end {
      agent.receive()
      if agent.owner == "" { return nil }
      if agent.isAccepted != nil { break }
      var entry = pollfd(fd: agent.connection.descriptor.number, events: Int16(POLLIN), revents: 0)
      try systemCall("poll") { unsafe poll(&entry, 1, 100) }
    }
    // On a bus that does not answer, bluetoothd cannot ask us about devices either.
    return agent.owner == nil ? nil : agent
  }
}

/// One opening of an adapter.
private final class PairingSession {
  private let adapter: AdapterInfo
  /// For commands that prepare the adapter.
  private let setting: HCISocket
  /// For what happens then. A device may connect before a command is answered, and the other socket skips
  /// such events.
  private let socket: HCISocket
  private let agent: PairingAgent?
  private let onNews: (PairingNews) -> Void
  private let undo: PairingUndo
  /// Connections of the attribute protocol; the first is where new ones come from.
  private var attributes: [Int32] = []

  init(
    adapter: AdapterInfo, setting: HCISocket, socket: HCISocket, agent: PairingAgent?,
    onNews: @escaping (PairingNews) -> Void, undo: PairingUndo
  ) {
    (self.adapter, self.setting, self.socket) = (adapter, setting, socket)
    (self.agent, self.onNews, self.undo) = (agent, onNews, undo)
  }

  deinit { for descriptor in attributes { close(descriptor) } }

  private typealias Opcode = ManagementCommand.Opcode

  /// Makes the adapter ready. Before each change, the command that undoes it is recorded.
  ///
  /// - Parameter reply: the adapter's information, as it was before.
  func open(_ reply: [UInt8]) throws(SystemError) -> LivePairing.Failure? {
    if let agent, agent.isAccepted != true { return .noAgent(answers: agent.isAccepted != nil) }
    let index = adapter.index
    guard reply.count >= 17 else { return LivePairing.Failure("does not describe itself", .notSupported) }
    let supported = reply.span.littleEndian32(at: 9)
    let current = reply.span.littleEndian32(at: 13)
    // Bits of the settings, with what sets them. Without secure connections there is no number to compare.
    let wanted: [(bit: UInt32, opcode: Opcode)] = [
      (9, .setLowEnergy), (6, .setSimplePairing), (11, .setSecureConnections), (4, .setBondable),
    ]
    for (bit, opcode) in wanted where supported & 1 << bit != 0 && current & 1 << bit == 0 {
      try undo.remember(ManagementCommand.set(opcode, of: index, to: 0).bytes)
      let (status, _) = try ask(.set(opcode, of: index, to: 1))
      if status != .success { return LivePairing.Failure("does not get ready to pair", status) }
    }
    if agent == nil {
      // 3: neither keys nor display, as it is after the start of the kernel.
      try undo.remember(ManagementCommand.set(.setInputOutput, of: index, to: 3).bytes)
      _ = try ask(.set(.setInputOutput, of: index, to: Pairing.displayYesNo))
      _ = try ask(.loadNoResolvingKeys(index))
    }
    if !adapter.isPowered {
      try undo.remember(ManagementCommand.set(.setPowered, of: index, to: 0).bytes)
      let (status, _) = try ask(.set(.setPowered, of: index, to: 1))
      if status != .success { return LivePairing.Failure("cannot be switched on", status) }
    }
    if agent == nil {
      let listener = beaconkeeper_attribute_listener(adapter.address.bits)
      if listener >= 0 { attributes = [listener] }
    }
    return try advertise()
  }

  private func advertise() throws(SystemError) -> LivePairing.Failure? {
    let (_, features) = try ask(.readAdvertisingFeatures(adapter.index))
    guard let features = AdvertisingFeatures(reply: features.span), features.most > 0,
      let instance = (1...features.most).last(where: { !features.instances.contains($0) }),
      let removal = ManagementCommand.removeAdvertising(adapter.index, instance: instance)
    else { return .noAdvertising }
    // Flags: discoverable, and no classic Bluetooth, by which a phone would otherwise connect. The service of heart rate
    // sensors, which phones list in their settings; and a name.
    let name = Array(HeartRateServer.name.utf8)
    let kind: [UInt8] = [2, 0x01, 0x06, 3, 0x03, 0x0D, 0x18, 3, 0x19, 0x40, 0x03]
    let data = kind + [UInt8(truncatingIfNeeded: name.count + 1), 0x09] + name
    try undo.remember(removal.bytes)
    let (status, _) = try ask(
      .advertiseConnectably(adapter.index, instance: instance, timeout: Pairing.seconds, data))
    return status == .success ? nil : LivePairing.Failure("cannot advertise", status)
  }

  private func ask(
    _ command: ManagementCommand
  ) throws(SystemError) -> (status: ManagementStatus, parameters: [UInt8]) {
    try AdapterList.ask(command, setting, patience: 10_000)
  }

  /// - Parameter takeTyped: the lines that were typed, and whether to stop.
  func run(
    allowsNoNumber: Bool, until bell: Bell, takeTyped: () -> (lines: [String], isStopped: Bool)
  ) throws(SystemError) -> PairingEnd {
    var pairing = Pairing(adapter: adapter.index, allowsNoNumber: allowsNoNumber, at: LiveClock.now)
    var packets = PacketBuffer()
    onNews(.isOpen(adapter: adapter.kernelName, hasBluetoothd: agent != nil))
    while true {
      try wait(until: pairing.deadline, bell)
      bell.silence()
      agent?.receive()
      serve(isPaired: pairing.isPaired)
      var actions: [Pairing.Action] = []
      socket.receive(into: &packets)
      for place in 0..<packets.count {
        actions += pairing.receive(
          packets.bytes.span.extracting(packets.range(place)), at: LiveClock.now)
      }
      let typed = takeTyped()
      for line in typed.lines { actions += pairing.typed(line) }
      actions += typed.isStopped ? pairing.close(.stopped) : pairing.advance(to: LiveClock.now)
      if let end = try perform(actions) { return end }
    }
  }

  private func perform(_ actions: [Pairing.Action]) throws(SystemError) -> PairingEnd? {
    for action in actions {
      switch action {
      case .send(let command): try socket.send(command.bytes)
      case .answer(let device, let isAgreed):
        if let agent {
          agent.answer(device, isAgreed)
        } else {
          try socket.send(ManagementCommand.confirm(adapter.index, device, isAgreed).bytes)
        }
      case .undo(let command):
        try undo.remember(command.bytes)
      case .tell(let news): onNews(news)
      case .end(let end):
        forget(end)
        return end
      }
    }
    return nil
  }

  /// bluetoothd keeps what it knows of paired devices on disk.
  private func forget(_ end: PairingEnd) {
    guard let agent else { return }
    switch end {
    case .learned(let learned): agent.forget(learned.identity, on: adapter.index)
    case .hasNoKey(let device): agent.forget(device, on: adapter.index)
    case .tookTooLong, .stopped: break
    }
    Thread.sleep(for: .milliseconds(300))
    agent.receive()
  }

  private func wait(until deadline: MonotonicTime, _ bell: Bell) throws(SystemError) {
    var entries = [socket.descriptor.number, bell.reading].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    for descriptor in attributes { entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
    if let agent, !agent.connection.isDead {
      entries.append(pollfd(fd: agent.connection.descriptor.number, events: Int16(POLLIN), revents: 0))
    }
    let left = (deadline - LiveClock.now).nanoseconds / 1_000_000 + 1
    try systemCall("poll") {
      unsafe poll(&entries, nfds_t(entries.count), Int32(clamping: max(0, min(left, 1000))))
    }
    if entries[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
      throw SystemError(call: "Bluetooth management", code: EPIPE)
    }
  }

  /// Answers what phones ask about services.
  private func serve(isPaired: Bool) {
    guard let listener = attributes.first else { return }
    let new = accept(listener, nil, nil)
    if new >= 0 {
      _ = fcntl(new, F_SETFD, FD_CLOEXEC)
      _ = fcntl(new, F_SETFL, O_NONBLOCK)
      if attributes.count <= Pairing.limit { attributes.append(new) } else { close(new) }
    }
    var request = [UInt8](repeating: 0, count: 1024)
    for descriptor in attributes.dropFirst() {
      // A limited number at a time, because a device may send without an end.
      for _ in 0..<16 {
        let count = unsafe request.withUnsafeMutableBytes {
          unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { break }
        guard count > 0 else {
          attributes.removeAll { $0 == descriptor }
          close(descriptor)
          break
        }
        guard let answer = HeartRateServer.answer(request.span.extracting(..<count), isPaired: isPaired)
        else { continue }
        _ = unsafe answer.withUnsafeBytes {
          unsafe send(
            descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
      }
    }
  }
}
