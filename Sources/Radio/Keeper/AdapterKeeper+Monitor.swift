import Core

extension AdapterKeeper {
  static let longestMonitorRetry = TimeSpan.seconds(30)

  mutating func addMonitor(at time: MonotonicTime) -> [KeeperAction] {
    monitor = .adding
    monitorDeadline = time + Self.patience
    return [.send(.addPatternMonitor(index))]
  }

  /// Removes our monitor, and no others.
  mutating func removeMonitor(at time: MonotonicTime) -> [KeeperAction] {
    guard case .added(let handle) = monitor,
      let remove = ManagementCommand.removeMonitor(index, handle: handle)
    else { return [] }
    monitor = .removing(handle: handle)
    monitorDeadline = time + Self.patience
    return [.send(remove)]
  }

  /// Removing and adding it makes the kernel start its scan again.
  mutating func renewMonitor(at time: MonotonicTime) -> [KeeperAction] {
    switch monitor {
    case .added: removeMonitor(at: time)
    case .none: addMonitor(at: time)
    case .refused: renewSubstitute(at: time)
    case .adding, .removing: []
    }
  }

  mutating func monitorIsDue(at time: MonotonicTime) -> [KeeperAction] {
    monitorDeadline = .distantFuture
    // Without a raw socket a monitor is useless: only bluetoothd's discovery leads to its signals.
    if hearsByBusOnly, !isStopping { return refused() }
    switch monitor {
    case .adding: return power == .on ? addMonitor(at: time) : dropMonitor()
    case .removing:
      if isStopping { return dropMonitor() }
      return addMonitor(at: time)
    case .none, .added, .refused: return []
    }
  }

  mutating func monitorAdded(
    _ status: ManagementStatus, handle: UInt16?, at time: MonotonicTime
  ) -> [KeeperAction] {
    if status == .permissionDenied { lacksAdmin = true }
    if hearsByBusOnly, status == .success, let handle {
      return ManagementCommand.removeMonitor(index, handle: handle).map { [.send($0)] } ?? []
    }
    guard monitor == .adding else { return [] }
    switch status {
    case .success:
      guard let handle, handle != 0 else { return [] }
      let isFirst = !hasToldPath
      hasToldPath = true
      monitor = .added(handle: handle)
      monitorDeadline = .distantFuture
      monitorTries = 0
      // The answer arrived after the stop.
      if isStopping { return removeMonitor(at: time) }
      guard isFirst else { return [] }
      return [.notice("\(name): \(ReceivePath.kernelMonitor)"), readPHY]
    case .permissionDenied: return refused()
    case .unknownCommand, .notSupported:
      return [.notice("\(name): this kernel has no advertisement monitors; they need Linux 5.10 or newer")]
        + refused()
    default:
      monitorDeadline = time + min(.seconds(1) * Double(1 << min(monitorTries, 5)), Self.longestMonitorRetry)
      monitorTries += 1
      return []
    }
  }

  private mutating func refused() -> [KeeperAction] {
    monitor = .refused
    monitorDeadline = .distantFuture
    return [.seekBluetoothd]
  }

  /// The kernel has removed our monitor.
  mutating func removalAnswered(at time: MonotonicTime) -> [KeeperAction] {
    guard case .removing = monitor else { return [] }
    return isStopping || power != .on ? dropMonitor() : addMonitor(at: time)
  }

  /// A program removed a monitor; handle 0: all of them.
  mutating func monitorRemoved(_ handle: UInt16, at time: MonotonicTime) -> [KeeperAction] {
    guard case .added(let ours) = monitor, handle == 0 || handle == ours else { return [] }
    return isStopping || power != .on ? dropMonitor() : addMonitor(at: time)
  }

  private mutating func dropMonitor() -> [KeeperAction] {
    monitor = .none
    monitorDeadline = .distantFuture
    return []
  }
}
