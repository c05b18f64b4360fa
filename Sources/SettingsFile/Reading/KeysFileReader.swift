import Beacons
import Settings

/// Reads the keys file: `name: 32 hexadecimal digits`, one per line. Messages never repeat a value.
struct KeysFileReader {
  /// nil, with a diagnostic, if the file cannot be used.
  static func read(_ bytes: [UInt8], diagnostics: Diagnostics) -> [String: SecretBytes]? {
    guard let root = YAMLDocument.read(bytes, diagnostics: diagnostics) else {
      return diagnostics.hasErrors ? nil : [:]
    }
    guard let section = root.section(hint: "a line for each key: its name, a colon, 32 hexadecimal digits")
    else {
      return nil
    }
    var keys: [String: SecretBytes] = [:]
    for name in section.keys {
      guard let value = section.take(name, isVocabulary: false) else { continue }
      if looksLikeKey(name) {
        value.error("a name here looks like a key", hint: "the name comes first, then a colon, then the key")
        continue
      }
      let digits = value.scalar?.replacing(":", with: "").replacing("-", with: "").replacing(" ", with: "")
      guard let bytes = digits.flatMap({ octets(hexadecimal: $0) }), bytes.count == 16 else {
        value.error(
          "the key \(quoted(name)) is not 16 bytes", hint: "32 hexadecimal digits, most significant first")
        continue
      }
      keys[name] = SecretBytes(bytes)
    }
    return keys
  }
}
