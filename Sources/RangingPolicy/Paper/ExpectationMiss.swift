/// Why a simulation did not meet an expectation, with the events and the constants that decided.
public struct ExpectationMiss: Error, Hashable, Sendable {
  /// Something that led to what happened.
  public struct Event: Hashable, Sendable {
    public var time: Milliseconds
    public var what: String
  }

  public var expected: Simulation.Expectation
  /// One line, such as `near at 46 s, missed: TASK_EXPIRED, background time had run out`.
  public var happened: String
  /// The last ones before it, oldest first.
  public var events: [Event] = []
  /// What the outcome depends on.
  public var constants: [Simulation.DecidingConstant] = []
  /// Until when a simulation would have to last to tell; nil: it lasted long enough.
  public var needs: Milliseconds?
}

extension ExpectationMiss: CustomStringConvertible {
  /// Several lines, without a line break at the end.
  public var description: String {
    var lines = ["expected: \(expected)", "happened: \(happened)"]
    if !events.isEmpty {
      lines.append("decided by:")
      lines += events.map { "  \(Amount.seconds($0.time)): \($0.what)" }
    }
    if !constants.isEmpty {
      lines.append("depends on:")
      lines += constants.map {
        "  \($0.name) = \($0.value) (\($0.confidence.inWords); \(PolicySource.inWords($0.source)))"
      }
    }
    return lines.joined(separator: "\n")
  }
}
