extension OSProfile {
  /// iOS, oldest first.
  static func iOS(_ variant: Variant) -> [OSProfile] {
    [ios6, ios70, ios7, ios7Changes, ios8, ios9, ios13, ios16, ios17, ios18, ios26].map { profile in
      var profile = profile
      if variant == .observed { profile.observe() }
      return profile
    }
  }

  private static var ios6: OSProfile {
    OSProfile("ios6", .iOS, "iOS 6: no beacons; tasks of 600 s") {
      $0.tellsWhenInUseApart = Constant(false, "iOS 8 and later", .high)
      $0.supportsBeacons = Constant(false, "beacons came with iOS 7", .high)
      $0.taskCap = Constant(.seconds(600), "S0", .high)
      $0.needsAllowsFlag = Constant(false, "iOS 9 and later", .high)
    }
  }

  private static var ios70: OSProfile {
    OSProfile("ios7.0", .iOS, "iOS 7.0: as ios7, but a force-quit app is not relaunched") {
      $0.tellsWhenInUseApart = Constant(false, "iOS 8 and later", .high)
      $0.relaunchesAfterForceQuit = Constant(false, "7.0 does not relaunch", .medium)
      $0.needsAllowsFlag = Constant(false, "iOS 9 and later", .high)
    }
  }

  private static var ios7: OSProfile {
    OSProfile("ios7", .iOS, "iOS 7.1: tasks of 180 s") {
      $0.tellsWhenInUseApart = Constant(false, "iOS 8 and later", .high)
      $0.needsAllowsFlag = Constant(false, "iOS 9 and later", .high)
    }
  }

  private static var ios7Changes: OSProfile {
    var profile = ios7
    profile.name = "ios7-changes"
    profile.summary = "iOS 7.1 with a callback at every change instead of one a second"
    profile.tickPeriod = Constant(
      100, "S1: at every change; at most one a sighting, of a beacon that advertises ten times a second",
      .medium)
    return profile
  }

  private static var ios8: OSProfile {
    OSProfile("ios8", .iOS, "iOS 8: as ios7, with a permission for always and one for when in use") {
      $0.needsAllowsFlag = Constant(false, "iOS 9 and later", .high)
    }
  }

  private static var ios9: OSProfile {
    OSProfile("ios9", .iOS, "iOS 9 to 12: location in the background needs a flag")
  }

  private static var ios13: OSProfile {
    OSProfile("ios13", .iOS, "iOS 13 to 16.3: tasks of 30 s") { shortTasks(&$0) }
  }

  private static var ios16: OSProfile {
    OSProfile("ios16.4", .iOS, "iOS 16.4: stricter about background location") {
      shortTasks(&$0)
      $0.hasLiveActivities = Constant(true, "iOS 16.1", .high)
    }
  }

  private static var ios17: OSProfile {
    OSProfile("ios17", .iOS, "iOS 17: background activity sessions, CLMonitor, live updates") {
      haveSession(&$0)
    }
  }

  private static var ios18: OSProfile {
    OSProfile("ios18", .iOS, "iOS 18: the newer API needs a service session") { holdSession(&$0) }
  }

  private static var ios26: OSProfile {
    OSProfile("ios26", .iOS, "iOS 26: as ios18; no other rule is known") { holdSession(&$0) }
  }

  private static func holdSession(_ profile: inout OSProfile) {
    haveSession(&profile)
    profile.needsServiceSession = Constant(
      true, "CLServiceSession: iOS 18; that nothing wakes the app without one is an inference", .low)
  }

  private static func haveSession(_ profile: inout OSProfile) {
    shortTasks(&profile)
    profile.hasActivitySession = Constant(true, "iOS 17", .high)
    profile.hasLiveActivities = Constant(true, "iOS 16.1", .high)
  }

  private static func shortTasks(_ profile: inout OSProfile) {
    profile.taskCap = Constant(.seconds(30), "about 30 s from iOS 13 on; no primary source", .medium)
    profile.expirationMargin = Constant(.seconds(4), "not measured since iOS 13: that of iOS 7", .low)
    profile.hasReducedAccuracy = Constant(true, "iOS 14 and later", .high)
  }

  /// Applies what was observed in the field since the documents S0 to S4.
  private mutating func observe() {
    let isSeven = name.hasPrefix("ios7")
    let old = isSeven || name == "ios8" || name == "ios9"
    entryLatency = Constant(.seconds(1), "region entry takes about 1 s", .medium)
    exitLatency =
      isSeven
      ? Constant(.seconds(3), "region exit: 3 s on iOS 7", .medium)
      : Constant(.seconds(30), "region exit: up to 30 s", .medium)
    screenWakeLatency = Constant(.seconds(1), "wakes the app within 1 s", .high)
    if !old { relaunchesAfterForceQuit = Constant(false, "later reports contradict 7.1", .medium) }
    if ["ios16.4", "ios17", "ios18", "ios26"].contains(name) {
      locationAccuracyLimit = Constant(.metres(100), "16.4: accuracy of 100 m or better", .medium)
      allowsDistanceFilter = Constant(false, "16.4: no distance filter", .medium)
    }
    autoPauseAfter = Constant(.minutes(15), "reports of 15 min and more without motion", .low)
    stationaryAfter = Constant(.minutes(5), "an estimate; Apple says only that it happens", .low)
  }
}
