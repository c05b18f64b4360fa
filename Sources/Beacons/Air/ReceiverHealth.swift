/// Whether a receiver can hear. Silence alone is never a reason to call it blind: the only tag may have left.
public enum ReceiverHealth: String, Sendable, CaseIterable {
  /// It hears.
  case ok
  /// It hears nobody, and would: it answers and scans.
  case quiet
  /// It hears, but more arrives than is taken in.
  case lossy
  /// The controller was removed.
  case gone
  /// The controller reports nothing at all: powered down, blocked, or stuck.
  case deaf
  /// Reports arrive without data.
  case empty
  /// A recording says that it was blind and not why.
  case blind

  /// Whether absence means nothing while this lasts: exits freeze and occupancy is unknown.
  public var isBlind: Bool {
    switch self {
    case .ok, .quiet, .lossy: false
    case .gone, .deaf, .empty, .blind: true
    }
  }
}

/// A receiver's health changed.
public struct ReceiverHealthChange: Equatable, Sendable {
  public var receiver: ReceiverIndex
  public var health: ReceiverHealth
  /// In words, for a log or a health message; empty where there is nothing to add.
  public var reason: String
  public var time: MonotonicTime
  public var wallTime: WallTime

  public init(
    receiver: ReceiverIndex, health: ReceiverHealth, reason: String = "", time: MonotonicTime,
    wallTime: WallTime
  ) {
    self.receiver = receiver
    self.health = health
    self.reason = reason
    self.time = time
    self.wallTime = wallTime
  }
}
