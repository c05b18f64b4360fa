/// Why journals cannot be replayed, where, and what to do.
public struct JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file; empty if no single file is at fault.
  public var path: String
  /// From 1 on; nil: the file itself.
  public var line: Int?
  public var message: String
  /// The system does not let us read the file.
  public var isUnreadable = false

  public var description: String {
    [path.isEmpty ? nil : path, line.map { "line \($0)" }, message].compactMap(\.self).joined(separator: ": ")
  }
}
