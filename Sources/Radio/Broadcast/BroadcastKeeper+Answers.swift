import Beacons
import Core

/// The kernel's answers and events.
extension BroadcastKeeper {
  mutating func receive(_ packet: Span<UInt8>, at time: MonotonicTime) -> [KeeperAction] {
    guard let (index, event) = ManagementEvent.parse(packet) else { return [] }
    if case .answer(let opcode, let status, let parameters) = event,
      opcode == ManagementCommand.Opcode.readInformation.rawValue, status == .success
    {
      // The answer is useful, whichever program asked.
      if let info = AdapterInfo(index: index, reply: packet.extracting(parameters)) {
        described(info, at: time)
      }
    } else if index == info?.index {
      hear(event, packet, at: time)
    }
    return proceed(at: time) + tell(at: time)
  }

  private mutating func hear(_ event: ManagementEvent, _ packet: Span<UInt8>, at time: MonotonicTime) {
    switch event {
    case .answer(let opcode, let status, let parameters):
      let parameters = packet.extracting(parameters)
      // The scan keeper switched the power on through the same socket, and the kernel sends events only to other sockets.
      if opcode == ManagementCommand.Opcode.setPowered.rawValue, parameters.count >= 4 {
        changed(parameters.littleEndian32(at: 0), at: time)
      } else {
        answered(opcode, status, parameters, at: time)
      }
    case .newSettings(let settings): changed(settings, at: time)
    case .adapterRemoved: leave()
    case .advertisingAdded(let number):
      if instances[number] == nil { others.insert(number) }
    case .advertisingRemoved(let number):
      if others.remove(number) == nil, question != .parameters(number) { instances[number] = nil }
    case .adapterAdded, .monitorRemoved, .other: break
    }
  }

  /// A packet of the adapter's raw socket without an advertisement. After another program resets the controller, it sends
  /// nothing any more, and the kernel does not know.
  mutating func overheard(_ packet: Span<UInt8>, on index: UInt16, at time: MonotonicTime) -> [KeeperAction] {
    // Command Complete of Reset: packet type 1, event 1, length 1, commands 1, opcode 2, status 1.
    guard index == info?.index, phase == .ready, packet.count >= 7, packet[0] == HCIPacketType.event,
      packet[1] == 0x0E, packet.littleEndian16(at: 4) == HCICommand.Opcode.reset, packet[6] == 0
    else { return [] }
    loseAll(at: time)
    return proceed(at: time) + tell(at: time)
  }

  // MARK: The adapter

  private mutating func described(_ new: AdapterInfo, at time: MonotonicTime) {
    guard new.index == info?.index || (info == nil && (new.address.bits == address || wants(new))) else {
      return
    }
    let wasPowered = info?.isPowered == true
    info = new
    address = new.address.bits
    guard new.isPowered != wasPowered else { return }
    question = nil
    pause = nil
    loseAll(at: time)
    phase = new.isPowered ? .asking : .waiting
  }

  private mutating func changed(_ settings: UInt32, at time: MonotonicTime) {
    guard var info else { return }
    info.apply(settings: settings)
    described(info, at: time)
  }

  private mutating func leave() {
    info = nil
    phase = .waiting
    question = nil
    pause = nil
    features = nil
    others = []
    instances = [:]
  }

  /// Nothing of ours is on air any more. The kernel still has the instances, and they must be removed.
  private mutating func loseAll(at time: MonotonicTime) {
    for number in instances.keys {
      instances[number]?.state = .stale
      instances[number]?.removal = time
    }
  }

  // MARK: Answers

  private mutating func answered(
    _ opcode: UInt16, _ status: ManagementStatus, _ parameters: Span<UInt8>, at time: MonotonicTime
  ) {
    guard let question, let opcode = ManagementCommand.Opcode(rawValue: opcode) else { return }
    switch (question, opcode) {
    case (.features, .readAdvertisingFeatures):
      self.question = nil
      learned(status, parameters, at: time)
    case (.parameters(let number), .addAdvertisingParameters), (.data(let number), .addAdvertisingData),
      (.removal(let number), .removeAdvertising):
      // A late answer to a command that was given up.
      if status == .success, parameters.count >= 1, parameters[0] != number { return }
      self.question = nil
      switch (opcode, instances[number]?.state) {
      case (.removeAdvertising, _): removed(number, status, at: time)
      case _ where status != .success: refused(number, status, at: time)
      case (.addAdvertisingParameters, .setting): instances[number]?.state = .set
      case (.addAdvertisingData, .set): instances[number]?.state = .on
      default: break
      }
    default: break
    }
  }

  private mutating func learned(
    _ status: ManagementStatus, _ parameters: Span<UInt8>, at time: MonotonicTime
  ) {
    switch status {
    case .success:
      guard let features = AdvertisingFeatures(reply: parameters) else { break }
      self.features = features
      // A listed instance that is not ours belongs to another program; one of ours that is not listed is gone.
      others = features.instances.subtracting(instances.keys)
      instances = instances.filter { features.instances.contains($0.key) }
      isConnectable = false
      phase = .ready
      began = began ?? time
      return
    case .permissionDenied:
      phase = .refused("broadcasting needs CAP_NET_ADMIN, which this process lacks; \(RadioError.grant)")
      return
    case .unknownCommand, .notSupported:
      phase = .refused("this kernel or adapter has no advertising instances")
      return
    default: refusal = status.meaning
    }
    pause = time + Self.longRetry
  }

  /// The kernel refused an instance.
  private mutating func refused(_ number: UInt8, _ status: ManagementStatus, at time: MonotonicTime) {
    instances[number]?.state = .stale
    instances[number]?.removal = time
    refusal = "the kernel refuses to advertise: \(status.meaning)"
    switch status {
    case .permissionDenied:
      phase = .refused("broadcasting needs CAP_NET_ADMIN, which this process lacks; \(RadioError.grant)")
    case .unknownCommand, .notSupported:
      phase = .refused("this kernel is too old to broadcast; it takes Linux 5.11 or newer")
    default:
      refusals += 1
      // The first time, it may be because another program's command was in progress.
      if refusals >= 2, features?.hasSingleSet == true { isConnectable = true }
      pause = time + (refusals < 20 ? Self.retry : Self.longRetry)
    }
  }

  private mutating func removed(_ number: UInt8, _ status: ManagementStatus, at time: MonotonicTime) {
    switch status {
    case .success, .invalidParameters: instances[number] = nil
    case .busy:
      instances[number]?.removal = time + Self.retry
    default:
      // A controller that was reset does not know the instance. The kernel forgets it when it is next switched off.
      instances[number]?.removal = time + Self.longRetry
    }
    if isStopping, status != .busy { instances[number] = nil }
  }

  /// There was no answer.
  mutating func unanswered(at time: MonotonicTime) {
    switch question {
    case nil: return
    case .features: pause = time + Self.longRetry
    case .parameters(let number), .data(let number):
      instances[number]?.state = .stale
      instances[number]?.removal = time
    case .removal(let number): instances[number]?.removal = time + Self.longRetry
    }
    question = nil
    refusal = "the kernel does not respond"
    // It is unknown which commands took effect.
    if phase == .ready, !isStopping { phase = .asking }
  }
}
