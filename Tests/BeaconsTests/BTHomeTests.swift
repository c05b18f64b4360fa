import Beacons
import Core
import Testing

/// Examples of https://bthome.io/format.
@Suite struct BTHomeTests {
  private func readings(_ objects: String) -> [String: Reading.Value] {
    BeaconsTests.readings(service("fcd2", "40" + objects))
  }

  @Test(
    arguments: [
      ("0009", "packet_id", 9), ("0161", "battery_pct", 97), ("02ca09", "temperature_c", 25.06),
      ("0280ff", "temperature_c", -1.28), ("03bf13", "humidity_pct", 50.55),
      ("04138a01", "pressure_hpa", 1008.83),
      ("05138a14", "illuminance_lx", 13460.67), ("065e1f", "mass_kg", 80.3), ("073e1d", "mass_lb", 74.86),
      ("08ca06", "dew_point_c", 17.38), ("0960", "count", 96), ("0a138a14", "energy_kwh", 1346.067),
      ("0b021b00", "power_w", 69.14), ("0c020c", "voltage_v", 3.074), ("0d120c", "pm2_5_ug_m3", 3090),
      ("0e021c", "pm10_ug_m3", 7170), ("12e204", "co2_ppm", 1250), ("133301", "tvoc_ug_m3", 307),
      ("14020c", "moisture_pct", 30.74), ("2e23", "humidity_pct", 35), ("2f23", "moisture_pct", 35),
      ("3d0960", "count", 24585), ("3e2a2c0960", "count", 1_611_213_866), ("3f020c", "rotation_deg", 307.4),
      ("400c00", "distance_mm", 12), ("414e00", "distance_m", 7.8), ("424e3400", "duration_s", 13.39),
      ("434e34", "current_a", 13.39), ("444e34", "speed_m_s", 133.9), ("451101", "temperature_c", 27.3),
      ("4632", "uv_index", 5), ("478756", "volume_l", 2215.1), ("48dc87", "volume_ml", 34780),
      ("49dc87", "volume_flow_rate_m3_h", 34.78), ("4a020c", "voltage_v", 307.4),
      ("4b138a14", "gas_m3", 1346.067),
      ("4c41018a01", "gas_m3", 25821.505), ("4d12138a14", "energy_kwh", 344593.17),
      ("4e87562a01", "volume_l", 19551.879), ("4f87562a01", "water_l", 19551.879),
      ("505d396164", "timestamp_s", 1_684_093_277), ("518756", "acceleration_m_s2", 22.151),
      ("528756", "gyroscope_deg_s", 22.151), ("5587562a01", "volume_storage_l", 19551.879),
      ("56e803", "conductivity_us_cm", 1000), ("57ea", "temperature_c", -22), ("58ea", "temperature_c", -7.7),
      ("59ea", "count", -22), ("5aeaea", "count", -5398), ("5bea0234ea", "count", -365_690_134),
      ("5c02fbffff", "power_w", -12.78), ("5d02ea", "current_a", -5.63), ("5e9f8c", "direction_deg", 359.99),
      ("5f7801", "precipitation_mm", 37.6), ("6001", "channel", 1), ("61ac0d", "rotational_speed_rpm", 3500),
      ("624099dfff", "speed_m_s", -2.123456), ("630057d0ff", "acceleration_m_s2", -3.123456),
      ("6402", "light_level", 2), ("f00100", "device_type_id", 1),
    ] as [(String, String, Double)]) func numbers(object: String, name: String, value: Double)
  {
    #expect(readings(object) == [name: .number(value)])
  }

  @Test(arguments: [
    (0x0F, "generic"), (0x10, "power_on"), (0x11, "opening"), (0x15, "battery_low"),
    (0x16, "battery_charging"),
    (0x17, "carbon_monoxide"), (0x18, "cold"), (0x19, "connectivity"), (0x1A, "door"), (0x1B, "garage_door"),
    (0x1C, "gas_detected"), (0x1D, "heat"), (0x1E, "light"), (0x1F, "lock"), (0x20, "moisture_detected"),
    (0x21, "motion"), (0x22, "moving"), (0x23, "occupancy"), (0x24, "plug"), (0x25, "presence"),
    (0x26, "problem"), (0x27, "running"), (0x28, "safety"), (0x29, "smoke"), (0x2A, "sound"),
    (0x2B, "tamper"),
    (0x2C, "vibration"), (0x2D, "window"),
  ]) func flags(id: Int, name: String) {
    let object = hexadecimal(UInt128(id), octets: 1)
    #expect(readings(object + "01") == [name: .flag(true)])
    #expect(readings(object + "00") == [name: .flag(false)])
  }

