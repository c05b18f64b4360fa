extension StrategyProfile {
  /// AltBeacon's background service: scan, pause, scan.
  static var altBeaconLegacy: StrategyProfile {
    StrategyProfile("altbeacon-legacy", .cycle, "A service scans 10 s of every 310 s") {
      $0.scanDuty = lowPowerDuty
      $0.hitLatency = Constant(0, "Android 5 to 7: a hit between cycles gives 10 s", .high)
      $0.risk = Constant(.high, "Android 8 and later stop the service after 600 s", .high)
    }
  }

  /// AltBeacon's default from Android 8 on: scheduled jobs.
  static var altBeaconJob: StrategyProfile {
    StrategyProfile("altbeacon-job", .job, "A job scans for 10 s about every 15 min") {
      $0.scanInterval = Constant(.minutes(15), "jobs about every 15 min", .high)
      $0.hitLatency = Constant(.seconds(5), "AltBeacon: first beacon after 5 s, typically", .high)
      $0.forgetsAfter = Constant(.minutes(25), "AltBeacon: exit up to 25 min", .high)
      $0.scanDuty = lowPowerDuty
      $0.risk = Constant(.medium, "Doze and standby buckets put jobs off", .high)
    }
  }

  /// AltBeacon's intent scan: the system scans, and starts the app at a hit.
  static var altBeaconIntent: StrategyProfile {
    StrategyProfile("altbeacon-intent", .intent, "The system scans and wakes the app at a hit") {
      $0.hitLatency = Constant(.seconds(5), "AltBeacon: first beacon after 5 s, typically", .high)
      $0.forgetsAfter = Constant(.minutes(25), "AltBeacon: exit up to 25 min", .high)
      $0.scanDuty = lowPowerDuty
    }
  }

  /// AltBeacon in a foreground service: it scans all the time.
  static var altBeaconForegroundService: StrategyProfile {
    StrategyProfile("altbeacon-foreground-service", .foregroundService, "A foreground service scans always") {
      $0.permissionAsked = "While using the app, notifications"
      $0.scanDuty = Constant(1000, "foreground service 100 %", .high)
      $0.risk = Constant(.medium, "12 and later may refuse a start from the background", .high)
      $0.reviewRisk = Constant(.medium, "14 and later: the type must be declared and justified", .medium)
    }
  }

  /// Companion device presence: the system wakes the app of an associated beacon (Android 12).
  static var companionPresence: StrategyProfile {
    StrategyProfile("companion-presence", .intent, "The system wakes the app of an associated beacon") {
      $0.needs = .devicePresence
      $0.permissionAsked = "Association with the beacon"
      $0.hitLatency = Constant(.seconds(5), "not documented: as long as an intent scan", .low)
      $0.forgetsAfter = Constant(.minutes(25), "not documented: as long as an intent scan", .low)
      $0.scanDuty = lowPowerDuty
      $0.risk = Constant(
        .medium, "the user must associate each beacon, and its address must not change", .medium)
    }
  }

  private static var lowPowerDuty: Constant<Int64> {
    Constant(100, "low-power mode: 140 of 1400 ms", .high)
  }
}
