import Beacons
import Settings

/// Reads `publish:`.
struct PublishReader {
  private static let hint = "true, or for example { interval: 200 ms, partitions: 1 }"
  /// Octets. The least holds a minute of a busy gateway.
  private static let buffers = 1e6...4e9

  func read(_ value: Value) -> PublishSettings {
    var settings = PublishSettings()
    guard let section = value.section(hint: "for example { observations: true }") else { return settings }
    defer { section.finish() }
    settings.observations = section.take("observations").flatMap(readObservations)
    return settings
  }

  private func readObservations(_ value: Value) -> ObservationSettings? {
    if value.scalar != nil, !value.isNull {
      return readFlag(value) == true ? ObservationSettings() : nil
    }
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    var settings = ObservationSettings()
    if let interval = section.take("interval").flatMap({
      readTime($0, from: .milliseconds(50), upTo: .seconds(10))
    }) {
      settings.interval = interval
    }
    if let partitions = section.take("partitions") {
      if let count = partitions.integer(upTo: 1024) {
        if count == 0 { partitions.error("partitions cannot be 0", hint: "1 puts all beacons on one topic") }
        settings.partitions = max(count, 1)
      }
    }
    settings.buffer = section.take("buffer").flatMap(readBuffer)
    return settings
  }

  private func readBuffer(_ value: Value) -> Int? {
    guard let octets = value.measure(.size) else { return nil }
    guard Self.buffers.contains(octets) else {
      return value.refused(
        "buffer cannot be \(Measure(.size, octets))",
        hint: "from 1 MB to 4 GB; ten minutes of a busy gateway are about 10 MB")
    }
    return Int(octets)
  }
}
