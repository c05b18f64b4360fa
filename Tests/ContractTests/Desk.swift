import Beacons
import Configuration
import Core

@testable import Contract

/// An intake of a configuration, and messages that come to it.
struct Desk {
  var intake: ScannerIntake
  var hearing = Hearing()
  /// Seconds since our start.
  var time = 1000.0

  static let uuid = "f29dc74a-dbbd-12de-318a-c8b046dd4425"
  private static let beacons = """
    gateway: { name: home }
    beacons:
      - { name: van, ibeacon: { uuid: \(uuid), major: 1, minor: 2 } }
      - { name: fleet, ibeacon: { uuid: \(uuid) } }
      - { name: anna, address: "C1:00:00:00:00:01" }
    zones: [{ name: hall, receivers: [kitchen, hall/hci0] }]

    """

  init(_ yaml: String) throws {
    try self.init(
      Configuration.read(
        Array((Self.beacons + yaml).utf8), path: "test.yaml", environment: [:], hostName: "host"
      ).configuration)
  }

  init(_ configuration: Configuration) {
    intake = ScannerIntake(
      configuration.resolvedScanners, ownGateway: configuration.gatewayName,
      expected: configuration.zones.flatMap { $0.receivers ?? [] })
    intake.brokerConnected(at: now, wallTime: wallNow, into: &hearing)
  }

  var now: MonotonicTime { MonotonicTime.zero + .seconds(time) }
  var wallNow: WallTime { WallTime(nanoseconds: 1_795_211_403_000_000_000) }

  @discardableResult
  mutating func say(_ topic: String, _ payload: String, retained: Bool = false) -> Bool {
    say(topic, Array(payload.utf8), retained: retained)
  }

  @discardableResult
  mutating func say(_ topic: String, _ payload: [UInt8], retained: Bool = false) -> Bool {
    intake.take(payload, topic: topic, isRetained: retained, at: now, wallTime: wallNow, into: &hearing)
  }

  /// What was heard, a line each: receiver, address, dBm, and what the payload holds.
  var heard: [String] {
    var lines: [String] = []
    hearing.batch.forEach { advertisement, payload in
      var line =
        "\(intake.table.name(of: advertisement.receiver)) \(advertisement.address) \(advertisement.rssi.map(String.init) ?? "?")"
      FrameDecoder.forEachFrame(in: payload) { result, _ in
        switch result {
        case .frame(.iBeacon(let beacon), _):
          line += " iBeacon \(beacon.major).\(beacon.minor) \(beacon.measuredPower)"
        case .frame(let frame, _): line += " \(frame.format)"
        case .declined(let reason, _): line += " (\(reason))"
        }
      }
      lines.append(line)
    }
    return lines
      + hearing.observations.map {
        "\(intake.table.name(of: $0.receiver)) [\($0.key)] \($0.rssi.map(String.init) ?? "?")"
      }
  }

  /// Time passes.
  mutating func look(for seconds: Double) {
    let end = time + seconds
    while time < end {
      time += 0.5
      intake.look(at: now, wallTime: wallNow, into: &hearing)
    }
  }

  var changes: [String] {
    hearing.changes.map { "\(intake.table.name(of: $0.receiver)) \($0.health.rawValue)" }
  }

  var withoutSignal: UInt64 { intake.figures.reduce(0) { $0 + $1.withoutSignal } }

  func refused(_ cause: ScannerRefusal) -> UInt64 {
    intake.figures.reduce(0) { $0 + ($1.refused[cause.rawValue] ?? 0) }
  }
}
