import Beacons
import Core

/// The name under which an app holds a background task. Strategies use negative values.
public struct TaskID: Hashable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The location permission of an app.
public enum Permission: String, StateCoded, Hashable, Sendable, CaseIterable {
  case always
  case whenInUse = "when-in-use"
  case denied
  case notDetermined = "not-determined"
  case restricted
  /// Granted without precise location (iOS 14 and later).
  case reducedAccuracy = "reduced-accuracy"

  var isGranted: Bool { self == .always || self == .whenInUse || self == .reducedAccuracy }
}

/// Something that happens to a phone or to the app on it.
public enum PhoneEvent: Hashable, Sendable {
  case bluetooth(Bool)
  case permission(Permission)
  /// The phone's own location switch. Android does not scan without it.
  case locationServices(Bool)

  case foreground
  /// The app leaves the foreground.
  case background
  case userLaunch
  /// The user swipes the app away (iOS) or force-stops it (Android).
  case forceQuit
  case lowMemory
  case reboot
  case debugger(Bool)

  /// The distance to a beacon from now on; nil: out of range.
  case motion(Motion?, of: Int = 0)
  case regionEnter
  case regionExit
  /// A gateway starts or stops broadcasting a wake region, given by its index from 0.
  case onAir(Int, Bool)
  case screen(Bool)

  case audio(Bool)
  /// The app starts or stops location updates. For `activity-session`: the session.
  case location(Bool)
  /// The system lets the app fetch in the background.
  case backgroundFetch
  /// The app begins a task and keeps its identifier under this name. If not `granted`, it gets the invalid
  /// identifier. If `hasHandler`, the expiration handler ends the task.
  case beginTask(TaskID, granted: Bool, hasHandler: Bool = false)
  case endTask(TaskID)
  /// The phone lies still, or moves again.
  case still(Bool)
  /// Android's standby bucket: the period of a limited app's allowance; nil: no limit.
  case bucket(Milliseconds?)
  /// A near decision from outside, such as a gateway's zone.
  case near

  /// The order at equal times: permission and radio, lifecycle, region, then the app's calls.
  var order: Order {
    switch self {
    case .bluetooth, .permission, .locationServices: .permission
    case .foreground, .background, .userLaunch, .forceQuit, .lowMemory, .reboot, .debugger: .lifecycle
    case .motion, .regionEnter, .regionExit, .onAir, .screen, .backgroundFetch: .region
    case .audio, .location, .beginTask, .endTask, .still, .bucket: .call
    case .near: .near
    }
  }
}

/// The order of events at equal times.
enum Order: Int, Comparable, Sendable {
  case permission, lifecycle, region, call, timer, near, tick, end

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
