import Beacons
import Settings

/// Reads `metrics:`.
struct MetricsReader {
  /// The base of relative paths.
  var directory: String

  private static let hint =
    "a file in the folder of node_exporter's textfile collector, for example /var/lib/node_exporter/beaconkeeper.prom"

  func read(_ value: Value) -> MetricsSettings? {
    guard let section = value.section(hint: "for example { file: /var/lib/node_exporter/beaconkeeper.prom }")
    else { return nil }
    defer { section.finish() }
    let interval = section.take("every").flatMap { readTime($0, from: .seconds(1), upTo: .seconds(3600)) }
    guard let file = section.take("file") else { return value.refused("metrics needs file", hint: Self.hint) }
    guard let text = file.text(hint: Self.hint) else { return nil }
    guard text.hasSuffix(".prom") else {
      return file.refused("the file must end in .prom, or the collector ignores it", hint: Self.hint)
    }
    return MetricsSettings(file: absolute(text, in: directory), interval: interval ?? .seconds(15))
  }
}
