/// What a client may do.
public struct Rights: Sendable, Hashable {
  public var read: Bool
  public var write: Bool

  public init(read: Bool, write: Bool) {
    self.read = read
    self.write = write
  }

  static let none = Rights(read: false, write: false)
}
