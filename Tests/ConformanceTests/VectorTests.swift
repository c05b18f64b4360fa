import Foundation
import Testing

/// Every record of the formats we decode agrees with what its project states, save what stands in
/// `explained`.
@Suite(.enabled(if: SharedVectors.areThere, "no test vectors: set BEACONKEEPER_SHARED"))
struct VectorTests {
  /// By "file/test" or "file/test/field".
  static let explained: [String: String] = [
    "Bluetooth-Devices+ibeacon-ble/TILT_SERVICE_INFO":
      "a Tilt hydrometer is a valid iBeacon; that project leaves it to another integration",
    "Bluetooth-Devices+bthome-ble/test_bthome_invalid_button_event":
      "0xFE is what Shelly's buttons sent for a hold before firmware 1.0.20; Shelly's own decoder takes it",
    "Bluetooth-Devices+ibeacon-ble/SERVICE_INFO/cypress_humidity": "a Cypress reading of major and minor",
    "Bluetooth-Devices+ibeacon-ble/SERVICE_INFO/cypress_temperature": "a Cypress reading of major and minor",
    "Bluetooth-Devices+ibeacon-ble/SERVICE_INFO/rssi": "not in the payload",
    "Bluetooth-Devices+ibeacon-ble/SERVICE_INFO/distance":
      "computed from a signal that is not in the payload",
    "citruz+beacontools/test_eddystone_tlm_enc":
      "its AD length (0x11, for the plain frame) cuts the 18 octets; that project does not look at it",
    "Bluetooth-Devices+ruuvitag-ble/test_parsing_v5_invalid_acceleration/acceleration_y":
      "only x is marked not available; that project then drops all three",
    "Bluetooth-Devices+ruuvitag-ble/test_parsing_v5_invalid_acceleration/acceleration_z":
      "only x is marked not available; that project then drops all three",
    "ruuvi+ruuvi.endpoints.c/invalid_data/invalid/measurement_count": "65535 says not available: left out",
    "ruuvi+ruuvi.endpoints.c/invalid_data/invalid/movement_count": "255 says not available: left out",
    "ruuvi+ruuvi.endpoints.c/invalid_data/invalid/address": "all ones says not available: left out",
    "ttu+ruuvitag-sensor/test_dfE1_decode_invalid_values/mac": "all ones says not available: left out",
    "ttu+ruuvitag-sensor/test_df5decode_is_valid/rssi": "the byte after the payload is the report's RSSI",
    "custom-components+ble_monitor/test_ruuvitag_v3/battery": "a percentage guessed from the voltage",
    "custom-components+ble_monitor/test_ruuvitag_v5/battery": "a percentage guessed from the voltage",
    "custom-components+ble_monitor/test_ruuvitag_v5/packet": "our measurement_sequence",
    "custom-components+ble_monitor/test_ruuvitag_v5/motion": "our movement_count",
    "custom-components+ble_monitor/test_ruuvitag_v5/motion timer": "a timer of that project",
    "custom-components+ble_monitor/test_ibeacon_sensor/cypress temperature": "a reading of major and minor",
    "custom-components+ble_monitor/test_ibeacon_sensor/cypress humidity": "a reading of major and minor",
    "custom-components+ble_monitor/test_bthome_v2_temperature_and_humidity_encrypted/packet":
      "the encryption counter, printed big endian",
    "reelyactive+advlib-ble-services/exposurenotification:EXPOSURE_NOTIFICATION/version":
      "read from metadata that only the phone's keys decrypt",
    "reelyactive+advlib-ble-services/exposurenotification:EXPOSURE_NOTIFICATION/txPower":
      "read from metadata that only the phone's keys decrypt",
  ]

  /// Formats 2 and 4 hide readings in an Eddystone-URL; the project decodes 3, 5, 6 and E1.
  static let ruuviURLs: Set<String> = ["test_ruuvitag_v2", "test_ruuvitag_v4"]

