/// `radio:` – how this machine's adapters are used.
public struct RadioSettings: Hashable, Sendable {
  /// The share of time in which they listen.
  public enum Duty: String, Hashable, Sendable, CaseIterable {
    case full
    case balanced
    case wifiFriendly = "wifi-friendly"
    /// No adapter is used: all receivers are elsewhere.
    case off
  }

  /// `duty`. Default `balanced`.
  public var duty = Duty.balanced
  /// `unblock`: whether to lift an rfkill block that somebody set. Default false.
  public var unblocks = false

  public init() {}
}
