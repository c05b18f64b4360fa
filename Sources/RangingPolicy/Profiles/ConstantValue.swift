/// A value that a constant may take.
public enum ConstantValue: Hashable, Sendable {
  case none
  case duration(Milliseconds)
  case distance(Micrometres)
  case flag(Bool)
  case count(Int64)
  case factor(Double)
  case risk(StrategyProfile.Risk)
}

extension ConstantField {
  /// Sets the constant, if the value is of its kind; otherwise nothing changes.
  public func set(
    _ value: ConstantValue, in profile: inout Profile, source: String, confidence: Confidence
  ) {
    switch (self, value) {
    case (.duration(let path, _), .duration(let time)):
      profile[keyPath: path] = Constant(time, source, confidence)
    case (.optionalDuration(let path), .duration(let time)):
      profile[keyPath: path] = Constant(time, source, confidence)
    case (.optionalDuration(let path), .none): profile[keyPath: path] = Constant(nil, source, confidence)
    case (.distance(let path), .distance(let distance)):
      profile[keyPath: path] = Constant(distance, source, confidence)
    case (.optionalDistance(let path), .distance(let distance)):
      profile[keyPath: path] = Constant(distance, source, confidence)
    case (.optionalDistance(let path), .none): profile[keyPath: path] = Constant(nil, source, confidence)
    case (.flag(let path), .flag(let flag)): profile[keyPath: path] = Constant(flag, source, confidence)
    case (.count(let path, _), .count(let count)):
      profile[keyPath: path] = Constant(count, source, confidence)
    case (.factor(let path), .factor(let factor)):
      profile[keyPath: path] = Constant(factor, source, confidence)
    case (.risk(let path), .risk(let risk)): profile[keyPath: path] = Constant(risk, source, confidence)
    default: assertionFailure("a value of another kind than its constant")
    }
  }

  /// Parses a value: `180 s`, `50 m`, `true`, or `none` if the constant is optional.
  public func value(_ text: String) throws(ConstantError) -> ConstantValue {
    switch self {
    case .duration(_, let least):
      let time = try Self.read(text, Amount.duration, "a duration such as 180 s")
      guard time >= least else {
        throw ConstantError(description: "\(text) is less than \(Amount.seconds(least))")
      }
      return .duration(time)
    case .optionalDuration:
      if text == "none" { return .none }
      return .duration(try Self.read(text, Amount.duration, "a duration such as 180 s, or none"))
    case .distance: return .distance(try Self.read(text, Amount.distance, "a distance such as 50 m"))
    case .optionalDistance:
      if text == "none" { return .none }
      return .distance(try Self.read(text, Amount.distance, "a distance such as 50 m, or none"))
    case .flag: return .flag(try Self.read(text, Bool.init, "true or false"))
    case .count(_, let range):
      let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      let count = try Self.read(text, { Int64($0) }, wanted)
      guard range.contains(count) else { throw ConstantError(description: "\(text) is not \(wanted)") }
      return .count(count)
    case .factor:
      let factor = try Self.read(text, { Double($0) }, "a factor from 1 to 100")
      guard factor >= 1, factor <= 100 else {
        throw ConstantError(description: "\(text) is not a factor from 1 to 100")
      }
      return .factor(factor)
    case .risk: return .risk(try Self.read(text, StrategyProfile.Risk.init, "low, medium or high"))
    }
  }

  private static func read<Value>(
    _ text: String, _ parse: (String) -> Value?, _ wanted: String
  ) throws(ConstantError) -> Value {
    guard let value = parse(text) else { throw ConstantError(description: "\(text) is not \(wanted)") }
    return value
  }

  /// The constant's value as text, its source and confidence.
  public func told(of profile: Profile) -> (value: String, source: String, confidence: Confidence) {
    func tell<Value>(_ constant: Constant<Value>, _ text: String) -> (String, String, Confidence) {
      (text, constant.source, constant.confidence)
    }
    switch self {
    case .duration(let path, _):
      return tell(profile[keyPath: path], Amount.seconds(profile[keyPath: path].value))
    case .optionalDuration(let path):
      return tell(profile[keyPath: path], profile[keyPath: path].value.map(Amount.seconds) ?? "none")
    case .distance(let path):
      return tell(profile[keyPath: path], Amount.metres(profile[keyPath: path].value))
    case .optionalDistance(let path):
      return tell(profile[keyPath: path], profile[keyPath: path].value.map(Amount.metres) ?? "none")
    case .flag(let path): return tell(profile[keyPath: path], String(profile[keyPath: path].value))
    case .count(let path, _): return tell(profile[keyPath: path], String(profile[keyPath: path].value))
    case .factor(let path): return tell(profile[keyPath: path], String(profile[keyPath: path].value))
    case .risk(let path): return tell(profile[keyPath: path], profile[keyPath: path].value.rawValue)
    }
  }
}

extension PhoneProfile {
  /// Sets a constant of the system or of the strategy to the value in `text`. Returns false if neither has a constant of
  /// this name.
  public mutating func set(
    _ name: String, to text: String, source: String, confidence: Confidence
  ) throws(ConstantError) -> Bool {
    let value: ConstantValue
    if let field = OSProfile.constants.first(where: { $0.name == name })?.field {
      value = try field.value(text)
    } else if let field = StrategyProfile.constants.first(where: { $0.name == name })?.field {
      value = try field.value(text)
    } else {
      return false
    }
    set(name, to: value, source: source, confidence: confidence)
    return true
  }

  /// Sets a constant of the system or of the strategy, whichever has this name.
  public mutating func set(_ name: String, to value: ConstantValue, source: String, confidence: Confidence) {
    os.set(name, to: value, source: source, confidence: confidence)
    strategy.set(name, to: value, source: source, confidence: confidence)
  }

  /// The value of a named constant as text, its source and confidence.
  public func told(_ name: String) -> (value: String, source: String, confidence: Confidence)? {
    OSProfile.constants.first { $0.name == name }?.field.told(of: os)
      ?? StrategyProfile.constants.first { $0.name == name }?.field.told(of: strategy)
  }
}

extension OSProfile {
  /// Sets a constant; an unknown name changes nothing.
  public mutating func set(_ name: String, to value: ConstantValue, source: String, confidence: Confidence) {
    let field = Self.constants.first { $0.name == name }?.field
    field?.set(value, in: &self, source: source, confidence: confidence)
  }
}

extension StrategyProfile {
  /// Sets a constant; an unknown name changes nothing.
  public mutating func set(_ name: String, to value: ConstantValue, source: String, confidence: Confidence) {
    let field = Self.constants.first { $0.name == name }?.field
    field?.set(value, in: &self, source: source, confidence: confidence)
  }
}
