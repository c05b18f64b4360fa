/// What a client may do.
package struct Rights: Sendable, Hashable {
  package var read: Bool
  package var write: Bool
  /// Whether they come from a login, which can be ended.
  package var isLoggedIn: Bool

  package init(read: Bool, write: Bool, isLoggedIn: Bool = false) {
    self.read = read
    self.write = write
    self.isLoggedIn = isLoggedIn
  }

  static let none = Rights(read: false, write: false)
}
