/// The answers given as options; nil: to be asked.
public struct GivenAnswers: Hashable, Sendable {
  public var gateway: String?
  /// A URL, or `embedded`.
  public var broker: String?
  public var username: String?
  public var passwordFile: String?
  public var caFile: String?
  public var skipsBrokerTest = false
  /// `NAME=IDENTITY` each; empty: none at all.
  public var beacons: [String]?
  /// nil inside: none at all.
  public var zone: String??
  public var limit: Draft.Limit?

  public init() {}
}
