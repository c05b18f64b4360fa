/// Changes a mapping in the text: values, and keys that are added or removed, in its own style.
struct MappingEditor {
  let source: SourceText
  let mapping: Node
  private let pairs: [(key: Node, value: Node)]

  init(_ source: SourceText, _ mapping: Node) throws(Unsupported) {
    self.source = source
    self.mapping = mapping
    guard case .mapping(let pairs) = mapping.content else { throw Unsupported("a mapping is expected") }
    for pair in pairs { try Self.refuseTag(source, pair.key) }
    try Self.refuseTag(source, mapping)
    self.pairs = pairs
  }

  /// Whether its keys are in double quotes, as in JSON.
  var isJSON: Bool { pairs.first.flatMap { source.first(of: $0.key) } == UInt8(ascii: "\"") }

  func value(_ key: String) -> Node? { mapping[key] }

  private static func refuseTag(_ source: SourceText, _ node: Node) throws(Unsupported) {
    if source.first(of: node) == UInt8(ascii: "!"), !source.range(of: node).isEmpty {
      throw Unsupported("tags (!) are not edited")
    }
  }

  // MARK: Values

  /// Replaces a scalar, with the same quotes.
  static func replace(_ node: Node, in source: SourceText, with text: String, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    let range = source.range(of: node)
    guard node.scalar != nil, let first = source.first(of: node), !range.isEmpty else {
      throw Unsupported("a single value is expected")
    }
    switch first {
    case UInt8(ascii: "\""): edits.replace(range, with: "\"\(text)\"")
    case UInt8(ascii: "'"): edits.replace(range, with: "'\(text)'")
    case UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "!"):
      throw Unsupported("block texts (|, >) and tags (!) are not edited")
    default: edits.replace(range, with: text)
    }
  }

  /// Renames a key, and replaces its value.
  func change(_ key: String, to name: String, _ text: String, _ edits: inout TextEdits) throws(Unsupported) {
    guard let pair = pairs.first(where: { $0.key.scalar == key }) else { return }
    if name != key { try Self.replace(pair.key, in: source, with: name, &edits) }
    try Self.replace(pair.value, in: source, with: text, &edits)
  }

  /// Sets or removes a text in the mapping under a key. The key is added with its first text, and removed
  /// with its last.
  func put(
    _ member: String, _ text: String?, in key: String, isLast: Bool, _ edits: inout TextEdits
  ) throws(Unsupported) {
    guard let node = value(key) else {
      guard let text else { return }
      return try add(key, flow: "{ \(yamlScalar(member)): \(yamlScalar(text, isQuoted: true)) }", &edits)
    }
    let inner = try MappingEditor(source, node)
    guard let text else { return isLast ? try remove(key, &edits) : try inner.remove(member, &edits) }
    let flow = yamlScalar(text, isQuoted: true)
    guard inner.value(member) == nil else { return try inner.put(member, flow: flow, after: nil, &edits) }
    try inner.add(inner.isJSON ? member : yamlScalar(member), flow: flow, &edits)
  }

  /// Replaces a whole value by one on one line, or adds the key. Comments in the old value move above the key
  /// or, within braces, behind the value.
  func put(_ key: String, flow: String, after siblings: [String]?, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    guard let pair = pairs.first(where: { $0.key.scalar == key }) else {
      return try add(key, flow: flow, after: siblings, &edits)
    }
    try Self.refuseTag(source, pair.value)
    try Self.refuseBlockText(source, at: pair.value)
    let start = source.range(of: pair.key)
    guard let colon = source.bytes[start.upperBound...].firstIndex(of: UInt8(ascii: ":")) else {
      throw Unsupported("a colon is missing")
    }
    let old = colon + 1..<max(colon + 1, source.end(of: pair.value))
    let comments = source.comments(in: old, around: source.scalars(in: pair.value))
    let indentation = source.indentation(of: pair.key)
    if source.isFlow(mapping) {
      let after = comments.map { " " + $0 + source.lineEnd + indentation }.joined()
      edits.replace(old, with: " " + flow + after)
      return
    }
    if !comments.isEmpty {
      let above = comments.map { indentation + $0 + source.lineEnd }.joined()
      edits.insert(above, at: source.startOfLine(start.lowerBound))
    }
    edits.replace(old, with: " " + flow)
  }

  // MARK: Adding

  /// Adds a key after the last existing one of `siblings`, otherwise at the end. `block` is the value on
  /// lines of its own, if the surrounding text is written so; `flow` the value on one line.
  func add(
    _ key: String, flow: String, block: [String]? = nil, after siblings: [String]? = nil,
    _ edits: inout TextEdits
  ) throws(Unsupported) {
    let name = isJSON ? "\"\(key)\"" : key
    let previous =
      siblings.map { siblings in pairs.last { $0.key.scalar.map(siblings.contains) == true } } ?? pairs.last
    guard let previous else {
      let inside = source.range(of: mapping).lowerBound + 1
      let space = inside < source.bytes.count && source.bytes[inside] == UInt8(ascii: "}") ? " " : ""
      edits.insert(" \(name): \(flow)\(space)", at: inside)
      return
    }
    let end = source.end(of: previous)
    guard !source.isFlow(mapping) else {
      edits.insert(", \(name): \(flow)", at: end)
      return
    }
    try Self.refuseBlockText(source, at: previous.value)
    let indentation = source.indentation(of: pairs[0].key)
    let lines = [name + (block == nil ? ": \(flow)" : ":")] + (block ?? [])
    let text = lines.map { source.lineEnd + indentation + $0 }.joined()
    edits.insert(text, at: source.endOfLine(end))
  }

  /// The end of a block text depends on blank lines.
  static func refuseBlockText(_ source: SourceText, at node: Node) throws(Unsupported) {
    switch node.content {
    case .scalar:
      guard let first = source.first(of: node), !source.range(of: node).isEmpty else { return }
      if first == UInt8(ascii: "|") || first == UInt8(ascii: ">") {
        throw Unsupported("block texts (|, >) are not edited")
      }
    case .list(let entries): if let last = entries.last { try refuseBlockText(source, at: last) }
    case .mapping(let pairs): if let last = pairs.last { try refuseBlockText(source, at: last.value) }
    }
  }

  // MARK: Removing

  /// Removes a key. Comments in and beside it stay.
  func remove(_ key: String, _ edits: inout TextEdits) throws(Unsupported) { try remove([key], &edits) }

  /// Removes keys. Missing ones are ignored.
  func remove(_ keys: [String], _ edits: inout TextEdits) throws(Unsupported) {
    let places = pairs.indices.filter { place in keys.contains { $0 == pairs[place].key.scalar } }
    guard !places.isEmpty else { return }
    guard places.count < pairs.count else { throw Unsupported("nothing would be left") }
    for place in places { try Self.refuseBlockText(source, at: pairs[place].value) }
    guard source.isFlow(mapping) else {
      for place in places { try removeLines(place, &edits) }
      return
    }
    // Neighbours share a comma, so they are removed together.
    var rest = places[...]
    while let first = rest.first {
      let count = zip(first..., rest).prefix { $0 == $1 }.count
      try removeFromFlow(first..<first + count, &edits)
      rest = rest.dropFirst(count)
    }
  }

  private func removeFromFlow(_ places: Range<Int>, _ edits: inout TextEdits) throws(Unsupported) {
    let start = source.range(of: pairs[places.lowerBound].key).lowerBound
    let end = source.end(of: pairs[places.upperBound - 1])
    guard source.comments(in: start..<end, around: places.flatMap(scalars)).isEmpty else {
      throw Unsupported("there is a comment in what would be removed")
    }
    if places.upperBound < pairs.count {
      let next = source.range(of: pairs[places.upperBound].key).lowerBound
      guard let comma = source.comma(in: end..<next) else { throw Unsupported("a comma is missing") }
      var after = comma + 1
      while after < next, source.isBlank(after..<after + 1) { after += 1 }
      let line = source.startOfLine(start)
      let isWholeLine = source.isBlank(line..<start) && source.endOfLine(end) == after && comma == end
      if isWholeLine {
        edits.remove(line..<source.afterLine(end))
      } else if comma == end {
        edits.remove(start..<after)
      } else {
        edits.remove(start..<end)
        edits.remove(comma..<comma + 1)
      }
    } else {
      let before = source.end(of: pairs[places.lowerBound - 1])
      guard let comma = source.comma(in: before..<start) else { throw Unsupported("a comma is missing") }
      var blank = start
      while blank > comma + 1, source.isBlank(blank - 1..<blank) { blank -= 1 }
      if blank == comma + 1 {
        edits.remove(comma..<end)
      } else {
        edits.remove(comma..<comma + 1)
        edits.remove(blank..<end)
      }
    }
  }

  private func removeLines(_ place: Int, _ edits: inout TextEdits) throws(Unsupported) {
    let start = source.range(of: pairs[place].key).lowerBound
    let line = source.startOfLine(start)
    if source.isBlank(line..<start) {
      let lines = line..<source.afterLine(source.end(of: pairs[place]))
      let comments = source.comments(in: lines, around: scalars(place))
      let indentation = source.indentation(of: pairs[place].key)
      edits.replace(lines, with: comments.map { indentation + $0 + source.lineEnd }.joined())
      return
    }
    // The removed key is on the line of the entry's dash. The next key moves there, and comments move above it.
    let indentation = source.bytes[line..<start].prefix { $0 == 0x20 }.count
    let isDash = source.text(line + indentation..<start).allSatisfy { "- \t".contains($0) }
    guard isDash, place + 1 < pairs.count else { throw Unsupported("nothing would be left") }
    let gap = start..<source.range(of: pairs[place + 1].key).lowerBound
    let space = String(repeating: " ", count: indentation)
    let comments = source.comments(in: gap, around: scalars(place))
    edits.insert(comments.map { space + $0 + source.lineEnd }.joined(), at: line)
    edits.remove(gap)
  }

  private func scalars(_ place: Int) -> [Range<Int>] {
    source.scalars(in: pairs[place].key) + source.scalars(in: pairs[place].value)
  }
}
