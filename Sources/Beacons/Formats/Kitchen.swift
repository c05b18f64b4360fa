import Core

/// What cooks and brews: meat probes, hydrometers, kegs; batteries and doors besides.
extension SensorFormat {
  static let kitchen: [SensorFormat] =
    [pill(0x01, "78e36d3cb994"), pill(0x02, "0001c16d2614"), probe, chef, moat, garage] + victron

  /// KegLand's RAPT Pill, a floating hydrometer: manufacturer data of 0x4152, which are the first two letters of RAPT. Big endian.
  ///
  ///     0   "PT"          2
  ///     2   version       1  1, 2
  ///     3   address       6; of version 2: 0, whether a trend is known, and that trend, 4
  ///     9   temperature   2  K / 128
  ///     11  gravity       4  of IEEE 754, in thousandths
  ///     15  acceleration  3×2  signed, g / 16
  ///     21  battery       2  % / 256
  ///
  /// Source: https://github.com/sairon/rapt-ble, its tests for the samples
  private static func pill(_ version: UInt8, _ head: String) -> SensorFormat {
    SensorFormat(
      "rapt", maker: "KegLand", model: "RAPT Pill", in: .manufacturer(0x4152), first: 0x50, .exactly(23),
      sample: "1aff52415054" + hexadecimal(UInt128(version), octets: 1) + head
        + "948b447cb9f63445026226772aac",
      refuse: { $0[1] == 0x54 && $0[2] == version ? nil : .unknownFrameType($0[2]) }
    ) { data, body in
      let celsius = Double(data.bigEndian16(at: 9)) / 128 - 273.15
      body(Reading(.temperature, (celsius * 100).rounded() / 100))
      let gravity = Double(Float(bitPattern: data.bigEndian32(at: 11)))
      if gravity.isFinite { body(Reading(.specificGravity, (gravity * 10).rounded() / 10_000)) }
      body(Reading(.batteryLevel, (Double(data.bigEndian16(at: 21)) / 256).rounded()))
    }
  }

  /// Combustion's predictive probe: manufacturer data of 0x09C7. Little endian.
  ///
  ///     0   product       1  1
  ///     1   serial        4
  ///     5   temperatures  8 × 13 bits, 0.05 °C from −20 °C on, from the tip to the handle
  ///     18  mode          1  in the lower two bits. 0: normal, 1: instant read, which measures only the tip
  ///     19  battery       1  bit 0: low
  ///
  /// Source: https://github.com/combustion-inc/combustion-documentation, probe_ble_specification.rst
  private static let probe = SensorFormat(
    "combustion", maker: "Combustion", model: "Predictive Probe", in: .manufacturer(0x09C7), first: 0x01,
    .atLeast(20),
    sample: "19ffc70901010203044046c41018ee825c400bf4815700000000", hottest: 370,
    refuse: { $0[18] & 3 < 2 ? nil : .invalidByte($0[18], at: 18) }
  ) { data, body in
    for place in 0..<(data[18] & 3 == 1 ? 1 : 8) as Range<Int> {
      let (octet, shift) = (5 + 13 * place / 8, UInt32(13 * place % 8))
      let twentieths = Double(data.littleEndian24(at: octet) >> shift & 0x1FFF)
      body(Reading(.temperature, ordinal: UInt8(place + 1), .number((twentieths - 400) / 20)))
    }
    data.flag(.batteryLow, 19, bit: 0, body)
  }

  /// Chef iQ's CQ60, a meat probe: manufacturer data of 0x05CD. Little endian. The temperatures are those of the meat, of the tip, of
  /// two more places, and around it.
  ///
  ///     2   battery       1  %
  ///     6   temperatures  5×2  0.1 °C
  ///
  /// Source: https://github.com/custom-components/ble_monitor, ble_parser/chefiq.py
  private static let chef = SensorFormat(
    "chefiq", maker: "Chef iQ", model: "CQ60", in: .manufacturer(0x05CD), .exactly(18),
    sample: "15ffcd0501406313c000c900c900ca00cb00c0008d11", hottest: 500
  ) { data, body in
    data.field(.batteryLevel, 2, .u8, body)
    for place in 0..<5 as Range<UInt8> {
      let tenths = Double(data.littleEndian16(at: 6 + 2 * Int(place)))
      body(Reading(.temperature, ordinal: place + 1, .number(tenths / 10)))
    }
  }

  /// Kegtron's keg monitors: manufacturer data of 0xFFFF, which anybody may use, so their numbers must fit each other. Big endian.
  ///
  ///     0   size          2  ml
  ///     2   at the start  2  ml
  ///     4   dispensed     2  ml
  ///     6   port          1  0: it is set up, 4: the second of two, 6: there are two
  ///     7   name          20 text, then zeros
  ///
  /// Source: https://github.com/custom-components/ble_monitor, ble_parser/kegtron.py
  static let keg = SensorFormat(
    "kegtron", maker: "Kegtron", model: "KT-100, KT-200", in: .manufacturer(0xFFFF), .exactly(27),
    sample: "1effffff49ef138802e20153746f7574000000000000000000000000000000",
    isSent: { data, _ in
      let (size, start, dispensed) = (
        data.bigEndian16(at: 0), data.bigEndian16(at: 2), data.bigEndian16(at: 4)
      )
      return 1_000...60_000 ~= size && start <= size && dispensed <= start && data[6] & 0xAE == 0
        && data[26] == 0
    }
  ) { data, body in
    let ordinal: UInt8 = data[6] & 0x10 == 0 ? 1 : 2
    let dispensed = Double(data.bigEndian16(at: 4))
    body(Reading(.volumeLitres, ordinal: ordinal, .number(dispensed / 1000)))
    let rest = Double(data.bigEndian16(at: 2)) - dispensed
    body(Reading(.volumeStorage, ordinal: ordinal, .number(rest / 1000)))
  }

