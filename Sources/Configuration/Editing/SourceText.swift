/// The text of a YAML file, with the places of nodes.
struct SourceText {
  let bytes: [UInt8]
  /// The offset in bytes of each character, and of the end.
  private let offsets: [Int]
  /// The file's line end.
  let lineEnd: String

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // libyaml does not count a byte order mark.
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var offsets = bytes.indices.dropFirst(start).filter { bytes[$0] & 0xC0 != 0x80 }
    offsets.append(bytes.count)
    self.offsets = offsets
    let firstEnd = bytes.firstIndex { $0 == UInt8(ascii: "\n") }
    lineEnd = firstEnd.map { $0 > 0 && bytes[$0 - 1] == UInt8(ascii: "\r") } == true ? "\r\n" : "\n"
  }

  /// The range of the node in bytes. For a block mapping or list only the beginning is valid.
  func range(of node: Node) -> Range<Int> {
    let start = offsets[min(node.span.lowerBound, offsets.count - 1)]
    let end = offsets[min(node.span.upperBound, offsets.count - 1)]
    return start..<max(start, end)
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The node's first byte; nil: it is empty.
  func first(of node: Node) -> UInt8? {
    let range = range(of: node)
    return range.lowerBound < bytes.count ? bytes[range.lowerBound] : nil
  }

  /// Whether it is written in braces or brackets.
  func isFlow(_ node: Node) -> Bool {
    switch node.content {
    case .scalar: false
    case .list, .mapping: first(of: node) == UInt8(ascii: "{") || first(of: node) == UInt8(ascii: "[")
    }
  }

  /// The end of everything that belongs to the node.
  func end(of node: Node) -> Int {
    if isFlow(node) { return range(of: node).upperBound }
    switch node.content {
    case .scalar: return range(of: node).upperBound
    case .list(let entries): return entries.last.map(end) ?? range(of: node).lowerBound
    case .mapping(let pairs): return pairs.last.map(end) ?? range(of: node).lowerBound
    }
  }

  func end(of pair: (key: Node, value: Node)) -> Int {
    max(range(of: pair.key).upperBound, end(of: pair.value))
  }

  // MARK: Lines

  func startOfLine(_ place: Int) -> Int {
    bytes[..<place].lastIndex { $0 == UInt8(ascii: "\n") }.map { $0 + 1 } ?? startOfText
  }

  private var startOfText: Int { offsets.first ?? 0 }

  /// Where the line ends, before its line break.
  func endOfLine(_ place: Int) -> Int {
    bytes[place...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
  }

  /// Where the next line starts.
  func afterLine(_ place: Int) -> Int {
    bytes[place...].firstIndex { $0 == UInt8(ascii: "\n") }.map { $0 + 1 } ?? bytes.count
  }

  func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == 0x20 || $0 == 0x09 } }

  /// The number of characters before it on its line, as spaces: the indentation for lines below it.
  func indentation(of node: Node) -> String {
    String(repeating: " ", count: max(0, node.position.column - 1))
  }

  // MARK: Comments and commas

  /// The comments in a part of the text, without line breaks. `values` are the ranges of scalars in it, in order, in
  /// which a # is no comment.
  func comments(in range: Range<Int>, around values: [Range<Int>]) -> [String] {
    var found: [String] = []
    var place = range.lowerBound
    var values = values[...]
    while place < range.upperBound {
      if let value = values.first, place >= value.lowerBound {
        place = max(place, value.upperBound)
        values.removeFirst()
        continue
      }
      let isAfterSpace = place == 0 || " \t\r\n".utf8.contains(bytes[place - 1])
      if bytes[place] == UInt8(ascii: "#"), isAfterSpace {
        let end = endOfLine(place)
        found.append(text(place..<end))
        place = end
      }
      place += 1
    }
    return found
  }

  /// The comma between two values in braces; nil: there is none.
  func comma(in range: Range<Int>) -> Int? {
    var place = range.lowerBound
    while place < range.upperBound {
      switch bytes[place] {
      case UInt8(ascii: ","): return place
      case UInt8(ascii: "#"): place = endOfLine(place)
      default: place += 1
      }
    }
    return nil
  }

  /// The ranges of scalars in a node, in order.
  func scalars(in node: Node) -> [Range<Int>] {
    switch node.content {
    case .scalar: [range(of: node)].filter { !$0.isEmpty }
    case .list(let entries): entries.flatMap(scalars)
    case .mapping(let pairs): pairs.flatMap { scalars(in: $0.key) + scalars(in: $0.value) }
    }
  }
}

/// Changes to a text, each at a place in the original text.
struct TextEdits {
  private var edits: [(range: Range<Int>, text: String)] = []

  mutating func replace(_ range: Range<Int>, with text: String) { edits.append((range, text)) }

  /// Insertions at the same place keep the order of the calls.
  mutating func insert(_ text: String, at place: Int) { replace(place..<place, with: text) }

  mutating func remove(_ range: Range<Int>) { replace(range, with: "") }

  /// nil: two changes overlap.
  func applied(to bytes: [UInt8]) -> [UInt8]? {
    let ordered = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
        < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
    }
    var result: [UInt8] = []
    var place = 0
    for (_, edit) in ordered {
      guard edit.range.lowerBound >= place else { return nil }
      result += bytes[place..<edit.range.lowerBound]
      result += Array(edit.text.utf8)
      place = edit.range.upperBound
    }
    return result + bytes[place...]
  }
}
