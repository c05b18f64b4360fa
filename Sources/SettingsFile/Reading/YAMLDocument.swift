/// The whole of a YAML file.
enum YAMLDocument {
  /// Its root; nil, with the reason found, after a fault. A file with nothing in it is nil without a reason.
  static func read(_ bytes: [UInt8], findings: Findings) -> Value? {
    if let end = endOfUTF8(in: bytes) {
      findings.error(
        "this is not UTF-8 text", at: .init(after: bytes[..<end]), hint: "save the file as UTF-8")
      return nil
    }
    do throws(YAMLFault) {
      let node = try unsafe bytes.withUnsafeBufferPointer { text throws(YAMLFault) in
        try unsafe YAMLParser(text).document()
      }
      guard let node, !node.isNull else { return nil }
      return Value(node: node, name: "the file", path: "", findings: findings)
    } catch {
      findings.error(error.message, at: error.position, hint: error.hint)
      return nil
    }
  }

  /// Where bytes stop to be UTF-8; nil where they do not.
  private static func endOfUTF8(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var end = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { end += UTF8.width(scalar) }
    return end
  }
}