  @Test(arguments: [
    ("00", ButtonEvent.none), ("01", .press), ("02", .doublePress), ("03", .triplePress), ("04", .longPress),
    ("05", .longDoublePress), ("06", .longTriplePress), ("80", .holdPress),
    ("fe", .holdPress),
  ]) func buttons(code: String, event: ButtonEvent) {
    #expect(readings("3a" + code) == ["button": .button(event)])
  }

  @Test(arguments: ["07", "7f", "f0", "f1", "ff"]) func `presses that BTHome does not define are no readings`(
    code: String
  ) {
    #expect(readings("3a" + code) == [:])
  }

  @Test func dimmers() {
    #expect(readings("3c0000") == ["dimmer": .dimmer(.none)])
    #expect(readings("3c0103") == ["dimmer": .dimmer(.rotateLeft(steps: 3))])
    #expect(readings("3c020a") == ["dimmer": .dimmer(.rotateRight(steps: 10))])
  }

  @Test func commands() {
    #expect(readings("3b010305") == ["command": .command(.stepUp, arguments: 4..<5)])
    #expect(
      readings("3b0002 6001") == ["command": .command(.toggle, arguments: 4..<4), "channel": .number(1)])
    #expect(readings("3be101aa 6001") == ["command": .command(.on, arguments: 4..<5), "channel": .number(1)])
    #expect(readings("3b0009 6001") == ["channel": .number(1)], "an opcode that is not defined yet")
    #expect(readings("3b02030506").count == 1)
    #expect(readings("3b020305").isEmpty, "cut")
  }

  @Test func moreOfAKindThanCanBeCountedDoNotTrap() {
    let data = bytes("40" + String(repeating: "0105", count: 300))
    var ordinals: [UInt8] = []
    guard case .frame(let frame, _) = FrameDecoder.serviceData(data.span, uuid: 0xFCD2) else {
      Issue.record("not decoded")
      return
    }
    frame.forEachReading(in: data.span) { ordinals.append($0.ordinal) }
    #expect(ordinals.count == 300)
    #expect(ordinals.last == 255)
  }

  @Test func undefinedEventsAreLeftOutAndTheRestStands() {
    #expect(readings("015d 3a7f 3c0901 6001") == ["battery_pct": .number(93), "channel": .number(1)])
  }

  @Test func readingsOfOneKindAreNumbered() {
    #expect(
      readings("02ca09 02cf09 451101 3a00 3a01")
        == [
          "temperature_c": .number(25.06), "temperature_c_2": .number(25.11),
          "temperature_c_3": .number(27.3),
          "button": .button(.none), "button_2": .button(.press),
        ])
  }

  @Test func textAndBytesStayInTheData() {
    #expect(readings("530c48656c6c6f20576f726c6421") == ["text": .text(3..<15)])
    #expect(readings("5402abcd") == ["raw": .bytes(3..<5)])
    #expect(readings("5300") == ["text": .text(3..<3)])
  }

  @Test func textThatIsNotUTF8IsLeftOut() { #expect(readings("015d 530187") == ["battery_pct": .number(93)]) }

  @Test func versions() {
    #expect(readings("f100010204") == ["firmware_version": .version(octets: 0x0402_0100, parts: 4)])
    #expect(readings("f2000106") == ["firmware_version": .version(octets: 0x06_0100, parts: 3)])
  }

  @Test func readingStopsAtAnUnknownObject() {
    let payload = service("fcd2", "40015dfe5d0903b718")
    #expect(BeaconsTests.readings(payload) == ["battery_pct": .number(93)])
    guard case .bthome(let frame)? = frames(payload).first else {
      Issue.record("not decoded")
      return
    }
    #expect(frame.content == .objects(1..<3, rest: .unknownObject(0xFE)))
    #expect(declines(service("fcd2", "40feca09")) == [.unknownObject(0xFE)])
  }

  @Test(arguments: ["0402", "53", "5305aa", "3b", "3b00", "02ca0902", "3c01"]) func aCutObjectIsNotRead(
    objects: String
  ) {
    #expect(readings(objects).count == (objects == "02ca0902" ? 1 : 0))
  }

  @Test func noObjectsIsAFrameWithoutReadings() {
    #expect(frames(service("fcd2", "40")).count == 1)
    #expect(readings("").isEmpty)
  }

  @Test func theAddressMayBeIncluded() {
    let payload = service("fcd2", "42b2188d38c1a404138a01")
    #expect(BeaconsTests.readings(payload) == ["pressure_hpa": .number(1008.83)])
    guard case .bthome(let frame)? = frames(payload).first else {
      Issue.record("not decoded")
      return
    }
    #expect(frame.address == 0xA4C1_388D_18B2)
    #expect(!frame.isTriggerBased)
    #expect(declines(service("fcd2", "42b2188d38c1")) == [.wrongLength(expected: 7, got: 6)])
  }

  @Test func triggerBasedSendersSaySo() {
    guard case .bthome(let frame)? = frames(service("fcd2", "442101")).first else {
      Issue.record("not decoded")
      return
    }
    #expect(frame.isTriggerBased)
  }

  @Test func encryptedIsRecognised() {
    let payload = service("fcd2", "41a47266c95f730011223378237214")
    guard case .bthome(let frame)? = frames(payload).first else {
      Issue.record("not decoded")
      return
    }
    #expect(frame.isEncrypted)
    #expect(frame.content == .encrypted(1..<7, counter: 0x3322_1100, tag: 0x7823_7214))
    #expect(BeaconsTests.readings(payload).isEmpty)
    #expect(declines(service("fcd2", "4100112233782372")) == [.wrongLength(expected: 9, got: 8)])
  }

  @Test func otherVersionsAreDeclined() {
    #expect(declines(service("fcd2", "ff")) == [.unsupportedVersion(7)])
    #expect(declines(service("fcd2", "2002ca09")) == [.unsupportedVersion(1)])
    #expect(declines(service("fcd2", "")) == [.wrongLength(expected: 1, got: 0)])
  }

  /// https://bthome.io/v1, and https://github.com/Bluetooth-Devices/bthome-ble, tests/test_parser_v1.py.
  @Test(arguments: [
    ("2302ca090303bf13", "humidity_pct 50.55, temperature_c 25.06"),
    ("23025d090303b71802015d", "battery_pct 93.0, humidity_pct 63.27, temperature_c 23.97"),
    ("02000c0404138a01", "packet_id 12.0, pressure_hpa 1008.83"), ("0405138a14", "illuminance_lx 13460.67"),
    ("03073e1d", "mass_lb 74.86"), ("2308ca06", "dew_point_c 17.38"), ("040b021b00", "power_w 69.14"),
    ("23022efb", "temperature_c -12.34"), ("020f01", "generic true"), ("021100", "opening false"),
    ("030d120c030e021c", "pm10_ug_m3 7170.0, pm2_5_ug_m3 3090.0"), ("0312e204", "co2_ppm 1250.0"),
    ("023a01", "button press"), ("033c0103", "dimmer rotate_left 3"),
    // A short and a long float; a time; an address, which is no reading.
    ("4306fe70", "mass_kg 102.24"), ("450600002041", "mass_kg 0.1"),
    ("a5505d396164", "timestamp_s 1684093277.0"), ("86a6808fe648542302ca09", "temperature_c 25.06"),
    // Two of a kind; too much; and not a number.
    ("2302ca0923025d09", "temperature_c 25.06, temperature_c_2 23.97"), ("0303ffff", ""), ("4306007e", ""),
    // Cut; nothing in it; an unknown object; an unknown coding.
    ("2302ca", ""), ("2302ca0901", ""), ("03ffca09", ""), ("c302ca09", ""),
  ]) func `the first version is read, too`(data: String, expected: String) {
    #expect(told(service("181c", data)) == expected)
  }

  @Test func `the first version is read with its key, and with no other`() throws {
    let payload = bytes(service("181e", "fba435e4d3c312fb0011223357d90a99"))
    func read(_ key: String, _ payload: [UInt8]) throws -> [String: Reading.Value] {
      var decryptor = FrameDecryptor(key: try #require(SecretKey(bytes(key))))
      let sender = DeviceAddress(bits: 0x5448_E68F_80A5, kind: .public)
      var readings: [String: Reading.Value] = [:]
      FrameDecoder.forEachFrame(in: payload.span, from: sender) { result, data in
        guard case .frame(let frame, _) = result else { return }
        frame.forEachReading(in: data) { _ in Issue.record("it is sealed") }
        _ = try? decryptor.open(frame, in: data, from: sender) { frame, text in
          frame.forEachReading(in: text) { readings[$0.name] = $0.value }
        }
      }
      return readings
    }
    let key = "231d39c1d7cc1ab1aee224cd096db932"
    #expect(try read(key, payload) == ["temperature_c": .number(25.06), "humidity_pct": .number(50.55)])
    #expect(try read("814aac74c4f17b6c1581e1ab87816b99", payload).isEmpty)
    for bit in 32..<payload.count * 8 {
      var forged = payload
      forged[bit / 8] ^= 1 << (bit % 8)
      #expect(try read(key, forged).isEmpty, "bit \(bit)")
    }
  }

  @Test func noTwoQuantitiesShareAName() {
    #expect(Set(Quantity.allCases.map(\.name)).count == Quantity.allCases.count)
  }
}
