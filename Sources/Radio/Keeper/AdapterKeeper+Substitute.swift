import Beacons
import Core

/// What keeps an adapter scanning if the kernel refuses a monitor.
enum Substitute {
  case none
  /// bluetoothd's discovery.
  case discovery(isOn: Bool, tries: Int)
  case ownScan(OwnScan)
}

extension AdapterKeeper {
  static let discoveryRetry = TimeSpan.seconds(1)
  static let longestDiscoveryRetry = TimeSpan.seconds(30)
  /// After bluetoothd dies, the kernel continues its discovery for up to 10.24 s and refuses another.
  static let quickDiscoveryTries = 15

  /// bluetoothd appeared or disappeared.
  mutating func bluetoothd(_ isThere: Bool, at time: MonotonicTime) -> [KeeperAction] {
    guard monitor == .refused, !isStopping else { return [] }
    switch (substitute, isThere) {
    case (.discovery, true), (.ownScan, false): return []
    case (.none, false) where hearsByBusOnly && lacksBluetoothd: return []
    default: return substituteMonitor(hasBluetoothd: isThere, at: time)
    }
  }

  mutating func substituteMonitor(hasBluetoothd: Bool, at time: MonotonicTime) -> [KeeperAction] {
    let leaving = endSubstitute()
    lacksBluetoothd = !hasBluetoothd
    if hearsByBusOnly, !hasBluetoothd { return tellHealth(at: time) }
    if hasBluetoothd {
      substitute = .discovery(isOn: false, tries: 0)
      substituteDeadline = time
      return leaving + [.notice("\(name): \(hearsByBusOnly ? ReceivePath.bus : .discovery)")]
    }
    substitute = .ownScan(OwnScan(policy.duty, at: time))
    substituteDeadline = time
    return leaving + [.notice("\(name): \(ReceivePath.ownScan)")]
  }

  mutating func substituteIsDue(at time: MonotonicTime) -> [KeeperAction] {
    guard power == .on, !isStopping else {
      substituteDeadline = .distantFuture
      return []
    }
    switch substitute {
    case .none:
      substituteDeadline = .distantFuture
      return []
    case .discovery(let isOn, let tries):
      substituteDeadline = .distantFuture
      guard !isOn else { return [] }
      substitute = .discovery(isOn: false, tries: tries + 1)
      // In case no answer comes.
      substituteDeadline = time + Self.longestDiscoveryRetry
      return [.discover(adapter: index, true)]
    case .ownScan(var scan):
      let commands = scan.advance(to: time, isScanning: hearing.overheard.isScanning)
      substitute = .ownScan(scan)
      substituteDeadline = scan.deadline
      return issue(commands, at: time)
    }
  }

  /// Discovery began, failed or ended.
  mutating func discovering(_ isOn: Bool, at time: MonotonicTime) -> [KeeperAction] {
    guard case .discovery(let wasOn, let tries) = substitute else { return [] }
    if isOn {
      substitute = .discovery(isOn: true, tries: 0)
      substituteDeadline = .distantFuture
    } else {
      let pause = tries < Self.quickDiscoveryTries ? Self.discoveryRetry : Self.longestDiscoveryRetry
      substitute = .discovery(isOn: false, tries: wasOn ? 0 : tries)
      substituteDeadline = time + (wasOn ? .milliseconds(200) : pause)
    }
    return []
  }

  /// The adapter is on again, or its scan must be restarted.
  mutating func renewSubstitute(at time: MonotonicTime) -> [KeeperAction] {
    substituteDeadline = time
    switch substitute {
    case .none: return []
    case .discovery(let isOn, _):
      substitute = .discovery(isOn: false, tries: 0)
      return isOn ? [.discover(adapter: index, false)] : []
    case .ownScan(var scan):
      let commands = scan.renew(at: time)
      substitute = .ownScan(scan)
      substituteDeadline = scan.deadline
      return issue(commands, at: time)
    }
  }

  /// Restores the state of the radio.
  mutating func endSubstitute() -> [KeeperAction] {
    defer {
      substitute = .none
      substituteDeadline = .distantFuture
    }
    switch substitute {
    case .none: return []
    case .discovery: return [.discover(adapter: index, false)]
    case .ownScan(var scan): return scan.stop().map { .command(adapter: index, $0) }
    }
  }

  /// Passes commands to the controller, and its answers, to our own scan.
  mutating func overhear(_ packet: Span<UInt8>, at time: MonotonicTime) -> [KeeperAction] {
    hearing.overhear(packet, at: time)
    guard case .ownScan(var scan) = substitute, packet.count >= 4 else { return [] }
    var commands: [HCICommand] = []
    if packet[0] == HCIPacketType.command {
      scan.overhear(packet.littleEndian16(at: 1))
    } else if packet[0] == HCIPacketType.event, packet[1] == 0x0E, packet.count >= 7 {
      commands = scan.answered(packet.littleEndian16(at: 4), status: packet[6], packet.extracting(7...))
    }
    substitute = .ownScan(scan)
    return issue(commands, at: time)
  }

  /// A socket does not receive the commands that it sends, so they are passed on here.
  private mutating func issue(_ commands: [HCICommand], at time: MonotonicTime) -> [KeeperAction] {
    for command in commands { hearing.overhear(command.packet.span, at: time) }
    return commands.map { .command(adapter: index, $0) }
  }
}
