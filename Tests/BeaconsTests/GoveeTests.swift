import Beacons
import Testing

/// What Govee's devices sent, as captured by others: https://github.com/Bluetooth-Devices/govee-ble, tests/test_parser.py.
@Suite struct GoveeTests {
  /// The two octets after the company id are the device's own, so every device has others.
  @Test(arguments: [
    ("59940000f0b91937ae50b6372c866ac2f3d061e717c02cef", "battery_pct 100.0, motion true, packet_id 61625.0"),
    (
      "f30a0024aaeaa5631b810899e1c4e1409883fe225935c464",
      "battery_pct 100.0, button press, packet_id 2403050.0"
    ),
    ("3dec0000de4377d55e55f991496e36bdc67f8b2c27067497", "battery_pct 100.0, packet_id 56899.0, window true"),
    (
      "3dec000159db6bd9bed7aff72a26aa4bd72dfa94573e5be9", "battery_pct 100.0, packet_id 88539.0, window false"
    ),
    (
      "08a2000125c25957fd7a750ef234a218bb15467c5b737b04",
      "battery_pct 100.0, packet_id 75202.0, vibration true"
    ),
    (
      "2eaf0000fb0ec968d7056caf2af31be877f1e1e8e3a7f8c6",
      "battery_pct 100.0, button_2 press, packet_id 64270.0"
    ),
    (
      "01c400016b98d35dcbbc1316c4c93f2bf92bec8659ce2040",
      "battery_pct 100.0, button_2 press, packet_id 93080.0"
    ),
    (
      "477500ae6750fa3447445146492085c27610ea02b3a0063f",
      "battery_pct 100.0, packet_id 11429712.0, presence true"
    ),
  ]) func `a motion, a press or a window is told whatever number the device has`(
    data: String, expected: String
  ) {
    #expect(told("1bff88ef" + data) == expected)
  }

  @Test func `an event with a wrong check is none`() {
    #expect(told("1bff88ef59940000f0b91937ae50b6372c866ac2f3d061e717c02cee") == "")
    #expect(told("1bff88ec59940000f0b91937ae50b6372c866ac2f3d061e717c02cef") == "", "another company")
  }

  @Test func `a probe without a hygrometer tells no humidity`() {
    #expect(
      told("0b09475635313038353234320bff0100010103c730640000") == "battery_pct 100.0, temperature_c 24.7")
    #expect(told("0b09475635313038353234320bff0100010103c730e40000") == "battery_pct 100.0", "it failed")
  }

  @Test func `a sensor that failed tells nothing of the air`() {
    #expect(told("0b09475635313430333033410bff01000101031abc025801") == "")
    #expect(
      told("0b09475635313430333033410bff01000101033dee023e00")
        == "co2_ppm 574.0, humidity_pct 46.2, temperature_c 21.2")
  }

  /// Both are in one number.
  @Test func `if a temperature cannot be, neither can the humidity beside it`() {
    #expect(told("09ff88ec00bc00043e27") == "battery_pct 62.0")
    #expect(told("09ff88ec004a00283b00") == "battery_pct 59.0")
    #expect(told("0d09475648353130365f31323334030388ec09ff010001017fffffff") == "")
  }

  @Test func `four probes are told by their numbers, and an unknown pair is not`() {
    #expect(
      told("0303519817ff30226c01000101a4c20f0e10ffffffff08fcffffffff")
        == "temperature_c_3 36.0, temperature_c_4 23.0")
    #expect(
      told("0303519817ff30226c01000101a3c10f0bb8ffffffff0960ffffffff")
        == "temperature_c 30.0, temperature_c_2 24.0")
    #expect(told("0303519817ff30226c01000101a3d40f0bb8ffffffff0960ffffffff") == "")
    #expect(told("0303518414ff361b2001000101e4ff860c1cffff860af0ffff") == "")
    #expect(
      told("0303518414ff361b2001000101e482860bb8ffff860b54ffff")
        == "temperature_c_3 30.0, temperature_c_4 29.0")
  }

  @Test func `an unknown probe or place is not taken for a known one`() {
    #expect(told("0b0947563531313241433344030388ec0bff01000101034928640099") == "")
    #expect(told("0a09423531373832424338" + "0cff01000101070003462464" + "0003") == "")
  }

  /// Adapters keep the two packets apart, but proxies and phones do not.
  @Test(arguments: [
    (
      "0d09475648353037355f32373632030388ec22ff88ec000341c26400",
      "battery_pct 100.0, humidity_pct 44.2, temperature_c 21.3"
    ),
    ("0d09475648353130335f354134451fff0100010103513e64", ""),
    (
      "0d09475648353130335f3541344522ff0100010103513e64",
      "battery_pct 100.0, humidity_pct 40.6, temperature_c 21.7"
    ),
    ("0303518129ff8a38d801000101e40186089801d1000000", ""),
    ("030351812aff8a38d801000101e4018608981d100000", "temperature_c 22.0"),
  ]) func `an iBeacon that is glued on hides no readings`(payload: String, expected: String) {
    let beacon = "4c000215494e54454c4c495f524f434b535f48575075f2ff0c"
    #expect(told(payload + beacon) == expected)
  }

  @Test func `a name in its long form is the device, too`() {
    #expect(
      told("1109476f7665655f48353138355f3443313717ff324c1701000101d7016609c4ffffffff0834ffffffff")
        == "temperature_c 25.0, temperature_c_2 21.0")
    #expect(
      told("1109476f7665655f48353137395f334344350cff4188ec00010134089a0f5f")
        == "battery_pct 95.0, humidity_pct 39.94, temperature_c 21.0")
  }

  /// The low octet of what would be its company id has flags, of which two values are known.
  @Test func `somebody's presence is told by name, whatever the flags are`() {
    #expect(told("09ff0388ec0001010111") == "motion true, occupancy true")
    #expect(told("0c094756483531323735453346" + "09ff2388ec0001010101") == "motion false, occupancy true")
    #expect(told("0c094756483531323735453346" + "09ff2388ec0004010101") == "", "another kind")
    #expect(told("09ff2388ec0001010101") == "", "no name")
  }

  /// Its company id is its own, as with the others that have probes.
  @Test func `a meat thermometer is known by its service, whatever number it has`() {
    #expect(
      told("0303519117ff12348301000101" + "4c5d0417701324ffff0898ffffffff")
        == "temperature_c 22.0, temperature_c_2 60.0")
    #expect(told("17ff12348301000101" + "4c5d0417701324ffff0898ffffffff") == "")
  }
}
