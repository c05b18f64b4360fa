extension Simulation {
  /// A constant that the outcome hangs on.
  public struct DecidingConstant: Hashable, Sendable {
    public var name: String
    public var value: String
    public var source: String
    public var confidence: Confidence
  }

  /// The constants behind the outcome and, where it was late, behind what stood in its way.
  public var decidingConstants: [DecidingConstant] {
    var names: [String] = outcome?.constants ?? []
    if let block = verdicts.first?.blockedBy { names += block.constants.filter { !names.contains($0) } }
    return names.compactMap { name in
      guard let told = profile.told(name), told.value != "none" else { return nil }
      return DecidingConstant(
        name: name, value: told.value, source: told.source, confidence: told.confidence)
    }
  }
}
