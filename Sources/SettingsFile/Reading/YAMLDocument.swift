/// The whole of a YAML file.
enum YAMLDocument {
  /// Its root; nil, with the reason found, after a fault. A file with nothing in it is nil without a reason.
  static func read(_ bytes: [UInt8], findings: Findings) -> Value? {
    guard var text = YAMLText(bytes, findings: findings) else { return nil }
    let node = text.compose(findings: findings)
    findings.text = text
    guard let node else { return nil }
    let root = Value(node: node, name: "the file", path: "", findings: findings)
    return root.isNull ? nil : root
  }
}
