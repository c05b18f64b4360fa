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
