import Settings

/// A value of a YAML text, and where it begins.
struct Node {
  enum Content {
    /// Plain: without quotes, and no block.
    case scalar(String, isPlain: Bool)
    case list([Node])
    /// In the order of the text; a key may be there twice.
    case mapping([(key: Node, value: Node)])
  }

  var content: Content
  var position: Diagnostic.Position

  var scalar: String? { if case .scalar(let text, _) = content { text } else { nil } }

  /// The value of a key of a mapping.
  subscript(key: String) -> Node? {
    guard case .mapping(let pairs) = content else { return nil }
    return pairs.first { $0.key.scalar == key }?.value
  }

  /// Written as nothing at all, `~` or `null`, without quotes.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}
