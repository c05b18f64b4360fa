import Core

/// One entity or device trigger, with its options for Home Assistant's MQTT integration.
package struct DiscoveryComponent: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case text(String)
    case texts([String])
    case number(Int)
    case null
  }

  package struct Option: Hashable, Sendable {
    package var name: String
    package var value: Value
  }

  /// Identifies it permanently within its device.
  package let key: String
  /// `sensor`, `binary_sensor`, `device_tracker`, `event` or `device_automation`.
  package let platform: String
  package private(set) var options: [Option] = []
  /// The smallest choice of entities that includes it.
  package var detail = EntityDetail.normal
  /// Whether it is unavailable while the gateway is offline. The entity for the gateway's connection must not be.
  package var followsAvailability = true

  init(_ platform: String, _ key: String) {
    self.platform = platform
    self.key = key
  }

  /// An entity with its own name within the device; nil: it has the device's name.
  static func entity(_ platform: String, _ key: String, named name: String?) -> DiscoveryComponent {
    var entity = DiscoveryComponent(platform, key)
    entity["name"] = name.map(Value.text) ?? .null
    return entity
  }

  /// The same, for another choice of entities.
  func from(_ detail: EntityDetail) -> DiscoveryComponent {
    var component = self
    component.detail = detail
    return component
  }

  package subscript(option: String) -> Value? {
    get { options.first { $0.name == option }?.value }
    set {
      options.removeAll { $0.name == option }
      if let newValue { options.append(Option(name: option, value: newValue)) }
    }
  }

  package subscript(text option: String) -> String? {
    get { if case .text(let text)? = self[option] { text } else { nil } }
    set { self[option] = newValue.map(Value.text) }
  }

  /// Triggers are not in the entity registry.
  package var isEntity: Bool { platform != "device_automation" }
}

extension JSONWriter {
  mutating func fields(_ options: [DiscoveryComponent.Option]) {
    for option in options {
      key(named: option.name)
      switch option.value {
      case .text(let text): value(text)
      case .texts(let texts): array(texts) { $0.value($1) }
      case .number(let number): value(number)
      case .null: null()
      }
    }
  }
}

/// Which entities are announced. Each choice includes the previous one.
///
/// Entities outside the choice are not announced at all. Announcing them as disabled would not work: Home Assistant reads that
/// only when an entity is new, so a later choice would change nothing.
package enum EntityDetail: String, Hashable, Sendable, Comparable, CaseIterable {
  /// Occupancy and trackers, whether everything works, and batteries.
  case minimal
  /// Also readings, distances and rates.
  case normal
  /// Also values that change at every advertisement or are for technicians: signal, last seen, receiver, acceleration,
  /// counters.
  case all

  package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .minimal: 0
    case .normal: 1
    case .all: 2
    }
  }
}
