import CYAML

/// A whole YAML file.
enum YAMLDocument {
  /// Its root; nil, with a diagnostic, after an error. An empty file is nil without a diagnostic.
  static func read(_ bytes: [UInt8], diagnostics: Diagnostics) -> Value? {
    if let end = endOfUTF8(in: bytes) {
      diagnostics.error(
        "this is not UTF-8 text", at: .init(after: bytes[..<end]), hint: "save the file as UTF-8")
      return nil
    }
    do throws(YAMLFault) {
      let node = try unsafe bytes.withUnsafeBufferPointer { text throws(YAMLFault) in
        try unsafe YAMLParser(text).document()
      }
      guard let node, !node.isNull else { return nil }
      return Value(node: node, name: "the file", path: "", diagnostics: diagnostics)
    } catch {
      diagnostics.error(error.message, at: error.position, hint: error.hint)
      return nil
    }
  }

  /// The offset at which the bytes stop being UTF-8; nil if all are valid.
  private static func endOfUTF8(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var end = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { end += UTF8.width(scalar) }
    return end
  }
}

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

/// Why a text is not YAML, or uses a part of YAML that is not supported.
struct YAMLFault: Error {
  var message: String
  var position: Diagnostic.Position?
  var hint: String?
}

/// Builds a tree from libyaml's events. The text must not move meanwhile.
@safe struct YAMLParser: ~Copyable {
  /// The deepest nesting. Configurations have about five levels.
  private static let deepest = 100

