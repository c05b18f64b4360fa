import Beacons
import Core
import Foundation
import Testing

/// What makers' sensors send, by hand from the tables beside their formats.
@Suite struct SensorReadingsTests {
  private func text(_ payload: String) -> String {
    BeaconsTests.readings(payload).sorted { $0.key < $1.key }
      .map { name, value in
        switch value {
        case .number(let number): "\(name) \((number * 100).rounded() / 100)"
        case .flag(let flag): "\(name) \(flag)"
        case .button(let event): "\(name) \(event.name)"
        case .dimmer(let event): "\(name) \(event.name) \(event.steps)"
        default: "\(name) \(value)"
        }
      }.joined(separator: ", ")
  }

  @Test(arguments: [
    // Below zero, and no humidity.
    (
      "10161a18010203040506ffb500500bb801",
      "battery_pct 80.0, battery_v 3.0, humidity_pct 0.0, packet_id 1.0, temperature_c -7.5"
    ),
    (
      "12161a180605040302014ffb9411b80b500901",
      "battery_pct 80.0, battery_v 3.0, humidity_pct 45.0, packet_id 9.0, temperature_c -12.01"
    ),
    // Govee: a temperature below zero, and a sensor that failed.
    ("09ff88ec00835d295f00", "battery_pct 95.0, humidity_pct 45.7, temperature_c -22.0"),
    ("09ff88ec00035d29df00", ""),
    (
      "0d09475648353130365f31323334030388ec09ff010001010cd79cf4",
      "humidity_pct 45.7, pm2_5_ug_m3 12.0, temperature_c 21.5"
    ),
    ("03035184" + "14ff30584001000101e402461770ffff46ffffffff", "temperature_c_3 60.0"),
    // SwitchBot: 12.3 °C below zero; a door; a bot that is no switch.
    ("09163dfd54006403" + "0c2d", "battery_pct 100.0, humidity_pct 45.0, temperature_c -12.3"),
    ("0c163dfd640064000000000000", "battery_pct 100.0, light false, motion false, opening false"),
    ("06163dfd484064", "battery_pct 100.0"),
    // Objects of Qingping and Xiaomi, known and unknown, and cut.
    ("1416cdfd08120605040302010804012c01000f0107", "illuminance_lx 300.0, motion true, packet_id 7.0"),
    ("1216cdfd080c06050403020155020000" + "02015a", "battery_pct 90.0"),
    ("0e16cdfd080c0605040302010104d700", ""),
    ("121695fe5030e10405060504030201" + "0310" + "01" + "00", "packet_id 5.0"),
    ("141695fe5030e1040506050403020101100300" + "0001", "button double_press, packet_id 5.0"),
    ("141695fe5030e1040506050403020101100304" + "0002", "button_5 long_press, packet_id 5.0"),
    // A knob that was pressed twice, and turned while it was pressed.
    ("141695fe5030b6030506050403020101100300" + "0203", "button double_press, packet_id 5.0"),
    ("141695fe5030b6030506050403020101100303" + "0004", "dimmer_2 rotate_right 3, packet_id 5.0"),
    ("131695fe5020df0205060504030201" + "10100208" + "00", "formaldehyde_mg_m3 0.08, packet_id 5.0"),
    // iBeacons of makers who put readings into them.
    (
      "1aff4c000215a495bb10c5b14b44b5121370f02d74de" + "004403f8c5",
      "specific_gravity 1.02, temperature_c 20.0"
    ),
    (
      "1aff4c000215a495bb80c5b14b44b5121370f02d74de" + "02a827b0c5",
      "specific_gravity 1.02, temperature_c 20.0"
    ),
    ("1aff4c000215a495bb11c5b14b44b5121370f02d74de" + "004403f8c5", ""),
    ("1aff4c000215655f83caae16a10a702e31f30d58dd82" + "0001000244", "battery_pct 68.0"),
    ("1aff4c0002153ba29cd9a42c894856badaf2606ef777" + "00510002c5", "battery_pct 81.0"),
    // Plain iBeacons, although a sensor has their UUID, too.
    ("1aff4c000215b5b182c7eab14988aa99b5c1517008d9" + "000164fdc5", ""),
    ("1aff4c000215ebefd08370a247c89837e7b5634df524" + "00010002c5", ""),
    ("1aff4c000215ebefd08370a247c89837e7b5634df525" + "00010002c5", ""),
    (
      "1bff4c000215ebefd08370a247c89837e7b5634df525" + "67428e38c564",
      "battery_pct 100.0, humidity_pct 55.56, temperature_c 25.59"
    ),
    // A door of BeeWi's, and what only looks like one.
    ("08ff0d00080c010064", "battery_pct 100.0, opening true"), ("08ff0d00080c0100f0", ""),
    (
      "0dff59000c5d4190c10102030a0b",
      "battery_pct 100.0, battery_v 2.91, distance_mm 146.8, temperature_c 25.0"
    ),
    ("07ff6b0072080048", "heart_rate_bpm 72.0"), ("07ff6b0072080000", ""),
    ("0dffd506000a01025367925c2003", "co2_ppm 800.0, humidity_pct 36.16, temperature_c 25.63"),
    (
      "1016aafe21010b0bb8ff80ffe0001003e8",
      "acceleration_x_g -0.03, acceleration_y_g 0.02, acceleration_z_g 1.0, battery_v 3.0, temperature_c -0.5"
    ),
    ("121695fe5030e10405060504030201" + "191001" + "00", "opening true, packet_id 5.0"),
    // With an octet of inputs and outputs after the capability.
    ("141695fe7130e10405060504030201" + "2000" + "0a10015a", "battery_pct 90.0, packet_id 5.0"),
    // A door's magnet is near: it is closed.
    (
      "0eff9a0801bf08fc2d80050bffc75a",
      "battery_low false, battery_v 2.9, humidity_pct 45.0, moving true, opening false, temperature_c 23.0"
    ),
    ("12ffc0ac805a00fbff01000000000000000000", "battery_pct 90.0, presence true, temperature_c -5.0"),
    (
      "13161a18100c0b22fc1880004000010203040506",
      "battery_v 2.85, humidity_pct 50.0, moisture_pct 25.0, packet_id 12.0, temperature_c -1.0"
    ),
    ("0303519817ff30226c01000101c2010f17701ce8ffffffff189cffff", "temperature_c_3 60.0"),
    // Nobody's meat: no probe is in.
    ("0302f0ff0fff00000000010203040506f6fff6ff", ""),
    (
      "0d0954503335372028313233342907ffc2f3ff2d022c",
      "battery_low false, humidity_pct 45.0, temperature_c -1.3"
    ),
    // A scale from which one has stepped down.
    ("0d161d18a2803ee507040b101301", ""),
    ("0d161d1823803ee507040b101301", "mass_lb 160.0"),
    // A door of Qingping's: what happened, and its state, which it repeats.
    ("1116cdfd4804060504030201" + "0401000f0107", "opening true, packet_id 7.0"),
    ("1416cdfd0804060504030201" + "02015a0f01070f0101", "battery_pct 90.0, opening false, packet_id 7.0"),
    ("0cff0109ffce32010203040506", "humidity_pct 50.0, temperature_c -5.0"),
    (
      "09094942532d50303242" + "13ff010203040506" + "1d0100005a00000000000000",
      "battery_pct 90.0, temperature_c 28.5"
    ),
    (
      "09094954482d31312d42" + "13ff010203040506" + "ceffc2015a00000000000000",
      "battery_pct 90.0, humidity_pct 45.0, temperature_c -5.0"
    ),
    (
      "1116abfe60000a0101070100ff001fc00bb8",
      "acceleration_x_g 0.03, acceleration_y_g -0.03, acceleration_z_g 0.99, battery_v 3.0"
    ),
    (
      "101601ff5a" + "00000000508510000cffe003",
      "acceleration_x_g 0.02, acceleration_y_g -0.24, acceleration_z_g 0.99, battery_pct 90.0"
    ),
    // Radioland's tag, and Link Loss, which has the same number.
    (
      "1316031815802d00000000050100000200010000",
      "acceleration_x_g 0.05, acceleration_y_g -0.02, acceleration_z_g 1.0, humidity_pct 45.0, temperature_c 21.5"
    ),
    ("1316031815802d00020000050100000200010000", ""),
    ("1bff5701" + "02020148ffffffffffffffffffffffffff02010203040506", "heart_rate_bpm 72.0"),
    ("1bff5701" + "020201ffffffffffffffffffffffffffff02010203040506", ""),
    ("14ffaabb10013b" + "2020332e3139" + "4d2f532020203235", "speed_m_s 3.19"),
    ("14ffaabb10013b" + "2d2d2d2d2d2d" + "4d2f532020203235", ""),
    // SwitchBot: a curtain that moves, and a blind with the earlier number of the service.
    ("08163dfd634064b210", "battery_pct 100.0, closed_pct 50.0, light_level 1.0, moving true"),
    (
      "0616000d780064" + "0dff6909c1020304050601330a00",
      "battery_pct 100.0, closed_pct 80.0, light_level 3.0, moving false"
    ),
    // More than a hundred percent is none in BTHome, either.
    ("0c16d2fc40000903ffff02ca09", "packet_id 9.0, temperature_c 25.06"),
    // A number that no such sensor measures is none.
    (
      "12161a1806050403020134089a9cb80b5f0901",
      "battery_pct 95.0, battery_v 3.0, packet_id 9.0, temperature_c 21.0"
    ),
    (
      "19ff02072100020100000001ffffffffffff225901" + "2c01e80088",
      "battery_pct 89.0, humidity_pct 34.0, packet_id 136.0"
    ),
  ]) func `a sensor's readings are those that its maker means`(payload: String, expected: String) {
    #expect(text(payload) == expected)
  }

