import Proximity
import Settings

/// Writes exponents and offsets of receivers. What the file says already stays as it is.
struct ReceiverEditor {
  private let source: SourceText
  private let root: Node?

  init(_ source: SourceText, _ root: Node?) {
    self.source = source
    self.root = root
  }

  /// - Parameter meant: the configuration; becomes what the changed text means.
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
public func receiversYAML(_ receivers: [ReceiverSettings]) -> String {
  receivers.isEmpty
    ? ""
    : "receivers:   # what else an entry says stays\n"
      + receivers.map {
        "  - name: \(yamlScalar($0.name))\n    exponent: \(Measure.digits($0.calibration.exponent))\n    offset: \(Measure(.gain, $0.calibration.offset))\n"
      }.joined()
}
