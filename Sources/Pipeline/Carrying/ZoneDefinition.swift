import JSON
import Beacons
import Settings
import Messages
import Proximity

extension ZoneSettings {
  /// The zone's rules as text, the same in every run. A member stays a member if the text is the same. Different numbers are
  /// never written alike.
  var definition: String {
    let bytes = JSONWriter.object {
      $0.field("name", name)
      $0.names("receivers", receivers)
      $0.names("beacons", beacons)
      $0.names("rooms", rooms)
      if let near {
        $0.rule("near", near.rule)
        $0.field("rearm", words(near.rearm))
      }
      $0.rule("enter", enter)
      $0.rule("exit", exit)
      switch lost {
      case .auto: $0.field("lost", "auto")
      case .after(let span): $0.field("lost", span.nanoseconds)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// What still matters in a definition that an earlier run wrote.
struct SavedZone {
  var name: String
  var isOfRooms: Bool

  /// nil for anything else.
  init?(definition: String) {
    let bytes = Array(definition.utf8)
    // No text has more values than octets: a zone may name any number of beacons.
    guard let zone = try? JSONTree(bytes, limit: bytes.count), case .text(let name)? = zone["name"] else {
      return nil
    }
    self.name = name
    isOfRooms = zone["rooms"] != nil
  }
}

extension JSONWriter {
  fileprivate mutating func names(_ name: String, _ names: [String]?) {
    guard let names else { return }
    key(named: name)
    array(names) { $0.value($1) }
  }

  fileprivate mutating func rule(_ name: String, _ rule: Rule) {
    key(named: name)
    value(words(rule.threshold))
    key(named: name + "_dwell")
    value(rule.dwell.nanoseconds)
  }
}

private func words(_ threshold: Threshold) -> String {
  switch threshold {
  case .distance(let metres): "\(metres) m"
  case .signal(let level): "\(level) dBm"
  }
}
