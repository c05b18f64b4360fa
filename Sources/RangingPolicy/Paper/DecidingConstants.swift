extension Simulation {
  /// A constant that the outcome depends on.
  public struct DecidingConstant: Hashable, Sendable {
    public var name: String
    public var value: String
    public var source: String
    public var confidence: Confidence
  }

  /// The constants behind the outcome and, if it was late, behind what blocked it.
  public var decidingConstants: [DecidingConstant] {
    var names: [String] = outcome?.constants ?? []
    if let block = verdicts.first?.blockedBy { names += block.constants.filter { !names.contains($0) } }
    return profile.constants(names)
  }
}

extension PhoneProfile {
  /// The named constants that have a value.
  public func constants(_ names: [String]) -> [Simulation.DecidingConstant] {
    names.compactMap { name in
      guard let told = told(name), told.value != "none" else { return nil }
      return Simulation.DecidingConstant(
        name: name, value: told.value, source: told.source, confidence: told.confidence)
    }
  }
}
