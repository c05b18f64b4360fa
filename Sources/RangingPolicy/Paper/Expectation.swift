extension Simulation {
  /// What somebody expects of a simulation, in words: `delivered within 2 s`, `missed: TASK_EXPIRED`, `ranging at 50 s`.
  ///
  /// ```swift
  /// let expectation = try Simulation.Expectation("delivered within 2 s")
  /// if let miss = expectation.miss(in: simulation) { print(miss) }
  /// ```
  public struct Expectation: Hashable, Sendable {
    public enum Claim: Hashable, Sendable {
      /// Less than a second after the crossing.
      case delivered
      /// At most this long after the crossing.
      case deliveredWithin(Milliseconds)
      /// At this time or before.
      case deliveredBy(Milliseconds)
      /// A second or more after the crossing.
      case late
      /// Never delivered; for this reason, or for any.
      case missed(Reason?)
      /// The phone never came near.
      case noTrigger
      case state(Window.State, at: Milliseconds)
      /// Background time left, to half a second, because phones log whole seconds; nil: unlimited.
      case remaining(Milliseconds?, at: Milliseconds)
    }

    public var claim: Claim
    /// Which near trigger is meant, from 1; nil: every one of them. Only for claims about delivery.
    public var trigger: Int?

    public init(_ claim: Claim, ofNear trigger: Int? = nil) {
      self.claim = claim
      self.trigger = trigger
    }

    /// Until when a simulation must last to tell; nil: its triggers tell.
    public var time: Milliseconds? {
      switch claim {
      case .deliveredBy(let time), .state(_, let time), .remaining(_, let time): time
      case .delivered, .deliveredWithin, .late, .missed, .noTrigger: nil
      }
    }
  }
}

extension Simulation.Expectation: CustomStringConvertible {
  /// The same expectation always has the same words, and they can be parsed again.
  public var description: String { words + (trigger.map { " of near \($0)" } ?? "") }

  private var words: String {
    switch claim {
    case .delivered: "delivered"
    case .deliveredWithin(let time): "delivered within \(Amount.seconds(time))"
    case .deliveredBy(let time): "delivered by \(Amount.seconds(time))"
    case .late: "late"
    case .missed(let reason): "missed" + (reason.map { ": \($0.rawValue)" } ?? "")
    case .noTrigger: "no trigger"
    case .state(let state, let time): "\(state.rawValue) at \(Amount.seconds(time))"
    case .remaining(let left, let time):
      "remaining \(left.map(Amount.seconds) ?? "unlimited") at \(Amount.seconds(time))"
    }
  }
}
