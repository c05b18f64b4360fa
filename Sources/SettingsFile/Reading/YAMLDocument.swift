/// A whole YAML file.
enum YAMLDocument {
  /// Its root; nil, with a diagnostic, after an error. An empty file is nil without a diagnostic.
  static func read(_ bytes: [UInt8], diagnostics: Diagnostics) -> Value? {
    if let end = endOfUTF8(in: bytes) {
      diagnostics.error(
        "this is not UTF-8 text", at: .init(after: bytes[..<end]), hint: "save the file as UTF-8")
      return nil
    }
    do throws(YAMLFault) {
      let node = try unsafe bytes.withUnsafeBufferPointer { text throws(YAMLFault) in
        try unsafe YAMLParser(text).document()
      }
      guard let node, !node.isNull else { return nil }
      return Value(node: node, name: "the file", path: "", diagnostics: diagnostics)
    } catch {
      diagnostics.error(error.message, at: error.position, hint: error.hint)
      return nil
    }
  }

  /// The offset at which the bytes stop being UTF-8; nil if all are valid.
  private static func endOfUTF8(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var end = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { end += UTF8.width(scalar) }
    return end
  }
}
