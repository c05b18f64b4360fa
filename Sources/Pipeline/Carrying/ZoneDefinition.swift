import JSON
import Beacons
import Settings
import Messages
import Proximity

extension ZoneSettings {
  /// The zone's rules as text, identical in every run. A member stays a member if the text is unchanged. Different
  /// numbers always have different texts.
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

/// The parts of a saved definition that are still needed.
struct SavedZone {
  var name: String
  var isOfRooms: Bool

  /// nil if the text is not a definition.
  init?(definition: String) {
    let bytes = Array(definition.utf8)
    // A zone may name any number of beacons, so the number of octets is the limit.
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
