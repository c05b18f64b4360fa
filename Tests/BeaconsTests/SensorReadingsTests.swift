import Beacons
import Core
import Foundation
import Testing

/// What makers' sensors send, by hand from the tables beside their formats.
@Suite struct SensorReadingsTests {
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
    ("09ff88ec00035d29df00", "battery_pct 95.0"),
    (
      "0d09475648353130365f31323334030388ec09ff010001010cd79cf4",
      "humidity_pct 45.7, pm2_5_ug_m3 12.0, temperature_c 21.5"
    ),
    ("03035184" + "14ff30584001000101e402461770ffff46ffffffff", "temperature_c_3 60.0"),
    // SwitchBot: 12.3 °C below zero; a door; a bot that is no switch.
    ("09163dfd54006403" + "0c2d", "battery_pct 100.0, humidity_pct 45.0, temperature_c -12.3"),
    (
      "0c163dfd640064000000000000",
      "battery_pct 100.0, light false, motion false, opening false, press_count 0.0"
    ),
    ("06163dfd484064", "battery_pct 100.0"),
    // Objects of Qingping and Xiaomi, known and unknown, and cut.
    ("1416cdfd08120605040302010804012c01000f0107", "illuminance_lx 300.0, motion true, packet_id 7.0"),
    ("1216cdfd080c06050403020155020000" + "02015a", "battery_pct 90.0"),
    ("0e16cdfd080c0605040302010104d700", ""),
    ("121695fe5030e10405060504030201" + "0310" + "01" + "00", "packet_id 5.0"),
    ("141695fe5030e2040506050403020101100300" + "0001", "button double_press, packet_id 5.0"),
    ("141695fe5030e2040506050403020101100304" + "0002", "button_5 long_press, packet_id 5.0"),
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
    ("0303519817ff30226c01000101a4c20f17701ce8ffffffff189cffff", "temperature_c_3 60.0"),
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
      "0616000d780064" + "0dff6909c1020304050601010a30",
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
    // A tyre in the frost.
    ("0309425208ff281dfb016c0102", "battery_v 2.9, pressure_hpa 1510.0, temperature_c -5.0"),
    // What is not measured, or nobody has: 0x7FFF, all ones, all zeros, too much.
    ("05166e2aff7f", ""),
    ("0e095450333537532028313233342907ffc2ffffff022c", "battery_low false"),
    ("09163dfd540064000000", "battery_pct 100.0"),
    (
      "06163dfd35006412ff6909c1020304050601030398a600002ee0",
      "battery_pct 100.0, humidity_pct 38.0, temperature_c 24.3"
    ),
    ("04097370730aff34080000009a0f5f08", "battery_pct 95.0, temperature_c 21.0"),
    ("0dff5900035d4190010102030a0b", "battery_pct 100.0, battery_v 2.91, temperature_c 25.0"),
    ("17ffc50000000102030405060708090a0b0c0d0e20bcbe4c", ""),
    // NodOn's button: four presses, five, and its release.
    ("131600000102030405060708090a0002e4000006", "battery_pct 100.0, button quadruple_press"),
    ("131600000102030405060708090a000264000007", "battery_pct 100.0, button quintuple_press"),
    ("131600000102030405060708090a000264000004", "battery_pct 100.0"),
    // Numbers that are another company's id.
    ("04097370730aff06009a0f0000005f08", "battery_pct 95.0, humidity_pct 39.94, temperature_c 0.06"),
    // A door of Qingping that was left open; a motion, and no light.
    ("0e16cdfd4804010203040506040102", "opening true"),
    ("1116cdfd4812010203040506080401030000", "motion true"),
    (
      "1b16cdfd88520102030405060104d700c2011502320019012a0201ff",
      "battery_pct 100.0, humidity_pct 45.0, sound_inst_dba 42.0, temperature_c 21.5, voc_index 50.0"
    ),
    // Xiaomi: motion three seconds ago is motion; which key; light that is no lux; a lock; a door that is pried open.
    ("151695fe50508d0a0506050403020117100403000000", "motion true, packet_id 5.0"),
    ("151695fe50508d0a050605040302011710043c000000", "motion false, packet_id 5.0"),
    ("131695fe50503135050605040302011848021e00", "motion true, packet_id 5.0"),
    ("121695fe50504919050605040302010c4e0102", "button_2 press, packet_id 5.0"),
    (
      "121695fe50504919050605040302010d4e0103",
      "button double_press, button_2 double_press, packet_id 5.0"
    ),
    ("121695fe50506859050605040302010e4a0100", "button long_press, packet_id 5.0"),
    // Keys that these do not have.
    ("121695fe50506859050605040302010c4a0102", "packet_id 5.0"),
    ("121695fe50504919050605040302010c4e0104", "packet_id 5.0"),
    ("121695fe5050613a050605040302010c560105", "packet_id 5.0"),
    ("121695fe5050613a050605040302010c560104", "button_4 press, packet_id 5.0"),
    ("121695fe5050101c050605040302010c4e0108", "button long_press, packet_id 5.0"),
    (
      "141695fe5050691505060504030201011003020001",
      "button long_press, button_2 long_press, packet_id 5.0"
    ),
    ("141695fe50508d0a050605040302010f0003000100", "light true, motion true, packet_id 5.0"),
    ("141695fe5050830a050605040302010f00032c0100", "illuminance_lx 300.0, motion true, packet_id 5.0"),
    ("141695fe5050f60705060504030201071003010000", "light false, packet_id 5.0"),
    ("1a1695fe50508407050605040302010b0009050000000000000000", "lock false, packet_id 5.0"),
    ("121695fe505084070506050403020107000104", "opening true, packet_id 5.0, tamper true"),
    ("121695fe50508918050605040302010f4a0101", "opening true, packet_id 5.0, tamper true"),
    (
      "1a1695fe5050054b05060504030201166e0901bca2000000000000",
      "heart_rate_bpm 70.0, mass_kg 70.0, packet_id 5.0"
    ),
    // A version that there is not.
    ("121695fe5070e104050605040302010a10015a", ""),
    // SwitchBot's locks: unlocked; stuck, and the door stands open. A leak. Presses that are counted.
    (
      "06163dfd6f80640cff6909c102030405060a9000",
      "battery_pct 100.0, lock true, moving false, opening false, problem false"
    ),
    (
      "06163dfd6f80640cff6909c102030405060ac420",
      "battery_pct 100.0, moving false, opening true, problem true"
    ),
    (
      "06163dfd2480640fff6909c102030405060a80105a0000",
      "battery_pct 90.0, lock false, moving false, opening true, problem false"
    ),
    (
      "06163dfd2600640cff6909c102030405060ada03",
      "battery_low true, battery_pct 90.0, moisture_detected true, tamper true"
    ),
    (
      "0c163dfd644064060000000003",
      "battery_pct 100.0, light false, motion true, opening true, press_count 3.0"
    ),
    (
      "06163dfd64406410ff6909c102030405060a900000000002",
      "battery_pct 100.0, light false, motion true, opening true, press_count 2.0"
    ),
    (
      "06163dfd76006413ff6909c102030405060a0000000000050398a6",
      "humidity_pct 38.0, light_level 5.0, temperature_c 24.3"
    ),
    // Buttons of sensors.
    (
      "0302f0ff15ff10000080010203040506b80b68012403803a0900",
      "battery_v 3.0, button press, humidity_pct 50.25, temperature_c 22.5, uptime_s 604800.0"
    ),
    (
      "0dff5900035dc190c10102030a0b",
      "battery_pct 100.0, battery_v 2.91, button press, distance_mm 146.8, temperature_c 25.0"
    ),
    // Kontakt.io's own example; a press a moment ago, and long ago.
    (
      "2c166afe03020b2003132020050610010203050fbeae333c0212200308007d0309803e041610800c04113780bb",
      "acceleration_x_g 0.02, acceleration_y_g 0.03, acceleration_z_g 0.05, humidity_pct 32.0, movement_count 16.0, press_count 55.0, temperature_c 32.13"
    ),
    ("07166afe03020b17", "temperature_c 23.0"),
    ("0b166afe03030d0300020bfb", "button press, temperature_c -5.0"),
    ("0b166afe03030dffff020c5a", "battery_pct 90.0"),
    ("08166afe0309130000", ""),
    ("0d166afe02080401ff0479617565", ""),
    // Estimote's: of both kinds, and a sticker.
    (
      "02010403039afe17169afe2247a038d5eb032640000001414447faffffffff",
      "acceleration_x_g 0.0, acceleration_y_g 0.02, acceleration_z_g 1.02, moving false"
    ),
    (
      "02010403039afe17169afe2247a038d5eb03264001ffffffff492566bc2e50",
      "battery_pct 80.0, battery_v 2.99, temperature_c 25.5, uptime_s 4870800.0"
    ),
    (
      "02010403039afe17169afe0247a038d5eb03264001d842ed73492566bc2e53",
      "battery_v 2.99, illuminance_lx 276.48, temperature_c 25.5, uptime_s 4870800.0"
    ),
    (
      "02010403030f1817ff5d01011efe427eb6f4bc2f040168a1aafe05c1452553",
      "acceleration_x_g -0.03, acceleration_y_g 0.08, acceleration_z_g -0.98, moving false, temperature_c 22.5"
    ),
    // Minew's frames.
    ("0d16e1ffa1024501aabbccddeeff", "battery_pct 69.0, light true"),
    ("0e16e1ffa111320001aabbccddeeff", "battery_pct 50.0, motion true"),
    ("0e16e1ffa113631973aabbccddeeff", "battery_pct 99.0, temperature_c 25.45"),
    (
      "1716e1ffa1150000ff80013b000000449e58aabbccddeeff",
      "acceleration_x_g 0.0, acceleration_y_g -0.5, acceleration_z_g 1.23"
    ),
    ("1016e1ffa1176304840000aabbccddeeff", "battery_pct 99.0, pressure_hpa 1156.0"),
    ("1116e1ffa118321234567801aabbccddeeff", "battery_pct 50.0, vibration true"),
    ("0d16e1ffa1204501aabbccddeeff", "battery_pct 69.0, tamper true"),
    ("0d16e1ffa1216301aabbccddeeff", "battery_pct 99.0, moisture_detected true"),
    ("0c16e1ffa1204501aabbccddee", ""),
    (
      "1aff390651012345220100efb598c3b498c0b63cbed37ebd0398bd",
      "battery_pct 69.0, button press, motion true, packet_id 35.0, tamper false"
    ),
    (
      "1aff39065102466441ff0fef0398c6b63cc2b498c177bec0cb98bd",
      "battery_pct 100.0, button_2 press, motion false, packet_id 70.0, tamper true"
    ),
    ("12ff3906a40163010001ff6745233123ac1234", "battery_pct 99.0, opening true, tamper false"),
    (
      "12ff3906ca030300050005ff0421643a7ac951",
      "acceleration_x_g 0.02, acceleration_y_g 0.02, acceleration_z_g -0.98, battery_pct 100.0"
    ),
    ("1bff3906ca05010200197348466d696e65770000000100001234abcd", "temperature_c 25.45"),
    ("1bff3906ca18007f230110320000000000000000000000001234abcd", "count 291.0, count_2 12816.0"),
    (
      "1bff3906ca1b010007000165332211ac05ef197300c5000000000010",
      "battery_v 1.52, temperature_c 25.45, tx_power_dbm -59.0"
    ),
    // Govee's: somebody there; two probes.
    ("09ff4388ec0001010111", "motion true, occupancy true"),
    ("0b09475635313132313233340bff01000101035d295f0082", "battery_pct 95.0, temperature_c_2 22.0"),
    // ThermoPro's skewers.
    ("070954503936305208ff014700500b3700", "temperature_c_3 41.0, temperature_c_4 25.0"),
    ("11ff280801034fc8d403505643017d511e00", "battery_v 3.0, pressure_hpa 980.0, temperature_c 19.0"),
    (
      "15ff330101cf00cf00cf002ec903b2d7009167fa0700",
      "humidity_pct 46.0, pressure_hpa 969.0, temperature_c 20.7"
    ),
    ("12ff5900076ce40cffffffd204ffff01d318ff", "battery_v 3.3, distance_mm 1234.0"),
    // MikroTik's tag that was tilted.
    (
      "15ff4f09010010a90000fdff01008015809600000260",
      "acceleration_x_g 0.0, acceleration_y_g -0.0, acceleration_z_g 0.0, battery_pct 96.0, moving true, opening true, temperature_c 21.5, uptime_s 38528.0, vibration false"
    ),
    // Its accelerations are in m/s²: 10 and −5, and 9.80 is 1 g.
    (
      "15ff4f0901005daa000a00fbce0900804c0104000064",
      "acceleration_x_g 1.02, acceleration_y_g -0.51, acceleration_z_g 1.0, battery_pct 100.0, moving false, opening true, uptime_s 262476.0, vibration false"
    ),
  ]) func `a sensor's readings are those that its maker means`(payload: String, expected: String) {
    #expect(told(payload) == expected)
  }

  @Test(arguments: [
    ("151695fe58585b050506050403020195ef58763c2600", Decline.encrypted),
    // MikroTik's: nobody else knows how.
    ("15ff4f09010110a90000fdff01008015809600000160", .unknownCipher),
  ]) func `encrypted readings say whether a key would help`(payload: String, reason: Decline) {
    #expect(declines(payload) == [reason])
    #expect(BeaconsTests.readings(payload).isEmpty)
  }

  /// What a product's number means, and the words for a tracker, which is nobody's sensor.
  @Test func `a sensor says its model, and a tracker its kind`() {
    #expect(model("151695fe5020aa01da0605040302010d1004d700c201") == "LYWSDCGQ")
    #expect(model("151695fe5020ffffda0605040302010d1004d700c201") == "Xiaomi sensor")
    #expect(model("1416cdfd08120605040302010804012c01000f0107") == "CGPR1")
    #expect(model("1aff4c000215a495bb40c5b14b44b5121370f02d74de004403f8c5") == "Tilt hydrometer")
    #expect(model("0201061aff4c000215f29dc74adbbd12de318ac8b046dd442500010203c5") == nil)
    #expect(model("0616b2fc010100") == "Tracker")
    #expect(model("0616b2fc010000") == "Tracker, away from its owner")
    #expect(model("061659fd010203") == "Samsung SmartTag")
  }

  @Test(arguments: [
    ("iTAG   ", Noise.iTag), ("nut", .nut), ("Nut mini", .nut), ("Nutale", .nut), ("Tile", .tile),
    ("Nutella", nil), ("Tiled Desk", nil), ("iTAGs", nil),
  ]) func `a tracker is told by its name as a word`(name: String, expected: Noise?) {
    let payload = [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
    #expect(Noise.tracker(FormatContext(payload: payload.span, address: nil)) == expected)
  }

  /// The manual's table of models is the registry's.
  @Test func `the manual lists every sensor that is decoded`() throws {
    var models: [String: [String]] = [:]
    for format in FormatRegistry.sensors.all + FormatRegistry.sensorsBySender
    where !(models[format.name, default: []].contains(format.model)) {
      models[format.name, default: []].append(format.model)
      for name in Set(format.products?.names.map(\.value) ?? []).sorted() {
        models[format.name, default: []].append(name)
      }
    }
    models["ibeacon"] = IBeacon.models.map(\.model)
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
