import Beacons

/// Adds an entry to `beacons:`, in the style of the entries that are there.
struct BeaconAppender {
  private let source: SourceText
  /// nil: the file has nothing but comments.
  private let root: Node?

  init(_ source: SourceText, _ root: Node?) {
    self.source = source
    self.root = root
  }

  func edits(_ name: String, _ pattern: BeaconPattern) throws(Unsupported) -> TextEdits {
    var edits = TextEdits()
    let entry = ["name: \(yamlScalar(name))", pattern.yaml]
    let flow = "{ \(entry.joined(separator: ", ")) }"
    guard let list = root?["beacons"], !list.isNull else {
      try start(entry, flow, &edits)
      return edits
    }
    guard case .list(let entries) = list.content, let last = entries.last else {
      throw Unsupported("beacons is no list")
    }
    try MappingEditor.refuseBlockText(source, at: last)
    guard !source.isFlow(list) else {
      edits.insert(", \(flow)", at: source.end(of: last))
      return edits
    }
    let dash = source.lineEnd + source.indentation(of: list) + "- "
    let text =
      source.isFlow(last) ? dash + flow : dash + lines(entry, below: source.indentation(of: list) + "  ")
    edits.insert(text, at: source.endOfLine(source.end(of: last)))
    return edits
  }

  /// The first entry.
  private func start(_ entry: [String], _ flow: String, _ edits: inout TextEdits) throws(Unsupported) {
    let list = source.lineEnd + "  - " + lines(entry, below: "    ")
    guard let root else {
      edits.insert(fresh + "beacons:" + list + source.lineEnd, at: source.bytes.count)
      return
    }
    guard case .mapping(let pairs) = root.content else { throw Unsupported("the file is no mapping") }
    if let empty = root["beacons"] {
      let range = source.range(of: empty)
      if range.isEmpty, !source.isFlow(root) {
        edits.insert(list, at: source.endOfLine(range.upperBound))
      } else {
        edits.replace(range, with: (range.isEmpty ? " " : "") + "[\(flow)]")
      }
    } else if source.isFlow(root) {
      try MappingEditor(source, root).add("beacons", flow: "[\(flow)]", &edits)
    } else {
      guard root.position.column == 1, let last = pairs.last else {
        throw Unsupported("the file's first key is indented")
      }
      try MappingEditor.refuseBlockText(source, at: last.value)
      edits.insert(fresh + "beacons:" + list + source.lineEnd, at: source.bytes.count)
    }
  }

  /// What ends the last line, and leaves one empty.
  private var fresh: String {
    let isEnded = source.bytes.isEmpty || source.bytes.last == UInt8(ascii: "\n")
    return (isEnded ? "" : source.lineEnd) + (source.bytes.isEmpty ? "" : source.lineEnd)
  }

  private func lines(_ entry: [String], below indentation: String) -> String {
    entry.joined(separator: source.lineEnd + indentation)
  }
}
