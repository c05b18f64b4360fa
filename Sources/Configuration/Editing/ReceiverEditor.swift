import Proximity

/// Writes exponents and offsets of receivers. Values that are already in the file stay as they are written.
struct ReceiverEditor {
  private let source: SourceText
  private let root: Node?

  init(_ source: SourceText, _ root: Node?) {
    self.source = source
    self.root = root
  }

  /// - Parameter meant: the configuration of the text; afterwards that of the changed text.
  func change(_ wanted: [ReceiverSettings], in meant: inout Configuration, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    var added: [[String]] = []
    for receiver in wanted {
      let place = meant.receivers.firstIndex { $0.name == receiver.name }
      var calibration = place.map { meant.receivers[$0].calibration } ?? Calibration()
      var changes: [(key: String, text: String)] = []
      if abs(receiver.calibration.exponent - calibration.exponent) >= 0.000_5 {
        let text = Measure.digits(receiver.calibration.exponent)
        changes.append(("exponent", text))
        calibration.exponent = Double(text) ?? receiver.calibration.exponent
      }
      if abs(receiver.calibration.offset - calibration.offset) >= 0.000_5 {
        let measure = Measure(.gain, receiver.calibration.offset)
        changes.append(("offset", "\(measure)"))
        calibration.offset = (try? Measure("\(measure)"))?.value ?? measure.value
      }
      guard let place else {
        added.append(["name: \(yamlScalar(receiver.name))"] + changes.map { "\($0.key): \($0.text)" })
        meant.receivers.append(ReceiverSettings(name: receiver.name, calibration: calibration))
        continue
      }
      try change(receiver.name, changes, &edits)
      meant.receivers[place].calibration = calibration
    }
    if !added.isEmpty { try EntryAppender(source, root, "receivers").add(added, &edits) }
  }

  private func change(
    _ name: String, _ changes: [(key: String, text: String)], _ edits: inout TextEdits
  ) throws(Unsupported) {
    guard case .list(let entries)? = root?["receivers"]?.content,
      let entry = entries.first(where: { $0["name"]?.scalar == name })
    else { throw Unsupported("the entry of receiver \(name) is not found") }
    let mapping = try MappingEditor(source, entry)
    for (key, text) in changes {
      if mapping.value(key) != nil {
        try mapping.change(key, to: key, text, &edits)
      } else {
        try mapping.add(key, flow: mapping.isJSON ? "\"\(text)\"" : text, &edits)
      }
    }
  }
}

/// Receivers as YAML to paste: the exponent and the offset of each.
package func receiversYAML(_ receivers: [ReceiverSettings]) -> String {
  receivers.isEmpty
    ? ""
    : "receivers:   # what else an entry says stays\n"
      + receivers.map {
        "  - name: \(yamlScalar($0.name))\n    exponent: \(Measure.digits($0.calibration.exponent))\n    offset: \(Measure(.gain, $0.calibration.offset))\n"
      }.joined()
}

/// Adds entries to a list of the file, such as `beacons:`, in the style of the existing entries.
struct EntryAppender {
  private let source: SourceText
  private let key: String
  /// nil: the file has only comments.
  private let root: Node?

  init(_ source: SourceText, _ root: Node?, _ key: String) {
    self.source = source
    self.key = key
    self.root = root
  }

  /// - Parameter added: the keys of each entry, with their values.
  func add(_ added: [[String]], _ edits: inout TextEdits) throws(Unsupported) {
    let flows = added.map { "{ \($0.joined(separator: ", ")) }" }
    guard let list = root?[key], !list.isNull else { return try start(added, flows, &edits) }
    guard case .list(let entries) = list.content, let last = entries.last else {
      throw Unsupported("\(key) is no list")
    }
    try MappingEditor.refuseBlockText(source, at: last)
    guard !source.isFlow(list) else {
      edits.insert(flows.map { ", \($0)" }.joined(), at: source.end(of: last))
      return
    }
    let indentation = source.indentation(of: list)
    let texts = source.isFlow(last) ? flows : added.map { lines($0, below: indentation + "  ") }
    edits.insert(
      texts.map { source.lineEnd + indentation + "- " + $0 }.joined(),
      at: source.endOfLine(source.end(of: last)))
  }

  /// The first entries.
  private func start(_ added: [[String]], _ flows: [String], _ edits: inout TextEdits) throws(Unsupported) {
    let list = added.map { source.lineEnd + "  - " + lines($0, below: "    ") }.joined()
    let flow = "[\(flows.joined(separator: ", "))]"
    guard let root else {
      edits.insert(fresh + "\(key):" + list + source.lineEnd, at: source.bytes.count)
      return
    }
    guard case .mapping(let pairs) = root.content else { throw Unsupported("the file is no mapping") }
    if let empty = root[key] {
      let range = source.range(of: empty)
      if range.isEmpty, !source.isFlow(root) {
        edits.insert(list, at: source.endOfLine(range.upperBound))
      } else {
        edits.replace(range, with: (range.isEmpty ? " " : "") + flow)
      }
    } else if source.isFlow(root) {
      try MappingEditor(source, root).add(key, flow: flow, &edits)
    } else {
      guard root.position.column == 1, let last = pairs.last else {
        throw Unsupported("the file's first key is indented")
      }
      try MappingEditor.refuseBlockText(source, at: last.value)
      edits.insert(fresh + "\(key):" + list + source.lineEnd, at: source.bytes.count)
    }
  }

  /// Ends the last line, and adds an empty one.
  private var fresh: String {
    let isEnded = source.bytes.isEmpty || source.bytes.last == UInt8(ascii: "\n")
    return (isEnded ? "" : source.lineEnd) + (source.bytes.isEmpty ? "" : source.lineEnd)
  }

  private func lines(_ entry: [String], below indentation: String) -> String {
    entry.joined(separator: source.lineEnd + indentation)
  }
}
