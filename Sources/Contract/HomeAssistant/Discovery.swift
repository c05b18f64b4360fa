import Beacons
import Core

/// Announces a gateway to Home Assistant: topics and payloads of MQTT discovery.
///
/// Device form: `<prefix>/device/<node>/<object>/config`, one message per device. Component form:
/// `<prefix>/<platform>/<node>/<object>__<key>/config`, one message per entity, for Home Assistant before 2024.12.
/// Both use the same unique ids. The node is the gateway, so that one subscription finds everything that a
/// gateway ever announced, and nothing else.
///
/// Source: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
package struct Discovery: Hashable, Sendable {
  package enum Form: String, Hashable, Sendable, CaseIterable {
    /// One message per device: Home Assistant 2024.12 and later.
    case device
    /// One message per entity: older versions of Home Assistant.
    case component
  }

  package var prefix: String
  package var form: Form
  package var version: String
  /// Where users get help with this gateway; nil: not configured.
  package var supportURL: String?
  let topics: Topics
  package var gateway: String { topics.gateway }

  package init(
    _ topics: Topics, version: String, prefix: String = "homeassistant", form: Form = .device,
    supportURL: String? = nil
  ) {
    self.topics = topics
    self.version = version
    self.supportURL = supportURL
    self.prefix = prefix
    self.form = form
  }

  /// Home Assistant's own state: `online` once it has started.
  package var birthTopic: String { prefix + "/status" }

  /// The same for Home Assistant's usual prefix, whatever the configured one.
  private static let usualBirthTopic = "homeassistant/status"

  package func isBirth(_ topic: String) -> Bool { topic == birthTopic || topic == Self.usualBirthTopic }

  /// What the gateway reads: its own discovery, and that Home Assistant has started.
  package var filters: [String] {
    [filter, birthTopic] + (birthTopic == Self.usualBirthTopic ? [] : [Self.usualBirthTopic])
  }

  /// Matches every discovery topic of this gateway, in both forms.
  package var filter: String { "\(prefix)/+/\(node)/+/config" }

  var node: String { "beaconkeeper_" + discoveryID(gateway) }

  /// The device's identifier, also the start of each unique id of its entities.
  func identifier(_ subject: DiscoveryDevice.Subject) -> String { "\(node)_\(subject.objectID)" }

  package func topic(of subject: DiscoveryDevice.Subject) -> String {
    "\(prefix)/device/\(node)/\(subject.objectID)/config"
  }

  package func topic(of component: DiscoveryComponent, of subject: DiscoveryDevice.Subject) -> String {
    "\(prefix)/\(component.platform)/\(node)/\(subject.objectID)__\(component.key)/config"
  }

  /// The messages that announce a device.
  ///
  /// - Parameter dropped: components, by key with their platform, that the device no longer has. In the device
  ///   form they are listed without options, which removes them. In the component form their topics must be emptied.
  package func messages(_ device: DiscoveryDevice, dropped: [String: String] = [:]) -> [Message] {
    switch form {
    case .device: [message(device, dropped: dropped)]
    case .component: device.components.map { message($0, of: device) }
    }
  }

  /// Tells Home Assistant to drop what a topic announced but to keep its registry entries, because the other form takes
  /// over.
  package static func migration(_ topic: String) -> Message {
    Message(
      topic: topic, payload: JSONWriter.object { $0.field("migrate_discovery", true) }, qos: .atLeastOnce,
      retained: true)
  }

  private func message(_ device: DiscoveryDevice, dropped: [String: String]) -> Message {
    let payload = JSONWriter.object {
      writeDevice(device, &$0)
      writeOrigin(&$0)
      $0.objects("availability", [topics.status]) { writer, topic in
        writer.field("topic", topic)
        writer.field("payload_available", Status.online.rawValue)
        writer.field("payload_not_available", Status.offline.rawValue)
      }
      $0.field("qos", 1)
      $0.object("components") {
        for component in device.components {
          $0.key(named: component.key)
          $0.object {
            $0.field("platform", component.platform)
            writeOptions(component, of: device, &$0)
            if !component.followsAvailability {
              $0.array("availability", [String]()) { $0.value($1) }
            }
          }
        }
        for (key, platform) in dropped.sorted(by: { $0.key < $1.key }) {
          $0.key(named: key)
          $0.object { $0.field("platform", platform) }
        }
      }
    }
    return Message(topic: topic(of: device.subject), payload: payload, qos: .atLeastOnce, retained: true)
  }

  private func message(_ component: DiscoveryComponent, of device: DiscoveryDevice) -> Message {
    let payload = JSONWriter.object {
      writeOptions(component, of: device, &$0)
      $0.field("qos", 1)
      if component.isEntity, component.followsAvailability {
        $0.field("availability_topic", topics.status)
        $0.field("payload_available", Status.online.rawValue)
        $0.field("payload_not_available", Status.offline.rawValue)
      }
      writeDevice(device, &$0)
      writeOrigin(&$0)
    }
    return Message(
      topic: topic(of: component, of: device.subject), payload: payload, qos: .atLeastOnce, retained: true)
  }

  private func writeOptions(
    _ component: DiscoveryComponent, of device: DiscoveryDevice, _ writer: inout JSONWriter
  ) {
    if component.isEntity {
      writer.field("unique_id", "\(identifier(device.subject))_\(component.key)")
      // Otherwise Home Assistant 2026 puts the area in front, which for a room is often its name once more.
      let words = [device.name, component[text: "name"]].compactMap(\.self)
      writer.field("default_entity_id", "\(component.platform).\(words.joined(separator: " "))")
    }
    writer.fields(component.options)
  }

  private func writeDevice(_ device: DiscoveryDevice, _ writer: inout JSONWriter) {
    writer.object("device") {
      $0.array("identifiers", [identifier(device.subject)]) { $0.value($1) }
      $0.field("name", device.name)
      if let address = device.address {
        $0.array("connections", [["bluetooth", address.description]]) { $0.array($1) { $0.value($1) } }
      }
      if let manufacturer = device.make.manufacturer { $0.field("manufacturer", manufacturer) }
      $0.field("model", device.make.model)
      if let area = device.area { $0.field("suggested_area", area) }
      if device.subject == .gateway {
        $0.field("sw_version", version)
      } else {
        $0.field("via_device", identifier(.gateway))
      }
    }
  }

  private func writeOrigin(_ writer: inout JSONWriter) {
    writer.object("origin") {
      $0.field("name", "Beaconkeeper")
      $0.field("sw_version", version)
      if let supportURL { $0.field("support_url", supportURL) }
    }
  }
}