  /// Moat's S2: manufacturer data of 0x1000. Little endian.
  ///
  ///     10  temperature   2  −46.85 + 175.72 × n / 65,536
  ///     12  humidity      2  −6 + 125 × n / 65,536
  ///     14  battery       2  mV
  ///
  /// Source: https://github.com/custom-components/ble_monitor, ble_parser/moat.py
  private static let moat = SensorFormat(
    "moat", maker: "Moat", model: "S2", in: .manufacturer(0x1000), .exactly(18),
    sample: "15ff0010aabbccddeeff11111111d46103cbbe0a0000"
  ) { data, body in
    func tell(_ quantity: Quantity, _ start: Double, _ scale: Double, _ offset: Int) {
      let number = start + scale * Double(data.littleEndian16(at: offset)) / 65_536
      body(Reading(quantity, (number * 100).rounded() / 100))
    }
    tell(.temperature, -46.85, 175.72, 10)
    tell(.humidity, -6, 125, 12)
    data.field(.batteryVoltage, 14, .u16le, per: 1000, body)
  }

  /// Hörmann's garage doors Supramatic E4: manufacturer data of 0x07B4. How far it is open is at 1, in half percents.
  ///
  /// Source: https://github.com/custom-components/ble_monitor, ble_parser/hormann.py
  private static let garage = SensorFormat(
    "hormann", maker: "Hörmann", model: "Supramatic E4", in: .manufacturer(0x07B4), .exactly(17),
    sample: "14ffb407140000000000000000efbbafa9d1a73b04",
    refuse: { $0[1] <= 200 ? nil : .invalidByte($0[1], at: 1) }
  ) { data, body in
    body(Reading(.garageDoor, .flag(data[1] != 0)))
    body(Reading(.closed, 100 - Double(data[1]) / 2))
  }

  /// Victron's devices as far as they do not encrypt: manufacturer data of 0x02E1. Little endian. Voltages are in 0.01 V, currents in
  /// 0.1 A; the second ones are of the input.
  ///
  ///     0   0x11
  ///     4   record        1
  ///     8   what the record says
  ///
  /// Source: https://decoder.theengs.io (VICTSBS, VICTBSC, VICTSBP, VICTORIONXS), and Victron's "Extra Manufacturer Data"
  private static let victron: [SensorFormat] = [
    //     10  voltage  2     14  temperature  2  0.01 K     16  lower two bits: 2 if that is there
    victron("Smart Battery Sense", 0x02, 17, "80a5a302ffff7bffff130500008971feff7fffffffff") { data, body in
      data.field(.voltage, 10, .u16le, per: 100, absent: 0xFFFF, body)
      data.field(
        .temperature, 14, .u16le, per: 100, plus: -27_315, absent: 0xFFFF, if: Condition(16, mask: 3, is: 2),
        body)
    },
    //     10  voltage  13 bits, current  11 bits; all ones: none
    victron("Blue Smart Charger", 0x08, 13, "0038a308ffffcc040079850cffffffffffffffff") { data, body in
      let number = data.littleEndian24(at: 10)
      if number & 0x1FFF != 0x1FFF { body(Reading(.voltage, Double(number & 0x1FFF) / 100)) }
      if number >> 13 != 0x7FF { body(Reading(.current, Double(number >> 13) / 10)) }
    },
    //     15  input    2, signed     17  output  2
    victron("Smart BatteryProtect", 0x09, 19, "00b0a309ffffdaf90100000000001b051b0500000000") { data, body in
      data.field(.voltage, 17, .u16le, per: 100, absent: 0xFFFF, body)
      let input = Int16(bitPattern: data.littleEndian16(at: 15))
      if input != .max { body(Reading(.voltage, ordinal: 2, .number(Double(input) / 100))) }
    },
    //     10  output voltage, current, 2 each     14  input voltage, current, 2 each
    victron("Orion XS", 0x0F, 18, "00f0a30fffff400000f60400000a00000081000000") { data, body in
      for (ordinal, offset) in [(1, 10), (2, 14)] as [(UInt8, Int)] {
        let (voltage, current) = (data.littleEndian16(at: offset), data.littleEndian16(at: offset + 2))
        if voltage != 0xFFFF { body(Reading(.voltage, ordinal: ordinal, .number(Double(voltage) / 100))) }
        if current != 0xFFFF { body(Reading(.current, ordinal: ordinal, .number(Double(current) / 10))) }
      }
    },
  ]

  private static func victron(
    _ model: String, _ record: UInt8, _ length: Int, _ data: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    SensorFormat(
      "victron", maker: "Victron", model: model, in: .manufacturer(0x02E1), first: 0x11, .atLeast(length),
      sample: hexadecimal(UInt128(data.count / 2 + 4), octets: 1) + "ffe10211" + data,
      refuse: { $0[4] == record ? nil : .unknownFrameType($0[4]) }, readings: readings)
  }
}