  private let text: UnsafeBufferPointer<UInt8>
  /// Allocated separately because libyaml keeps its address.
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  init(_ text: UnsafeBufferPointer<UInt8>) throws(YAMLFault) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    unsafe parser.initialize(to: yaml_parser_t())
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      unsafe parser.deallocate()
      throw YAMLFault(message: "there is no memory left to read it")
    }
    unsafe yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    unsafe (self.text, self.parser) = (text, parser)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
  }

  /// The only document; nil if there is none.
  func document() throws(YAMLFault) -> Node? {
    _ = try next()
    guard case .documentStart = try next().kind else { return nil }
    let root = try node(from: next(), depth: 0)
    _ = try next()
    let last = try next()
    guard case .end = last.kind else {
      throw fault("expected a single document in the stream: but found another document", at: last.position)
    }
    return root
  }

  private func node(from event: Event, depth: Int) throws(YAMLFault) -> Node {
    // A few nested aliases can expand to billions of nodes.
    guard !event.isShared else {
      throw YAMLFault(
        message: "anchors (&) and aliases (*) are not used here", position: event.position,
        hint: "write the value out; put a text that begins with & or * in quotes")
    }
    if let tag = event.tag {
      throw YAMLFault(
        message: "tags such as \(tag) are not used here", position: event.position,
        hint:
          "write the value out; a password has a file or a variable of its own: password_file, password_env")
    }
    guard depth < Self.deepest else {
      throw YAMLFault(message: "this is nested too deeply", position: event.position)
    }
    let content: Node.Content
    var end = event.end
    switch event.kind {
    case .scalar(let text, let isPlain): content = .scalar(text, isPlain: isPlain)
    case .listStart:
      var entries: [Node] = []
      while let entry = try entry(depth, end: &end) { entries.append(entry) }
      content = .list(entries)
    case .mappingStart:
      var pairs: [(key: Node, value: Node)] = []
      while let key = try entry(depth, end: &end) {
        pairs.append((key, try node(from: next(), depth: depth + 1)))
      }
      content = .mapping(pairs)
    case .documentStart, .alias, .end: throw fault("unexpected end", at: event.position)
    }
    return Node(content: content, position: event.position, span: event.start..<max(event.start, end))
  }

  /// The next entry; nil at the end of the list or mapping, whose place is then in `end`.
  private func entry(_ depth: Int, end: inout Int) throws(YAMLFault) -> Node? {
    let event = try next()
    if case .end = event.kind {
      end = event.end
      return nil
    }
    return try node(from: event, depth: depth + 1)
  }

  private struct Event {
    enum Kind {
      case scalar(String, isPlain: Bool)
      case listStart, mappingStart, documentStart, alias
      case end
    }

    var kind: Kind
    var position: Diagnostic.Position
    /// In characters.
    var start: Int
    var end: Int
    /// Whether it is an alias, or an anchor for aliases.
    var isShared: Bool
    /// A tag that is none of YAML's own, such as `!secret`.
    var tag: String?
  }

  private func next() throws(YAMLFault) -> Event {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw fault }
    defer { unsafe yaml_event_delete(&event) }
    let (kind, isShared): (Event.Kind, Bool)
    var tag: String?
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let text = unsafe String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      unsafe (kind, isShared) = (
        .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE), scalar.anchor != nil
      )
      unsafe tag = unusual(scalar.tag)
    case YAML_SEQUENCE_START_EVENT:
      unsafe (kind, isShared) = (.listStart, event.data.sequence_start.anchor != nil)
      unsafe tag = unusual(event.data.sequence_start.tag)
    case YAML_MAPPING_START_EVENT:
      unsafe (kind, isShared) = (.mappingStart, event.data.mapping_start.anchor != nil)
      unsafe tag = unusual(event.data.mapping_start.tag)
    case YAML_ALIAS_EVENT: (kind, isShared) = (.alias, true)
    case YAML_DOCUMENT_START_EVENT: (kind, isShared) = (.documentStart, false)
    default: (kind, isShared) = (.end, false)
    }
    return unsafe Event(
      kind: kind, position: place(event.start_mark), start: event.start_mark.index, end: event.end_mark.index,
      isShared: isShared, tag: tag)
  }

  /// A tag that is none of YAML's own; nil: it is one, or there is none.
  private func unusual(_ tag: UnsafeMutablePointer<UInt8>?) -> String? {
    guard let tag = unsafe tag else { return nil }
    let text = unsafe String(cString: tag)
    return text.hasPrefix("tag:yaml.org,2002:") ? nil : text
  }

  // MARK: Faults

  /// libyaml's error.
  private var fault: YAMLFault {
    let problem = unsafe words(parser.pointee.problem)
    switch unsafe parser.pointee.error {
    case YAML_READER_ERROR:
      let offset = unsafe min(parser.pointee.problem_offset, text.count)
      return YAMLFault(
        message: "this is not valid YAML: \(problem)", position: unsafe .init(after: text[..<offset]),
        hint: "remove characters that cannot be seen")
    case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
      let told = unsafe [words(parser.pointee.context), problem].filter { !$0.isEmpty }
      return fault(told.joined(separator: ": "), at: unsafe place(parser.pointee.problem_mark))
    default: return YAMLFault(message: "this cannot be read as YAML")
    }
  }

  private func fault(_ words: String, at position: Diagnostic.Position) -> YAMLFault {
    YAMLFault(
      message: "this is not valid YAML: \(words)", position: position,
      hint: isTabbed(position.line) || isTabbed(position.line - 1)
        ? "YAML is indented with spaces; there is a tab"
        : "look at this line and the one above: indentation, a missing ‘: ’, quote or bracket")
  }

  private func isTabbed(_ line: Int) -> Bool {
    let lines = unsafe text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard unsafe lines.indices.contains(line - 1) else { return false }
    let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
    return unsafe lines[line - 1].prefix { $0 == space || $0 == tab }.contains(tab)
  }

  private func words(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }

  private func place(_ mark: yaml_mark_t) -> Diagnostic.Position {
    Diagnostic.Position(line: mark.line + 1, column: mark.column + 1)
  }
}

extension Diagnostic.Position {
  /// The position after some text.
  init(after beginning: some Collection<UInt8>) {
    self.init(line: 1, column: 1)
    for scalar in String(decoding: beginning, as: UTF8.self).unicodeScalars {
      if scalar == "\n" {
        self = Self(line: line + 1, column: 1)
      } else if scalar != "\u{FEFF}" {
        column += 1
      }
    }
  }
}
