import Core

extension AdapterKeeper {
  static let offReason = "the adapter is powered off; switch it on with: bluetoothctl power on"
  static let blockedReason = "blocked by rfkill; unblock it with: rfkill unblock bluetooth"

  /// The pauses between attempts to switch it on: short at first, because the problem may be passing.
  static func powerRetry(_ tries: Int) -> TimeSpan {
    switch tries {
    case ..<2: .seconds(1)
    case ..<20: .seconds(2)
    case ..<40: .seconds(10)
    default: .seconds(60)
    }
  }

  mutating func powerOn(at time: MonotonicTime) -> [KeeperAction] {
    guard let info else { return [] }
    power = .turningOn
    powerDeadline = time + Self.powerPatience
    let power = ManagementCommand(opcode: .setPowered, adapter: index, parameters: [1])
    if info.hasLowEnergyEnabled { return [.send(power)] }
    return [.send(ManagementCommand(opcode: .setLowEnergy, adapter: index, parameters: [1])), .send(power)]
  }

  mutating func powerCycle(because reason: String, at time: MonotonicTime) -> [KeeperAction] {
    powerReason = reason
    power = .turningOff
    powerDeadline = time + Self.powerPatience
    return [.send(ManagementCommand(opcode: .setPowered, adapter: index, parameters: [0]))]
  }

  /// The adapter is off, and we did not switch it off.
  mutating func foundOff() -> [KeeperAction] {
    power = .off
    powerReason = Self.offReason
    powerDeadline = .distantFuture
    return [.inspectBlock(adapter: index)]
  }

  mutating func powerIsDue(at time: MonotonicTime) -> [KeeperAction] {
    switch power {
    case .asking: return ask(at: time)
    case .turningOn, .turningOff: return powerOn(at: time)
    case .blocked:
      powerDeadline = time + Self.blockInterval
      return [.inspectBlock(adapter: index)]
    case .off, .on:
      powerDeadline = .distantFuture
      return []
    }
  }

  /// Whether rfkill blocks it; nil: unknown.
  mutating func inspected(_ isBlocked: Bool?, at time: MonotonicTime) -> [KeeperAction] {
    guard !isStopping else { return [] }
    switch (power, isBlocked) {
    case (.off, true?): return blocked(at: time) + tellHealth(at: time)
    case (.blocked, false?): return powerOn(at: time)
    case (.blocked, nil):
      powerTries += 1
      powerDeadline = time + Self.powerRetry(powerTries)
      return [.send(ManagementCommand(opcode: .setPowered, adapter: index, parameters: [1]))]
    default: return []
    }
  }

  private mutating func blocked(at time: MonotonicTime) -> [KeeperAction] {
    let isNew = power != .blocked
    power = .blocked
    powerReason = Self.blockedReason
    powerDeadline = time + Self.blockInterval
    guard isNew, policy.mayUnblock else { return [] }
    return [
      .notice("\(name) is blocked by rfkill; unblocking it, as the configuration allows"),
      .unblock(adapter: index),
    ]
  }

  /// The kernel's answer to our switching it on or off.
  mutating func powerAnswered(
    _ status: ManagementStatus, _ settings: UInt32?, at time: MonotonicTime
  ) -> [KeeperAction] {
    switch (power, status) {
    case (.turningOff, .success): return powerOn(at: time)
    case (.turningOff, .permissionDenied):
      lacksAdmin = true
      power = .on
      powerDeadline = .distantFuture
      return []
    case (.turningOff, _): return powerOn(at: time)
    case (.turningOn, .success), (.blocked, .success):
      guard let settings else { return [] }
      return settingsChanged(settings, at: time)
    case (.turningOn, .permissionDenied), (.blocked, .permissionDenied):
      lacksAdmin = true
      _ = foundOff()
      powerReason = "\(Self.offReason) (or grant CAP_NET_ADMIN)"
    case (.turningOn, .blocked), (.blocked, .blocked):
      return blocked(at: time) + tellHealth(at: time)
    case (.turningOn, .busy):
      // Another program is changing it, often switching it on as well.
      powerDeadline = time + .seconds(1)
    case (.turningOn, _):
      powerTries += 1
      powerReason = "the adapter cannot be switched on: \(status.meaning)"
      powerDeadline = time + Self.powerRetry(powerTries)
    default: return []
    }
    return tellHealth(at: time)
  }

  mutating func settingsChanged(_ settings: UInt32, at time: MonotonicTime) -> [KeeperAction] {
    guard !isStopping, var info else { return [] }
    let wasPowered = info.isPowered
    info.apply(settings: settings)
    self.info = info
    guard info.isPowered != wasPowered else {
      // The answer to our own power-on, after the kernel had already announced it.
      if info.isPowered, power == .turningOn { return switchedOn(at: time) + tellHealth(at: time) }
      return []
    }
    var actions: [KeeperAction] = []
    if !info.isPowered { hearing.poweredOff(at: time) }
    if info.isPowered {
      actions += switchedOn(at: time)
    } else if power == .on {
      let error = hearing.overheard.hardwareErrorAt
      actions += foundOff()
      if let error, time - error < Self.aftermath {
        // The kernel sets it up again by itself; if it cannot, we do.
        power = .turningOn
        powerReason = "the controller reported a hardware error"
        powerDeadline = time + .seconds(2)
      }
    }
    return actions + tellHealth(at: time)
  }

  mutating func switchedOn(at time: MonotonicTime) -> [KeeperAction] {
    power = .on
    powerDeadline = .distantFuture
    powerTries = 0
    powerReason = ""
    hearing.poweredOn(at: time)
    recovery.stepFinished(at: time)
    // An existing monitor remains, and the kernel scans for it again.
    return (monitor == .none ? addMonitor(at: time) : []) + (hasToldPath ? [readPHY] : [])
      + renewSubstitute(at: time)
  }
}
