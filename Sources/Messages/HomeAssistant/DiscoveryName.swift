/// A name as part of a discovery id, for which Home Assistant takes `[a-zA-Z0-9_-]+`: every other octet, and the
/// underscore itself, is written `_` with two hexadecimal digits in upper case. So no two names share an id, and
/// what follows a `_` in lower case is never part of a name.
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

/// The name that `discoveryID` made an id of; nil for anything else.
func discoveryName(_ id: some StringProtocol) -> String? {
  var name: [UInt8] = []
  var units = id.utf8.makeIterator()
  while let unit = units.next() {
    guard unit == UInt8(ascii: "_") else {
      name.append(unit)
      continue
    }
    guard let high = units.next().flatMap(hexadecimalDigit), let low = units.next().flatMap(hexadecimalDigit)
    else { return nil }
    name.append(high << 4 | low)
  }
  guard let name = String(validating: name, as: UTF8.self), discoveryID(name) == String(id) else {
    return nil
  }
  return name
}

private func hexadecimalDigit(_ unit: UInt8) -> UInt8? {
  switch unit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// A text as a string literal of a Jinja template.
func jinjaQuoted(_ text: String) -> String {
  "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
}