  @Test(arguments: [
    ("151695fe58585b050506050403020195ef58763c2600", "MiBeacon"),
    ("15ff4f09010110a90000fdff01008015809600000160", "MikroTik"),
  ]) func `encrypted readings say that they need a key`(payload: String, format: String) {
    #expect(declines(payload) == [.encrypted], "\(format)")
    #expect(BeaconsTests.readings(payload).isEmpty)
  }

  /// The manual's table of models is the registry's.
  @Test func `the manual lists every sensor that is decoded`() throws {
    var models: [String: [String]] = [:]
    for format in FormatRegistry.sensors.all + FormatRegistry.sensorsBySender
    where !(models[format.name, default: []].contains(format.model)) {
      models[format.name, default: []].append(format.model)
    }
    let rows = models.sorted { $0.key < $1.key }.map {
      "| `\($0.key)` | \($0.value.joined(separator: "; ")) |"
    }
    let page = try String(
      contentsOfFile: #filePath.replacing(
        "Tests/BeaconsTests/SensorReadingsTests.swift",
        with: "Sources/beaconkeeper/Documentation.docc/Tags.md"), encoding: .utf8)
    let written = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(written == rows, "the table should be:\n\(rows.joined(separator: "\n"))")
  }

  /// Nokia's company id, and a name that is not Govee's.
  @Test func `a number that many use is a format only with its name or service`() {
    #expect(readings("0909436865617021313209ff01000101035d295f").isEmpty)
    #expect(readings("0302aafe0fff000000000102030405 06f000f000".filter { $0 != " " }).isEmpty)
    #expect(readings("0eff6909c1020304050601030398a6").isEmpty)
  }
}
