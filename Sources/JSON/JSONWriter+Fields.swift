import Beacons

/// Members whose names are in the source; others are `key(named:)` and a value.
extension JSONWriter {
  public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
    key(name)
    object(members)
  }
  /// Writes the member with null where there is no value.
  public mutating func object<Value>(
    _ name: StaticString, of value: Value?, _ members: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    if let value { object { members(&$0, value) } } else { null() }
  }
  public mutating func array<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    array(elements, write)
  }
  /// An array with an object for each element.
  public mutating func objects<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
  ) {
    array(name, elements) { json, element in json.object { members(&$0, element) } }
  }
  /// Writes the member with null where there is no text.
  public mutating func field(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }
  public mutating func field(_ name: StaticString, _ flag: Bool) {
    key(name)
    value(flag)
  }
  public mutating func field(_ name: StaticString, _ number: some BinaryInteger) {
    key(name)
    value(number)
  }
  /// Writes the member with null where there is no time.
  public mutating func field(_ name: StaticString, _ time: WallTime?) {
    key(name)
    if let time { value(time) } else { null() }
  }
  /// Writes the member with null where there is no number.
  public mutating func field(_ name: StaticString, _ number: Double?, decimals: Int) {
    key(name)
    value(number, decimals: decimals)
  }
}
