import Beacons

extension JSONWriter {
  /// A value that is JSON text already.
  public mutating func value(json: [UInt8]) {
    element(octets: json.count) { text in
      for octet in json { text.append(octet) }
    }
  }

  /// A number, or null.
  public mutating func value(_ number: Double?, decimals: Int) {
    if let number { value(number, decimals: decimals) } else { null() }
  }

  /// A text, or null.
  public mutating func field(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }

  /// A time, or null.
  public mutating func field(_ name: StaticString, _ time: WallTime?) {
    key(name)
    if let time { value(time) } else { null() }
  }
}
