import Beacons

/// Members whose names are in the source; others are `key(named:)` and a value.
extension JSONWriter {
  public mutating func field(_ name: StaticString, _ text: String) {
    key(name)
    value(text)
  }
  public mutating func field(_ name: StaticString, _ flag: Bool) {
    key(name)
    value(flag)
  }
  public mutating func field(_ name: StaticString, _ number: some BinaryInteger) {
    key(name)
    value(number)
  }
  public mutating func field(_ name: StaticString, _ time: WallTime) {
    key(name)
    value(time)
  }
  public mutating func field(_ name: StaticString, _ number: Double, decimals: Int) {
    key(name)
    value(number, decimals: decimals)
  }
  /// Writes the member with null where there is no number.
  public mutating func field(_ name: StaticString, _ number: Double?, decimals: Int) {
    key(name)
    if let number { value(number, decimals: decimals) } else { null() }
  }
}
