/// Why a snapshot cannot be read.
public enum StateError: Error, Hashable, CustomStringConvertible {
  /// Its octets are not what was written, or make no sense; with the part.
  case damaged(String)
  /// It was written in another layout.
  case layout(UInt32)
  /// Its checkpoint is of a kind that only later versions know.
  case kind(UInt8)
  /// It was taken under another configuration.
  case configuration

  public var description: String {
    switch self {
    case .damaged(let part): "the snapshot is damaged (\(part))"
    case .layout(let number):
      "the snapshot has layout \(number), and this version reads layout \(StateWriter.layout) only"
    case .kind(let number): "its checkpoint is of kind \(number), which this version does not read"
    case .configuration: "the snapshot was taken under another configuration"
    }
  }
}
