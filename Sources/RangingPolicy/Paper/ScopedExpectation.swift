/// An expectation of certain simulations only.
public struct ScopedExpectation: Hashable, Sendable {
  public var expectation: Simulation.Expectation
  /// The name of a system profile, or a version such as `iOS 18` that has none of its own; nil: any.
  public var os: String? { didSet { olderSystem = os.flatMap(Catalogue.systemName) } }
  /// The profile that `os` takes if none has its very name. Kept, because finding it takes longer than a simulation.
  private var olderSystem: String?
  /// The name of a strategy; nil: any.
  public var strategy: String?
  /// The name of an approach, or the last part of one that is a path; nil: any.
  public var approach: String?
  /// The name of a phone of the configuration; nil: any phone or none.
  public var phone: String?
  /// Its position in its file, from 1, the column in bytes; nil: not from a file.
  public var line: Int?
  public var column: Int?

  public init(
    _ expectation: Simulation.Expectation, os: String? = nil, strategy: String? = nil,
    approach: String? = nil,
    phone: String? = nil
  ) {
    self.expectation = expectation
    self.os = os
    olderSystem = os.flatMap(Catalogue.systemName)
    self.strategy = strategy
    self.approach = approach
    self.phone = phone
  }

  /// Whether it applies to a simulation.
  ///
  /// - Parameters:
  ///   - systems: every system that is simulated. A version without a profile takes the newest up to it, unless one of these
  ///     has its very name.
  ///   - phone: nil: any phone with this profile.
  public func applies(
    to profile: PhoneProfile, of phone: String?, on approach: String, among systems: Set<String>
  ) -> Bool {
    if let wanted = self.phone, wanted != phone { return false }
    if let strategy, strategy != profile.strategy.name { return false }
    if let wanted = self.approach, wanted != approach, !approach.hasSuffix("/" + wanted) { return false }
    guard let os, os != profile.os.name else { return true }
    return !systems.contains(os) && olderSystem == profile.os.name
  }

  /// `os ios17, strategy stock`; empty: it is meant for everything.
  public var scope: String {
    [("approach", approach), ("os", os), ("strategy", strategy), ("phone", phone)].compactMap { name, value in
      value.map { "\(name) \($0)" }
    }.joined(separator: ", ")
  }
}
