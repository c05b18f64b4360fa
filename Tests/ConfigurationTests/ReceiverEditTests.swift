import Beacons
@testable import Configuration
import Core
import Proximity
import Testing

/// Exponents and offsets of receivers, in a file that people wrote.
@Suite struct ReceiverEditTests {
  private func edited(_ yaml: String, _ wanted: [ReceiverSettings]) throws -> String {
    let zone = try #require(try read(yaml).configuration.zones.first)
    return String(decoding: try text(yaml).changing(zone, receivers: wanted).bytes, as: UTF8.self)
  }

  private func receiver(_ name: String, exponent: Double = 2, offset: Double = 0) -> ReceiverSettings {
    ReceiverSettings(name: name, calibration: Calibration(offset: offset, exponent: exponent))
  }

  @Test(arguments: [
    (
      "zones: [{ name: z }]\nreceivers:\n  - name: a   # mine\n    exponent: 2.2   # measured\n  - { name: b }\n",
      "zones: [{ name: z }]\nreceivers:\n  - name: a   # mine\n    exponent: 3.1   # measured\n    offset: -2.5 dB\n  - { name: b, exponent: 1.8 }\n"
    ),
    (
      "zones: [{ name: z }]\nreceivers: [{ name: a }]\n",
      "zones: [{ name: z }]\nreceivers: [{ name: a, exponent: 3.1, offset: -2.5 dB }, { name: b, exponent: 1.8 }]\n"
    ),
    (
      "zones: [{ name: z }]",
      "zones: [{ name: z }]\n\nreceivers:\n  - name: a\n    exponent: 3.1\n    offset: -2.5 dB\n  - name: b\n    exponent: 1.8\n"
    ),
    (
      #"{"receivers":[{"name":"a"}],"zones":[{"name":"z"}]}"#,
      #"{"receivers":[{"name":"a", "exponent": "3.1", "offset": "-2.5 dB"}, { name: b, exponent: 1.8 }],"zones":[{"name":"z"}]}"#
    ),
  ])
  func onlyTheirNumbersAreWritten(before: String, after: String) throws {
    let wanted = [receiver("a", exponent: 3.1, offset: -2.5), receiver("b", exponent: 1.8)]
    #expect(try edited(before, wanted) == after)
    let calibrations = try read(after).configuration.receivers.map(\.calibration)
    #expect(calibrations == wanted.map(\.calibration))
  }

  @Test func whatIsSaidAlreadyStays() throws {
    let yaml = "zones: [{ name: z }]\nreceivers: [{ name: a, exponent: 2.2, position: [1 m, 2 m] }]\n"
    #expect(try edited(yaml, [receiver("a", exponent: 2.2)]) == yaml)
    #expect(try edited(yaml, [receiver("a", exponent: 2.3)]).contains("position: [1 m, 2 m]"))
  }
}
