import Beacons
import Core
import TestSupport
import Testing

/// Formats as their makers' pages describe them, each as short as its file would be.
extension SensorFormat {
  /// https://github.com/atc1441/ATC_MiThermometer#advertising-format-of-the-custom-firmware
  fileprivate static let atc = SensorFormat(
    "atc", model: "ATC thermometer", in: .service(0x181A), .exactly(13),
    sample: "10161a18a4c138000001010b2d640bb805"
  ) { data, body in
    data.field(.temperature, 6, .s16, per: 10, body)
    data.field(.humidity, 8, .u8, body)
    data.field(.batteryVoltage, 10, .u16, per: 1000, body)
  }

  /// https://github.com/pvvx/ATC_MiThermometer#custom-format-all-data-little-endian
  fileprivate static let pvvx = SensorFormat(
    "pvvx", model: "PVVX thermometer", in: .service(0x181A), .exactly(15),
    sample: "12161a1801000038c1a4e90a9411b80b64054f"
  ) { data, body in
    data.field(.temperature, 6, .s16le, per: 100, body)
    data.field(.humidity, 8, .u16le, per: 100, body)
    data.field(.opening, 14, .u8, if: Condition(14, mask: 0x80, is: 0x80), body)
  }

  /// Three octets hold temperature and humidity in decimal places: no table.
  fileprivate static let govee = SensorFormat(
    "govee", maker: "Govee", model: "H5075", in: .manufacturer(0xEC88), .atLeast(6),
    sample: "09ff88ec0003a9d64b00"
  ) { data, body in
    let both = data.bigEndian24(at: 1)
    let tenths = Double((both & 0x7F_FFFF) / 1000)
    body(Reading(.temperature, .number((both & 0x80_0000 == 0 ? tenths : -tenths) / 10)))
    body(Reading(.humidity, .number(Double(both & 0x7F_FFFF % 1000) / 10)))
    data.field(.batteryLevel, 4, .u8, bits: 7, body)
  }

  /// The temperature stands where others have the company: only its name tells it.
  fileprivate static let inkbird = SensorFormat(
    "inkbird", maker: "Inkbird", model: "IBS-TH1", in: .unnumbered, .exactly(9),
    sample: "040973707303" + "02f0ff0aff660815100034215800",
    isSent: { $1.isNamed("sps") && $1.lists(service: 0xFFF0) }
  ) { data, body in
    data.field(.temperature, 0, .s16le, per: 100, body)
    data.field(.humidity, 2, .u16le, per: 100, body)
    data.field(.batteryLevel, 7, .u8, body)
  }

  /// Says its own address, and is none if that is another's.
  fileprivate static let selfish = SensorFormat(
    "selfish", model: "Selfish", in: .service(0xFE95), .atLeast(6), sample: "",
    isSent: { $0.bigEndian48(at: 0) == $1.address?.bits }
  ) { data, body in data.field(.count, 0, .u8, body) }
}

@Suite struct SensorFormatTests {
  private func readings(_ format: SensorFormat, _ data: [UInt8]) -> [String: Reading.Value] {
    var readings: [String: Reading.Value] = [:]
    format.forEachReading(in: data.span) { readings[$0.name] = $0.value }
    return readings
  }

