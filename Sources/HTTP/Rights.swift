/// What a client may do.
public struct Rights: Sendable, Hashable {
  public var read: Bool
  public var write: Bool
  /// Whether they come from a login, which can be ended.
  public var isLoggedIn: Bool

  public init(read: Bool, write: Bool, isLoggedIn: Bool = false) {
    self.read = read
    self.write = write
    self.isLoggedIn = isLoggedIn
  }

  static let none = Rights(read: false, write: false)
}
