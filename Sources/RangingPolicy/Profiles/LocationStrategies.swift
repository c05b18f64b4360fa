extension StrategyProfile {
  /// Background location with when-in-use permission (S1).
  static var locationWhenInUse: StrategyProfile {
    StrategyProfile(
      "location-when-in-use", .location, "Location updates keep the app running, with permission when in use"
    ) {
      keepAlive(&$0)
      $0.permissionAsked = "When In Use"
      $0.pausesAutomatically = Constant(true, "S1 does not switch it off", .medium)
      $0.pausesWhileAudio = Constant(true, "S1 pauses ranging while audio plays", .high)
    }
  }

  /// Background location with always permission, "ranging forever" (S3).
  static var locationAlways: StrategyProfile {
    StrategyProfile(
      "location-always", .location, "Location updates keep the app running, with permission always"
    ) {
      keepAlive(&$0)
      $0.distanceFilter = Constant(.metres(3000), "S3", .high)
      $0.beginsTask = Constant(true, "S3, step 3: a background task beside location", .high)
      $0.pausesAutomatically = Constant(false, "S3 switches it off", .high)
    }
  }

  /// Location in samples over a list of background tasks (S4).
  static func taskListSampled(_ variant: Variant) -> StrategyProfile {
    StrategyProfile("task-list-sampled", .sampledLocation, "Location in samples, a task list in between") {
      keepAlive(&$0)
      $0.locationAccuracy = Constant(.metres(10), "S4 asks for the best accuracy", .low)
      if variant == .observed {
        $0.timerFromFix = Constant(false, "public analogue of S4: start to start", .low)
      }
      $0.risk = Constant(.high, "a timer longer than the task freezes and ends the chain", .high)
      $0.reviewRisk = Constant(.high, "S4: apps that hold tasks for nothing are refused", .medium)
    }
  }

  /// A background activity session (iOS 17).
  static var activitySession: StrategyProfile {
    StrategyProfile("activity-session", .activitySession, "A session begun in the foreground (iOS 17)") {
      keepAlive(&$0)
      $0.permissionAsked = "When In Use"
      $0.locationAccuracy = Constant(.metres(3000), "any accuracy will do", .low)
      $0.risk = Constant(.medium, "works only if begun in the foreground", .high)
      $0.reviewRisk = Constant(.medium, "shows the location indicator; needs a benefit for users", .low)
    }
  }

  /// Live updates beside a background activity session and a service session (iOS 17, 18).
  static var liveUpdates: StrategyProfile {
    StrategyProfile(
      "live-updates", .activitySession, "Live location updates and an activity session (iOS 17)"
    ) {
      keepAlive(&$0)
      $0.needs = .newerLocation
      $0.permissionAsked = "When In Use"
      $0.locationAccuracy = Constant(.metres(3000), "any accuracy will do", .low)
      $0.pausesAutomatically = Constant(true, "CLLocationUpdate: stationary stops updates", .high)
      $0.resumesWhenMoving = Constant(true, "CLLocationUpdate: updates go on when the phone moves", .high)
      $0.risk = Constant(
        .medium, "works only if begun in the foreground; whether the app sleeps is unknown", .low)
      $0.reviewRisk = Constant(.medium, "shows the location indicator; needs a benefit for users", .low)
    }
  }

  private static func keepAlive(_ profile: inout StrategyProfile) {
    profile.startsLocation = Constant(true, "S1, S3: startUpdatingLocation()", .high)
    profile.hasBackgroundMode = Constant(true, "UIBackgroundModes=location", .high)
    profile.allowsBackgroundUpdates = Constant(true, "allowsBackgroundLocationUpdates=true", .high)
    profile.risk = Constant(.medium, "ends at reboot, user kill or low memory", .high)
    profile.reviewRisk = Constant(
      .high, "needs a benefit that users see; passive advertising will probably be rejected", .high)
  }
}