/// Encodes a name for a discovery id, for which Home Assistant accepts `[a-zA-Z0-9_-]+`. Every other octet, and the
/// underscore itself, becomes `_` with two upper-case hexadecimal digits. So no two names share an id, and
/// an underscore followed by a lower-case letter is never part of a name.
func discoveryID(_ name: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var id: [UInt8] = []
  for unit in name.utf8 {
    switch unit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      id.append(unit)
    default:
      id.append(UInt8(ascii: "_"))
      id.append(digits[Int(unit >> 4)])
      id.append(digits[Int(unit & 15)])
    }
  }
  return String(decoding: id, as: UTF8.self)
}

/// The name for an id made by `discoveryID`; nil for anything else.
func discoveryName(_ id: some StringProtocol) -> String? {
  guard let name = unescaped(id, marker: UInt8(ascii: "_")), discoveryID(name) == String(id) else {
    return nil
  }
  return name
}

/// A text as a string literal of a Jinja template.
func jinjaQuoted(_ text: String) -> String {
  "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
}

/// A parsed discovery topic of this gateway, announced by an earlier run or with another configuration.
package struct DiscoveryTopic: Hashable, Sendable {
  package var form: Discovery.Form
  package var subject: DiscoveryDevice.Subject
  /// The component, in the component form.
  package var component: Component?

  package struct Component: Hashable, Sendable {
    package var key: String
    package var platform: String
  }
}

extension Discovery {
  /// Whether a topic matches `filter`.
  package func isOwn(_ topic: String) -> Bool { levels(of: topic) != nil }

  private func levels(of topic: String) -> [Substring]? {
    let start = prefix + "/"
    guard topic.hasPrefix(start) else { return nil }
    let levels = topic.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false)
    return levels.count == 4 && levels[1] == node && levels[3] == "config" ? levels : nil
  }

  /// nil for a topic that no version of ours uses.
  package func parse(_ topic: String) -> DiscoveryTopic? {
    guard let levels = levels(of: topic) else { return nil }
    let (platform, object) = (String(levels[0]), levels[2])
    if platform == "device" {
      return DiscoveryDevice.Subject(objectID: object).map {
        DiscoveryTopic(form: .device, subject: $0, component: nil)
      }
    }
    guard let end = object.firstRange(of: "__"),
      let subject = DiscoveryDevice.Subject(objectID: object[..<end.lowerBound])
    else { return nil }
    return DiscoveryTopic(
      form: .component, subject: subject,
      component: .init(key: String(object[end.upperBound...]), platform: platform))
  }
}
