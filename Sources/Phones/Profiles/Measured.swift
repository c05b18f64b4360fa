/// The measurements of a rule: the values in trials, and the number of trials without an outcome.
public struct Measured: Hashable, Sendable {
  /// A value, and the share of trials with at most that value.
  struct Quantile: Hashable, Sendable {
    var share: Double
    var value: Double
  }

  /// At least two, ascending.
  private(set) var quantiles: [Quantile]
  /// The number of trials without an outcome, and of all trials.
  public let never: (count: Int, of: Int)?
  /// The scope as in the table: `ios8`, `iphone-4s/ios7`.
  public let scope: String
  public let source: PolicySource
  public let confidence: Confidence
  /// The values as in the table.
  public let text: String

  /// Reads values: `57 s, 279 s, 800 s` are trials, `1 s to 12 s` the least and the most of all, `1 s, 97 % 12 s, 101 s`
  /// quantiles between the least and the most. `never` is `5 of 7` or empty, `trials` a number or empty.
  ///
  /// Three trials say little about a fourth. It is as likely to be below the least (down to zero) or above the most (up to twice
  /// that) as between two neighbours.
  ///
  /// The same holds for quantiles of that many trials.
  public init(
    _ rule: PolicyRule, _ text: String, never: String, trials: String, scope: String, source: PolicySource,
    confidence: Confidence
  ) throws(ConstantError) {
    func number(_ text: Substring) throws(ConstantError) -> Double {
      guard case .number(let value) = try rule.value(String(text)) else {
        throw ConstantError("\(text) is no amount")
      }
      return Double(value)
    }
    func parts(_ text: String, _ separator: String) -> [Substring] { text.split(separator: separator) }
    var quantiles: [Quantile] = []
    let (range, list) = (parts(text, " to "), parts(text, ", "))
    func outside(_ count: Int?) -> Double { count.map { 1 / (Double($0) + 1) } ?? 0 }
    func addTails(_ outside: Double) {
      guard outside > 0, let most = quantiles.last?.value else { return }
      quantiles.insert(Quantile(share: 0, value: 0), at: 0)
      quantiles.append(Quantile(share: 1, value: 2 * most))
    }
    guard trials.isEmpty || (Int(trials) ?? 0) > 0 else {
      throw ConstantError("\(trials) is no number of trials")
    }
    if list.contains(where: { $0.contains("%") }) {
      for (index, item) in list.enumerated() {
        let words = item.split(separator: " % ")
        guard let value = words.last, words.count == 2 || index == 0 || index == list.count - 1 else {
          throw ConstantError("\(text): \(item) has no share such as 50 %")
        }
        let share = words.count == 2 ? Double(words[0]).map { $0 / 100 } : index == 0 ? 0 : 1
        guard let share, (0...1).contains(share) else {
          throw ConstantError("\(item) has no share such as 50 %")
        }
        let edge = outside(Int(trials))
        quantiles.append(Quantile(share: edge + share * (1 - 2 * edge), value: try number(value)))
      }
      addTails(outside(Int(trials)))
    } else {
      var values: [Double] = []
      for item in range.count > 1 ? range : list { values.append(try number(item)) }
      let count = trials.isEmpty ? (range.count > 1 ? nil : values.count) : Int(trials)
      guard !values.isEmpty, trials.isEmpty || (count ?? 0) >= values.count else {
        throw ConstantError("\(trials) is no number of trials")
      }
      let edge = outside(count)
      let span = 1 - 2 * edge
      for (index, value) in values.enumerated() {
        let part = values.count > 1 ? Double(index) / Double(values.count - 1) : 0.5
        quantiles.append(Quantile(share: edge + part * span, value: value))
      }
      addTails(edge)
    }
    let pairs = zip(quantiles, quantiles.dropFirst())
    guard quantiles.count > 1, quantiles.allSatisfy({ (0...1).contains($0.share) }),
      pairs.allSatisfy({ $0.share <= $1.share && $0.value <= $1.value })
    else { throw ConstantError("\(text): values and shares must ascend, and be at least two") }
    self.quantiles = quantiles
    let counts = parts(never, " of ").compactMap { Int($0) }
    guard never.isEmpty || (counts.count == 2 && counts[1] > 0 && (0...counts[1]).contains(counts[0])) else {
      throw ConstantError("\(never) is not of the form 5 of 7")
    }
    self.never = never.isEmpty ? nil : (counts[0], counts[1])
    (self.scope, self.source, self.confidence) = (scope, source, confidence)
    self.text =
      text + (never.isEmpty ? "" : ", never \(never)") + (trials.isEmpty ? "" : ", \(trials) trials")
  }

  /// The value that this share of the trials with an outcome does not exceed.
  func value(at share: Double) -> Double {
    guard let above = quantiles.firstIndex(where: { $0.share >= share }), above > 0 else {
      return share <= quantiles[0].share ? quantiles[0].value : quantiles[quantiles.count - 1].value
    }
    let (low, high) = (quantiles[above - 1], quantiles[above])
    let part = high.share > low.share ? (share - low.share) / (high.share - low.share) : 1
    return low.value + part * (high.value - low.value)
  }

  /// The same value. On a newer system than was measured it spreads wider: from half the least to twice the most.
  func value(at share: Double, isElsewhere: Bool) -> Double {
    value(at: share) * (isElsewhere ? (share < 0.5 ? 0.5 + share : 2 * share) : 1)
  }

  /// The share without an outcome. Counts of few trials are uncertain (Agresti and Coull, 1998), and each phone has a place in
  /// that range.
  ///
  /// - Parameters:
  ///   - phone: the phone's place in the range, from 0 to 1.
  ///   - isElsewhere: the trials were of an older system, and count for a quarter.
  func neverShare(of phone: Double, isElsewhere: Bool = false) -> Double {
    guard let never else { return 0 }
    let weight = isElsewhere ? 0.25 : 1
    let trials = Double(never.of) * weight + 4
    let share = (Double(never.count) * weight + 2) / trials
    let deviation = (share * (1 - share) / trials).squareRoot()
    // An even distribution with the same deviation.
    return min(max(share + deviation * 12.0.squareRoot() * (phone - 0.5), 0), 1)
  }

  /// The value of a rule without an outcome. A latency is then longer than any visit.
  static func never(of rule: PolicyRule) -> ConstantValue {
    if rule.isOptional { return .none }
    if case .duration = rule.kind { return .number(320_000_000_000) }
    return .number(0)
  }

  /// The value of a typical phone.
  public func typical(of rule: PolicyRule) -> ConstantValue {
    neverShare(of: 0.5) > 0.5 ? Self.never(of: rule) : .number(Int64(value(at: 0.5).rounded()))
  }

  public static func == (a: Measured, b: Measured) -> Bool {
    a.text == b.text && a.scope == b.scope && a.source == b.source && a.confidence == b.confidence
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(scope)
  }
}
