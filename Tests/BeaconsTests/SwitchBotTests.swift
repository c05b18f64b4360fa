import Beacons
import Testing

/// Payloads of https://github.com/sblibs/pySwitchbot, tests/test_adv_parser.py, or by hand from its parsers.
@Suite struct SwitchBotTests {
  /// What a blind sent in a bright room: https://github.com/sblibs/pySwitchbot/issues/282.
  @Test func `the light at a blind is the light, not what it is calibrated to`() {
    #expect(
      told("06163dfd78002c" + "0eff6909e2e64db8b585b22516a184")
        == "battery_pct 44.0, closed_pct 56.0, light_level 10.0, moving false")
  }

  @Test(arguments: [
    (
      "Hub Mini Matter", "2500", "e6a1cd1f5b6500000000000014019835" + "00",
      "humidity_pct 53.0, temperature_c 24.1"
    ),
    (
      "Roller Shade", "2c00279f1104", "b0e9fe54901b2c089f11042700",
      "battery_pct 39.0, closed_pct 31.0, light_level 1.0, moving false"
    ),
    ("Keypad", "790064", "eb1302e6230f8f6400000000", "battery_pct 100.0"),
    ("Relay Switch 1PM", "3c000000", "24587c083636478100000031" + "00000000", "power_on true, power_w 4.9"),
    ("Relay Switch 1", "3b000000", "24587c083636478100000031" + "00000000", "power_on true"),
    (
      "Relay Switch 2PM", "3d000000", "24587c0836364780000000310006",
      "power_on true, power_on_2 false, power_w 4.9, power_w_2 0.6"
    ),
    ("Plug Mini", "670000", "24587c08363647003200" + "8064" + "00", "power_on false, power_w 10.0"),
    ("Garage Door Opener", "3e000000", "24587c0836364700", "garage_door true"),
    ("Garage Door Opener", "3e000000", "24587c0836364720", "garage_door false"),
    ("Universal Remote", "270064", "24587c08363647da", "battery_charging true, battery_pct 90.0"),
    (
      "Hub 3", "0000640010b940", "b0e9fe6e5e2900ff6826d6648303993480",
      "humidity_pct 52.0, light_level 3.0, motion true, temperature_c 25.3"
    ),
    (
      "Lock Ultra", "0080340010a5b8", "b0e9feb66a3d258230340004",
      "battery_pct 52.0, lock false, moving false, opening true, problem false"
    ),
    (
      "Presence Sensor", "0020640010ccc8", "b0e9fe6e5e29becc000a0082",
      "battery_pct 100.0, light_level 2.0, motion true"
    ),
    (
      "Smart Radiator Thermostat", "00206400113640", "b0e9fea2547c36e4009ca34100",
      "battery_pct 100.0, opening false, power_on true, temperature_c 28.0"
    ),
    (
      "Climate Panel", "0000640010f3d8", "b0e9fea2547c36e40398a60000000080",
      "battery_pct 100.0, humidity_pct 38.0, motion true, temperature_c 24.3"
    ),
    (
      "Weather Station", "0000640010" + "53b0", "b0e9fea2547c36d40398a6",
      "battery_pct 84.0, humidity_pct 38.0, temperature_c 24.3"
    ),
    // The three octets of the kind may be before the last one.
    (
      "Weather Station", "00006401105" + "3b000", "b0e9fea2547c36d40398a6",
      "battery_pct 84.0, humidity_pct 38.0, temperature_c 24.3"
    ),
    ("nothing", "00006400105" + "3b1", "b0e9fea2547c36d40398a6", ""),
    ("nothing", "00006402105" + "3b0", "b0e9fea2547c36d40398a6", ""),
  ]) func `a kind is known by one octet, or by three`(
    kind: String, said: String, data: String, expected: String
  ) {
    let payload = service("fd3d", said) + manufacturer("0969", data)
    #expect(told(payload) == expected)
    #expect(model(payload) == (expected.isEmpty ? nil : kind))
  }

  @Test(arguments: [
    ("440064030000000001", "Contact Sensor"), ("140064", "Meter Pro"), ("7400640398a6", "Meter"),
    ("5400640398a6", "Meter"), ("48c064", "Bot"), ("060064", "Water Leak Detector"),
    ("430064b210", "Curtain"),
  ]) func `a device that is being added is known, too`(said: String, kind: String) {
    #expect(model(service("fd3d", said)) == kind)
    #expect(!told(service("fd3d", said)).isEmpty)
  }

  /// A scanner may report the two packets separately.
  @Test func `a kind that is known by three octets is remembered, too`() throws {
    let said = bytes("0000640010b940")
    let data = bytes("b0e9fe6e5e2900ff6826d6648303993480")
    let known = try #require(FormatRegistry.sensors.all.first { $0.model == "Hub 3" })
    #expect(try FormatRegistry.sensors.frame(in: .service(0xFD3D), said.span, first: 0).format === known)
    let frame = SensorFormat.continued(from: known, in: .manufacturerData(0x0969), data.span)
    #expect(frame?.format.model == "Hub 3")
  }
}
