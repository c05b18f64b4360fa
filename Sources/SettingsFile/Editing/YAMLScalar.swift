import Beacons

/// A text as YAML that every reader takes for exactly this text: bare where it can be nothing else, in double quotes otherwise.
package func yamlScalar(_ text: String) -> String {
  isPlain(text) ? text : "\"" + text.unicodeScalars.map(escaped).joined() + "\""
}

private func isPlain(_ text: String) -> Bool {
  guard let first = text.utf8.first, isLetter(first) || "/$".utf8.contains(first),
    text.utf8.last != UInt8(ascii: ":")
  else { return false }
  let isHarmless = text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-./:$".utf8.contains($0) }
  return isHarmless && !words.contains(text.lowercased())
}

/// What some readers take for a truth value or for nothing.
private let words: Set<String> = ["y", "n", "yes", "no", "true", "false", "on", "off", "null"]

private func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// A character between double quotes (YAML 1.2, section 5.7).
private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\"": "\\\""
  case "\\": "\\\\"
  default:
    if scalar.isPrintable {
      String(scalar)
    } else if scalar.value > 0xFFFF {
      "\\U" + hexadecimal(UInt128(scalar.value), octets: 4)
    } else {
      "\\u" + hexadecimal(UInt128(scalar.value), octets: 2)
    }
  }
}