  @Test(arguments: [
    "Bluetooth-Devices+bthome-ble", "Bluetooth-Devices+ibeacon-ble", "Bluetooth-Devices+ruuvitag-ble",
    "citruz+beacontools", "ruuvi+ruuvi.endpoints.c", "ttu+ruuvitag-sensor",
    "reelyactive+advlib-ble-manufacturers", "reelyactive+advlib-ble-services",
    "custom-components+ble_monitor",
  ]) func vectorsAgree(file: String) throws {
    var compared = 0
    for record in try SharedVectors.records(file) where !record.isDisputed {
      let decoded = try DecodedRecord(record)
      let place = "\(file)/\(record.test)"
      guard isOurs(file, record) else { continue }
      compared += 1
      if Self.explained[place] != nil { continue }
      if record.isNegative {
        #expect(decoded.formats.isEmpty && !decoded.declines.isEmpty, "\(place): must be declined")
        continue
      }
      if Self.ruuviURLs.contains(record.test) {
        #expect(decoded.formats == ["eddystone-url"])
        continue
      }
      compare(record, decoded, place)
    }
    #expect(compared > 0, "nothing compared in \(file)")
  }

  private func compare(_ record: SharedVectors.Record, _ decoded: DecodedRecord, _ place: String) {
    for (name, expected) in record.expected.sorted(by: { $0.key < $1.key }) {
      if Vocabulary.notInTheFrame.contains(name) || Self.explained["\(place)/\(name)"] != nil { continue }
      if name == "encrypted", decoded.fields["encrypted"] != nil { continue }
      if (expected as? String) == "no packet id" { continue }
      let field = name.replacing(/_[1-9]$/, with: "")
      guard let candidates = Vocabulary.fields[name] ?? Vocabulary.fields[field] else {
        Issue.record("\(place)/\(name): no such field of ours")
        continue
      }
      if expected is NSNull {
        #expect(candidates.allSatisfy { decoded.fields[$0.name] == nil }, "\(place)/\(name): not available")
        continue
      }
      let agrees = candidates.contains {
        Comparison.agrees(expected, with: decoded.fields[$0.name] ?? [], factor: $0.factor)
      }
      #expect(
        agrees,
        "\(place)/\(name): \(expected), ours \(candidates.map { decoded.fields[$0.name] ?? [] }) \(decoded.declines)"
      )
    }
  }

  private func isOurs(_ file: String, _ record: SharedVectors.Record) -> Bool {
    switch file {
    case "citruz+beacontools": !record.test.contains("estimote")
    case "reelyactive+advlib-ble-manufacturers": record.test.hasPrefix("apple")
    case "reelyactive+advlib-ble-services":
      ["bthome", "eddystone", "exposurenotification"].contains { record.test.hasPrefix($0) }
    case "custom-components+ble_monitor":
      ["bthome_v2", "ibeacon", "altbeacon", "ruuvitag"].contains { record.source.contains("test_\($0)") }
    default: true
    }
  }

  /// Real events of one afternoon: nothing is declined but for these reasons. Without a decoder are Samsung
  /// (company 0x0075, 261), Sonos (0x05A7, 106) and Xiaomi (0x038F, 1): none of them beacons.
  @Test func capturedEventsAreDeclinedOnlyForKnownReasons() throws {
    var declines: [String: Int] = [:]
    var formats: [String: Int] = [:]
    let records = try SharedVectors.records("ttu+ruuvitag-sensor.hcidump")
    for record in records {
      let decoded = try DecodedRecord(record)
      for reason in decoded.declines { declines[reason, default: 0] += 1 }
      for format in decoded.formats { formats[format, default: 0] += 1 }
    }
    #expect(records.count == 814)
    #expect(
      declines == [
        "noise: Microsoft CDP": 180, "noise: Google, other": 25, "noise: Apple Nearby Info": 42,
        "no decoder for this kind of data": 368,
      ])
    #expect(formats == ["exposure-notification": 32, "ruuvi": 55])
  }
}
