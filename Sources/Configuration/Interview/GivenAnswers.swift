/// The answers given as options; nil: to be asked.
package struct GivenAnswers: Hashable, Sendable {
  package var gateway: String?
  /// A URL, or `embedded`.
  package var broker: String?
  package var username: String?
  package var passwordFile: String?
  package var caFile: String?
  package var skipsBrokerTest = false
  /// `NAME=IDENTITY` each; empty: none at all.
  package var beacons: [String]?
  /// nil inside: none at all.
  package var zone: String??
  package var limit: Draft.Limit?

  package init() {}
}
