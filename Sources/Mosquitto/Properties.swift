import CMosquitto

/// A list of MQTT 5 properties that frees itself.
struct Properties: ~Copyable {
  private(set) var list: OpaquePointer?

  init() {}

  deinit {
    var list = list
    mosquitto_property_free_all(&list)
  }

  mutating func add(_ identifier: mqtt5_property, _ value: UInt32) {
    // Fails only if memory is short; then the message is sent without the property.
    _ = mosquitto_property_add_int32(&list, Int32(identifier.rawValue), value)
  }
}
