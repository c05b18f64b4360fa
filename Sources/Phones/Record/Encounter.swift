import Beacons
import Core

extension PhoneRecord {
  /// A near trigger with its prediction and the app's report, or a report without a near.
  public struct Encounter: Hashable, Sendable {
    public enum Result: String, Sendable, CaseIterable {
      case pending
      /// Predicted, and the app noticed.
      case seen
      /// Predicted, but the app did not notice.
      case missed
      /// The app noticed, although it was predicted to miss it.
      case unpredicted
      /// Neither predicted nor noticed.
      case unnoticed
      /// The app noticed, although the beacon was not near.
      case falseAlarm = "false"
    }

    /// The id of the near transition; empty without a near.
    public private(set) var transition = ""
    public private(set) var zone = ""
    /// When the gateway decided near; nil: the beacon was not near.
    public private(set) var near: MonotonicTime?
    /// The verdict; nil: there is none yet.
    public internal(set) var outcome: Reason?
    /// When the app was predicted to notice; nil: never.
    public internal(set) var delivered: MonotonicTime?
    /// When the app noticed; nil: it has not reported that.
    public internal(set) var seen: MonotonicTime?
    /// From the report's own time to its arrival; nil: it had no time.
    public internal(set) var offset: TimeSpan?
    var isConcluded = false

    public init() {}

    init(transition: String, zone: String, near: MonotonicTime) {
      (self.transition, self.zone, self.near) = (transition, zone, near)
    }

    init(seen: MonotonicTime, offset: TimeSpan?) { (self.seen, self.offset) = (seen, offset) }

    public var isPredicted: Bool { outcome?.isDelivered ?? false }

    public var result: Result {
      if !isConcluded { return .pending }
      if near == nil { return .falseAlarm }
      if seen != nil { return isPredicted ? .seen : .unpredicted }
      return isPredicted ? .missed : .unnoticed
    }

    /// From near to the app's notice; negative if the app was faster than the gateway's dwell time. nil: not both happened.
    public var lateness: TimeSpan? {
      guard let near, let seen else { return nil }
      return seen - near
    }

    /// A later report is not about this near.
    var end: MonotonicTime {
      guard let near else { return .distantFuture }
      if outcome == nil { return near + PhoneRecord.longestWait }
      return max(near, delivered ?? near) + PhoneRecord.patience
    }

    /// When it is concluded without further input; nil: it is.
    var deadline: MonotonicTime? {
      if isConcluded { return nil }
      if near == nil, let seen { return seen + PhoneRecord.lead }
      return end
    }

    /// Whether it is a report without a near from about the same time: the app says the same once more.
    func hasAlarm(near time: MonotonicTime) -> Bool {
      guard near == nil, let seen else { return false }
      return time >= seen - PhoneRecord.lead && time <= seen + PhoneRecord.lead
    }
  }
}

extension PhoneRecord.Encounter: StateElement {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("transition", &transition)
    try coder("zone", &zone)
    try coder("near", &near)
    try coder("outcome", &outcome)
    try coder("delivered", &delivered)
    try coder("seen", &seen)
    try coder("offset", &offset)
    try coder("is_concluded", &isConcluded)
    try coder.check((near == nil) == transition.isEmpty && (near != nil || seen != nil))
  }
}