  @Test func `every coding reads the octets that it names, in its order and with its sign`() {
    typealias Reader = (Span<UInt8>, (Reading) -> Void) -> Void
    let codings: [(octets: Int, isSigned: Bool, isLittle: Bool, Reader)] = [
      (1, false, false, { $0.field(.count, 2, .u8, $1) }), (1, true, false, { $0.field(.count, 2, .s8, $1) }),
      (2, false, false, { $0.field(.count, 2, .u16, $1) }),
      (2, true, false, { $0.field(.count, 2, .s16, $1) }),
      (3, false, false, { $0.field(.count, 2, .u24, $1) }),
      (3, true, false, { $0.field(.count, 2, .s24, $1) }),
      (4, false, false, { $0.field(.count, 2, .u32, $1) }),
      (4, true, false, { $0.field(.count, 2, .s32, $1) }),
      (2, false, true, { $0.field(.count, 2, .u16le, $1) }),
      (2, true, true, { $0.field(.count, 2, .s16le, $1) }),
      (3, false, true, { $0.field(.count, 2, .u24le, $1) }),
      (3, true, true, { $0.field(.count, 2, .s24le, $1) }),
      (4, false, true, { $0.field(.count, 2, .u32le, $1) }),
      (4, true, true, { $0.field(.count, 2, .s32le, $1) }),
    ]
    var random = SeededGenerator(seed: 3)
    for (octets, isSigned, isLittle, read) in codings {
      for _ in 0..<100 {
        let data = random.bytes(2 + octets)
        let ordered = isLittle ? data.dropFirst(2).reversed() : Array(data.dropFirst(2))
        let unsigned = ordered.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let isNegative = isSigned && ordered[0] >= 0x80
        let expected = isNegative ? unsigned - 1 << Int64(8 * octets) : unsigned
        read(data.span) { #expect($0.value == .number(Double(expected)), "\(octets) octets of \(data)") }
      }
    }
  }

  @Test func `a field takes its bits, adds, then divides; what is absent says nothing`() {
    let data: [UInt8] = [0xAC, 0x36]
    var values: [Reading.Value] = []
    data.span.field(.batteryVoltage, 0, .u16, per: 1000, plus: 1600, shift: 5, bits: 11) {
      values.append($0.value)
    }
    data.span.field(.txPower, 0, .u16, per: 0.5, plus: -20, bits: 5) { values.append($0.value) }
    data.span.field(.txPower, 0, .u16, bits: 5, absent: 0x16) { values.append($0.value) }
    data.span.field(.count, 0, .s8, absent: -84) { values.append($0.value) }
    #expect(values == [.number(2.977), .number(4)])
  }

  @Test func `a condition lets a field speak or not; a flag is one bit`() {
    let data: [UInt8] = [0x82]
    var values: [Reading.Value] = []
    data.span.field(.count, 0, .u8, if: Condition(0, mask: 0xF0, is: 0x80)) { values.append($0.value) }
    data.span.field(.count, 0, .u8, if: Condition(0, mask: 0xF0, is: 0x90)) { values.append($0.value) }
    for bit in 0..<3 as Range<UInt8> { data.span.flag(.motion, 0, bit: bit) { values.append($0.value) } }
    #expect(values == [.number(130), .flag(false), .flag(true), .flag(false)])
  }

  @Test func `a format is found by its number, its first octet and its length`() throws {
    let formats = SensorFormats([.atc, .pvvx, .govee, .ruuvi5, .ruuvi6])
    func format(_ place: SensorFormat.Place, _ data: [UInt8]) throws(Decline) -> String {
      try formats.frame(in: place, data.span, first: data.first ?? 0).format.name
    }
    let zeros = [UInt8](repeating: 0, count: 30)
    #expect(try format(.service(0x181A), Array(zeros.prefix(13))) == "atc")
    #expect(try format(.service(0x181A), Array(zeros.prefix(15))) == "pvvx")
    #expect(throws: Decline.wrongLength(expected: 15, got: 14)) {
      try format(.service(0x181A), Array(zeros.prefix(14)))
    }
    #expect(throws: Decline.noDecoder) { try format(.manufacturer(0x181A), Array(zeros.prefix(13))) }
    #expect(try format(.manufacturer(0xEC88), zeros) == "govee")
    #expect(try format(.manufacturer(0x0499), [5] + zeros) == "ruuvi")
    #expect(throws: Decline.unknownFrameType(8)) { try format(.manufacturer(0x0499), [8] + zeros) }
    #expect(throws: Decline.wrongLength(expected: 20, got: 1)) { try format(.manufacturer(0x0499), [6]) }
  }

