extension OSProfile {
  /// Android, oldest first.
  static var android: [OSProfile] { [android5, android8, android12, android14, android15, android16] }

  private static var android5: OSProfile {
    OSProfile("android5", .android, "Android 5 to 7: services without limit") {
      $0.scansBetweenCycles = Constant(true, "a filtered scan while nothing is in sight", .high)
      $0.scanStartLimit = Constant(5, "Android 7", .high)
      $0.screenOffNeedsFilter = Constant(false, "before Android 8.1", .high)
      $0.relaunchesAfterForceQuit = Constant(false, "a force-stopped app stays stopped", .high)
      $0.downgradesScanAfter = Constant(.minutes(30), "Android 7", .high)
    }
  }

  private static var android8: OSProfile {
    OSProfile("android8", .android, "Android 8 to 11: jobs, intents, services of 600 s") { limitService(&$0) }
  }

  private static var android12: OSProfile {
    OSProfile("android12", .android, "Android 12 and 13: no foreground service from the background") {
      refuseStarts(&$0)
    }
  }

  private static var android14: OSProfile {
    OSProfile("android14", .android, "Android 14: foreground services need a type") { needType(&$0) }
  }

  private static var android15: OSProfile {
    OSProfile("android15", .android, "Android 15: services of the type dataSync end after 6 h") {
      limitDataSync(&$0)
    }
  }

  private static var android16: OSProfile {
    OSProfile("android16", .android, "Android 16: as android15; no other rule is known") {
      limitDataSync(&$0)
    }
  }

  private static func refuseStarts(_ profile: inout OSProfile) {
    limitService(&profile)
    profile.startsServiceInBackground = Constant(false, "12 and later may refuse it", .high)
    profile.hasDevicePresence = Constant(true, "Android 12", .high)
    profile.filtersNeverForLocation = Constant(true, "Android 12: neverForLocation filters beacons", .high)
  }

  private static func needType(_ profile: inout OSProfile) {
    refuseStarts(&profile)
    profile.serviceNeedsType = Constant(true, "Android 14", .high)
    profile.downgradesScanAfter = Constant(.minutes(10), "10 min on newer versions", .high)
  }

  private static func limitDataSync(_ profile: inout OSProfile) {
    needType(&profile)
    profile.dataSyncLimit = Constant(.minutes(360), "Android 15: 6 h in 24 h", .high)
  }

  private static func limitService(_ profile: inout OSProfile) {
    profile.serviceLimit = Constant(.seconds(600), "background service at most 600 s", .high)
    profile.relaunchesAfterForceQuit = Constant(false, "a force-stopped app stays stopped", .high)
  }
}
