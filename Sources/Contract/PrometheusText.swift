/// Series for Prometheus, as text.
///
/// Source: Prometheus text exposition format 0.0.4. Counters end in `_total`.
package struct PrometheusText: Sendable {
  package typealias Label = (name: String, value: String)

  private let labels: String
  package private(set) var text = ""

  /// - Parameter labels: of every series, because one collector may read the files of several programs.
  package init(labels: [Label]) { self.labels = Self.words(labels) }

  package mutating func family(_ name: String, _ help: String) {
    let kind = name.hasSuffix("_total") ? "counter" : "gauge"
    text += "# HELP beaconkeeper_\(name) \(help)\n# TYPE beaconkeeper_\(name) \(kind)\n"
  }

  package mutating func sample(_ name: String, _ value: UInt64) { write(name, [], "\(value)") }

  package mutating func sample(_ name: String, _ labels: [Label], _ value: UInt64) {
    write(name, labels, "\(value)")
  }

  /// - Parameter thousandths: the value, in thousandths of the unit.
  package mutating func sample(_ name: String, _ labels: [Label], thousandths: Int64) {
    let rest = String(abs(thousandths % 1000))
    let sign = thousandths < 0 ? "-" : ""
    write(
      name, labels,
      "\(sign)\(abs(thousandths / 1000)).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)")
  }

  private mutating func write(_ name: String, _ labels: [Label], _ value: String) {
    let all = labels.isEmpty ? self.labels : "\(self.labels),\(Self.words(labels))"
    text += "beaconkeeper_\(name){\(all)} \(value)\n"
  }

  private static func words(_ labels: [Label]) -> String {
    labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
  }

  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
