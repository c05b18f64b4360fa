extension StrategyProfile {
  /// What an app gets without any effort (S0, S3).
  static var stock: StrategyProfile {
    StrategyProfile("stock", .events, "Region events only: 10 s each")
  }

  /// `stock` with the beacon's transmit power turned down (S0).
  static var lowPower: StrategyProfile {
    StrategyProfile("low-power", .events, "stock, and a beacon heard within a few metres only") {
      $0.heardDistance = Constant(.metres(5), "S0: only within a few metres; varies by device", .low)
      $0.heardDistanceLeast = Constant(.metres(2), "S0: varies by device and placement", .low)
      $0.heardDistanceMost = Constant(.metres(8), "S0: varies by device and placement", .low)
      $0.mayNotHear = Constant(true, "S0: actions not being triggered at all", .high)
      $0.risk = Constant(.medium, "S0: actions may not be triggered at all", .high)
    }
  }

  /// A background task at every background event (S0, S2).
  static var backgroundTask: StrategyProfile {
    StrategyProfile("background-task", .events, "A background task at each event stretches the window") {
      $0.beginsTask = Constant(true, "S0", .high)
      $0.risk = Constant(.medium, "S2: one task not ended kills the app until it is launched by hand", .high)
      $0.reviewRisk = Constant(
        .medium, "S0: no special approval needed; S4: apps that hold tasks for nothing are refused", .medium)
    }
  }
  /// Beacon conditions of `CLMonitor` (iOS 17): events as of region monitoring.
  static var clMonitor: StrategyProfile {
    StrategyProfile("cl-monitor", .events, "CLMonitor's beacon conditions: 10 s at each event (iOS 17)") {
      $0.needs = .newerLocation
      $0.risk = Constant(
        .medium, "an app that does not await events soon after its launch loses them", .medium)
    }
  }

  /// A Live Activity shows something, and gives no time to range.
  static var liveActivity: StrategyProfile {
    StrategyProfile("live-activity", .events, "stock beside a Live Activity, which gives no ranging") {
      $0.needs = .liveActivities
      $0.reviewRisk = Constant(.low, "if the activity shows what the user follows", .low)
    }
  }
}
