import Settings

/// A YAML value and its position.
struct Node {
  enum Content {
    /// Plain: without quotes, and not a block scalar.
    case scalar(String, isPlain: Bool)
    case list([Node])
    /// In the order of the text; a key may occur twice.
    case mapping([(key: Node, value: Node)])
  }

  var content: Content
  var position: Diagnostic.Position
  /// Where it is in the text, in characters as libyaml counts them. A block mapping or list ends where the next token starts.
  var span: Range<Int>

  var scalar: String? { if case .scalar(let text, _) = content { text } else { nil } }

  /// The value for a key, if this is a mapping.
  subscript(key: String) -> Node? {
    guard case .mapping(let pairs) = content else { return nil }
    return pairs.first { $0.key.scalar == key }?.value
  }

  /// Whether it is empty, `~` or `null`, without quotes.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}
