import Core

/// Whether a receiver works. Silence alone does not make it blind: the only tag may have left.
public enum ReceiverHealth: String, StateCoded, Sendable, CaseIterable {
  /// It receives.
  case ok
  /// It receives nothing, but answers and scans.
  case quiet
  /// It receives, but loses some reports.
  case lossy
  /// It fell silent and gives no sign of life, though it usually does: it may have failed, and nobody leaves because of its silence.
  case doubted
  /// The controller was removed.
  case gone
  /// The controller reports nothing at all: powered down, blocked, or stuck.
  case deaf
  /// Reports arrive without data.
  case empty
  /// A recording has it as blind, without a reason.
  case blind

  /// Whether silence proves nothing in this state. Exits are then delayed, and occupancy is unknown.
  public var isBlind: Bool {
    switch self {
    case .ok, .quiet, .lossy, .doubted: false
    case .gone, .deaf, .empty, .blind: true
    }
  }
}

/// A change of a receiver's health.
public struct ReceiverHealthChange: Equatable, Sendable {
  public var receiver: ReceiverIndex
  public var health: ReceiverHealth
  /// A sentence for logs and health messages; empty if there is nothing to add.
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