  @Test func `numbers that fall into one place do not hide each other`() throws {
    let formats = (0..<200 as Range<UInt16>).map { number in
      SensorFormat("\(number)", model: "", in: .manufacturer(number &* 0x0840), .atLeast(1), sample: "") {
        _, _ in
      }
    }
    let found = SensorFormats(formats)
    for format in formats {
      #expect(
        try found.frame(in: format.place, [0].span, first: 0).format
          === formats.first { $0.place == format.place })
    }
  }

  @Test func `a table reads as its maker's page says`() {
    #expect(
      readings(.atc, bytes("a4c138000001010b2d640bb805"))
        == ["temperature_c": .number(26.7), "humidity_pct": .number(45), "battery_v": .number(3)])
    #expect(
      readings(.govee, bytes("0083a9d6cb00"))
        == ["temperature_c": .number(-24.0), "humidity_pct": .number(8.6), "battery_pct": .number(75)])
    #expect(readings(.atc, bytes("a4c138000001010b2d640bb8")).isEmpty, "an octet short")
  }

  @Test func `a format without a number is told by its sender's name and services`() throws {
    let data = "0aff660815100034215800"
    func found(_ payload: String, at address: UInt64? = nil) -> String? {
      let payload = bytes(payload)
      var structures = ADStructures()
      var name: String?
      let address = address.map { DeviceAddress(bits: $0, kind: .public) }
      while case .structure(let type, let range)? = structures.next(in: payload.span) {
        guard type == 0xFF || type == 0x16 else { continue }
        let structure = payload.span.extracting(range)
        let number = structure.littleEndian16(at: 0)
        let context = FormatContext(payload: payload.span, address: address)
        let formats: [SensorFormat] = [.inkbird, .selfish]
        let place: SensorFormat.Place = type == 0xFF ? .manufacturer(number) : .service(number)
        name = formats.first(in: place, structure, context: context).map { format, data in
          "\(format.name) \(data.lowerBound)"
        }
      }
      return name
    }
    #expect(found("040973707303" + "02f0ff" + data) == "inkbird 0", "name and service")
    #expect(found("040973707303" + "03aafe" + data) == nil, "a wrong kind of list")
    #expect(found("040973707403" + "02f0ff" + data) == nil, "another name")
    #expect(found("0302f0ff" + data) == nil, "no name")
    #expect(found("040973707303" + "02f0ff" + "09ff6608151000342158") == nil, "an octet short")
    #expect(found("091695fea4c138000001", at: 0xA4C1_3800_0001) == "selfish 2")
    #expect(found("091695fea4c138000001", at: 0xA4C1_3800_0002) == nil)
    #expect(found("091695fea4c138000001") == nil, "the source does not know the address")
    #expect(
      readings(.inkbird, bytes("660815100034215800"))
        == ["temperature_c": .number(21.5), "humidity_pct": .number(41.17), "battery_pct": .number(88)])
  }

  /// What `decode --list` shows, and what fuzzing begins with.
  @Test(arguments: FormatRegistry.samples) func `every format's sample is a frame of it`(
    format: String, payload: String
  ) {
    #expect(Set(frames(payload).map(\.format)) == [format])
    #expect(declines(payload).isEmpty)
  }

  @Test func `every sensor's sample has readings, or needs a key`() {
    for format in FormatRegistry.sensors.all + FormatRegistry.sensorsBySender {
      var isSealed = false
      let payload = bytes(format.sample)
      FrameDecoder.forEachFrame(in: payload.span) { result, data in
        if case .frame(let frame, _) = result { isSealed = frame.isEncrypted(in: data) }
      }
      #expect(BeaconsTests.readings(format.sample).isEmpty == isSealed, "\(format.model)")
    }
  }

  /// A quantity's number may be any octet.
  @Test func `readings of every quantity are counted, however many there are`() {
    var ordinals = Ordinals()
    for number in UInt8.min ... .max { #expect(ordinals.next(number: number) == 1) }
    for number in UInt8.min ... .max { #expect(ordinals.next(number: number) == 2) }
  }

  /// Numbers of quantities move when one is added in between. A state is read by another version.
  @Test func `a reading is written by its quantity's name`() throws {
    for quantity in Quantity.allCases {
      var writer = StateCoder()
      writer.write(Reading(quantity, ordinal: 2, .flag(true)))
      let octets = writer.finished()
      #expect(String(decoding: octets, as: UTF8.self).contains(quantity.name))
      var reader = try StateCoder(reading: octets)
      #expect(try reader.read() == Reading(quantity, ordinal: 2, .flag(true)))
    }
  }
}
