import Core

/// Sensors in beacons and tags.
extension SensorFormat {
  static let sensorBeacons: [SensorFormat] = [
    puck, puckTemperature, puckHumidity, eye, mikroTik, acconeer(0x80), acconeer(0x91),
    acconeerDistance, holyIOT, puckMagnet, battery, feasycom, nodOn, moko(0x40, battery: 3, "05000bb8"),
    moko(0x60, battery: 12, "000a0100070200ff003fc00bb8"), moko(0x70, battery: 7, "050000d701c20bb8"),
    mokoBeacon, mokoDistance, rdl(0x0318), rdl(0x1803),
  ]

  /// ELA's Blue Puck and Coin, also sold by Teltonika: manufacturer data of 0x0757, objects of a number and a value.
  ///
  ///     0x12  temperature  2  0.01 °C, signed, little endian
  ///     0x21  humidity     1  %
  ///     0xF1  battery      1  %
  ///     0xF2  battery      2  mV, little endian
  private static let puck = SensorFormat(
    "ela", maker: "ELA Innovation", model: "Blue sensor", in: .manufacturer(0x0757), .atLeast(2),
    sample: "08ff5707212d123408",
    refuse: { [0x12, 0x21, 0xF1, 0xF2].contains($0[0]) ? nil : .unknownFrameType($0[0]) }
  ) { data, body in
    var offset = 0
    while offset + 1 < data.count {
      switch data[offset] {
      case 0x12 where offset + 2 < data.count:
        data.field(.temperature, offset + 1, .s16le, per: 100, body)
        offset += 3
      case 0x21:
        data.field(.humidity, offset + 1, .u8, body)
        offset += 2
      case 0xF1:
        data.field(.batteryLevel, offset + 1, .u8, body)
        offset += 2
      case 0xF2 where offset + 2 < data.count:
        data.field(.batteryVoltage, offset + 1, .u16le, per: 1000, body)
        offset += 3
      default: return
      }
    }
  }

  /// A characteristic as service data. Source: Bluetooth GATT Specification Supplement, 3.218 and 3.114.
  private static let puckTemperature = SensorFormat(
    "gatt", model: "Thermometer", in: .service(0x2A6E), .exactly(2), sample: "05166e2a3408"
  ) { data, body in data.field(.temperature, 0, .s16le, per: 100, absent: -0x8000, body) }
  private static let puckHumidity = SensorFormat(
    "gatt", model: "Hygrometer", in: .service(0x2A6F), .atLeast(1), sample: "05166f2a8a11"
  ) { data, body in
    // One octet of whole percents is ELA's.
    if data.count == 1 {
      data.field(.humidity, 0, .u8, body)
    } else {
      data.field(.humidity, 0, .u16le, per: 100, absent: 0xFFFF, body)
    }
  }

  private static let battery = SensorFormat(
    "gatt", model: "Battery", in: .service(0x180F), .exactly(1), sample: "04160f1864"
  ) { data, body in data.field(.batteryLevel, 0, .u8, body) }
  /// ELA's Blue Puck MAG.
  private static let puckMagnet = SensorFormat(
    "ela", maker: "ELA Innovation", model: "Blue magnet sensor", in: .service(0x2A06), .exactly(2),
    sample: "0516062a0100"
  ) { data, body in body(Reading(.opening, .flag(data[0] & 1 == 0))) }

  /// Teltonika's EYE sensor: manufacturer data of 0x089A. Big endian.
  ///
  ///     0   version       1  1
  ///     1   flags         1  0: temperature, 1: humidity, 2: magnet sensor, 3: its state, 4: movement, 5: angle, 6: low battery,
  ///                          7: battery
  ///     …   temperature   2  0.01 °C, signed
  ///     …   humidity      1  %
  ///     …   movement      2  highest bit: moves now; else how often it did
  ///     …   angle         3
  ///     …   battery       1  2 V + 10 mV
  ///
  /// Source: https://wiki.teltonika-gps.com/view/EYE_SENSOR_/_BTSMP1
  private static let eye = SensorFormat(
    "teltonika", maker: "Teltonika", model: "EYE sensor", in: .manufacturer(0x089A), first: 0x01, .atLeast(2),
    sample: "0eff9a0801b708fc2d80050bffc75a"
  ) { data, body in
    var offset = 2
    func take(_ bit: UInt8, _ octets: Int, _ reading: (Int) -> Void) {
      guard data[1] &>> bit & 1 != 0, offset + octets <= data.count else { return }
      reading(offset)
      offset += octets
    }
    take(0, 2) { data.field(.temperature, $0, .s16, per: 100, body) }
    take(1, 1) { data.field(.humidity, $0, .u8, body) }
    take(4, 2) { data.flag(.moving, $0, bit: 7, body) }
    take(5, 3) { _ in }
    take(7, 1) { data.field(.batteryVoltage, $0, .u8, per: 100, plus: 200, body) }
    if data[1] & 0x04 != 0 { body(Reading(.opening, .flag(data[1] & 0x08 == 0))) }
    data.flag(.batteryLow, 1, bit: 6, body)
  }

  /// MikroTik's TG-BT5 tags: manufacturer data of 0x094F. Little endian.
  ///
  ///     0   version       1  1
  ///     1   flags         1  lowest bit: encrypted
  ///     2   salt          2
  ///     4   acceleration  3×2  m/s² / 256, signed: x, y, z
  ///     10  temperature   2  °C / 256, signed; 0x8000: none
  ///     12  uptime        4  s
  ///     16  flags         1  0: magnet switch, 1: tilt, 2: fall, 3…5: impact
  ///     17  battery       1  %
  ///
  /// Source: https://help.mikrotik.com/docs/display/UM/MikroTik+Tag+advertisement+formats
  private static let mikroTik = SensorFormat(
    "mikrotik", maker: "MikroTik", model: "TG-BT5", in: .manufacturer(0x094F), first: 0x01, .exactly(18),
    sample: "15ff4f09010010a90000fdff01008015809600000160", refuse: { $0[1] & 1 == 0 ? nil : .unknownCipher }
  ) { data, body in
    for (offset, axis) in [(4, Quantity.accelerationX), (6, .accelerationY), (8, .accelerationZ)] {
      // A standard gravity has 9.80665 m/s².
      let gravities = Double(Int16(bitPattern: data.littleEndian16(at: offset))) / 256 / 9.80665
      body(Reading(axis, (gravities * 10_000).rounded() / 10_000))
    }
    data.field(.temperature, 10, .s16le, per: 256, absent: -0x8000, body)
    data.field(.uptime, 12, .u32le, body)
    body(Reading(.opening, .flag(data[16] & 0x01 == 0)))
    data.flag(.moving, 16, bit: 1, body)
    body(Reading(.vibration, .flag(data[16] & 0x3C != 0)))
    data.field(.batteryLevel, 17, .u8, body)
  }

  /// Acconeer's radar boards: manufacturer data of 0xACC0. Little endian.
  ///
  ///     0   kind          1  0x80, 0x91: presence, 0x90: distance
  ///     1   battery       2  %
  ///     3   temperature   2  °C, signed
  ///     5   presence      1; or distance, 2, mm
  private static func acconeer(_ kind: UInt8) -> SensorFormat {
    SensorFormat(
      "acconeer", maker: "Acconeer", model: "Presence sensor", in: .manufacturer(0xACC0), first: kind,
      .exactly(15),
      sample: "12ffc0ac" + hexadecimal(UInt128(kind), octets: 1) + "5a00150001000000000000000000"
    ) { data, body in
      data.field(.batteryLevel, 1, .u8, body)
      data.field(.temperature, 3, .s16le, body)
      body(Reading(.presence, .flag(data[5] != 0)))
    }
  }
  private static let acconeerDistance = SensorFormat(
    "acconeer", maker: "Acconeer", model: "Distance sensor", in: .manufacturer(0xACC0), first: 0x90,
    .exactly(15),
    sample: "12ffc0ac905a0015002c010000000000000000"
  ) { data, body in
    data.field(.batteryLevel, 1, .u8, body)
    data.field(.temperature, 3, .s16le, body)
    data.field(.distanceMillimetres, 5, .u16le, body)
  }

  /// HolyIOT's tags: service data of 0x5242. Big endian.
  ///
  ///     0   0x41
  ///     1   battery      1  %
  ///     2   address      6
  ///     10  what         1  1: temperature, 3: humidity, 4: vibration
  ///     11  value        2  whole °C with sign, then hundredths; %
  private static let holyIOT = SensorFormat(
    "holyiot", maker: "HolyIOT", model: "HolyIOT tag", in: .service(0x5242), first: 0x41, .exactly(13),
    sample: "1016425241640102030405060606011510"
  ) { data, body in
    data.field(.batteryLevel, 1, .u8, body)
    switch data[10] {
    case 1:
      let whole = Int8(bitPattern: data[11])
      let rest = Double(data[12]) / 100
      body(Reading(.temperature, whole < 0 ? Double(whole) - rest : Double(whole) + rest))
    case 3: data.field(.humidity, 11, .u8, body)
    case 4: body(Reading(.vibration, .flag(data[11] != 0)))
    default: break
    }
  }

  /// KKM's sensors, which Blue Charm sells, too: a frame in Eddystone's service that Eddystone does not have. Big endian.
  ///
  ///     0   0x21
  ///     1   version       1  0 or 1
  ///     2   what follows  1
  ///     …   battery       2  mV, if bit 0
  ///     …   temperature   2  °C / 256, signed, if bit 1
  ///     …   humidity      2  % / 256, if bit 2
  ///     …   acceleration  3×2  mg, signed, if bit 3
  static let kkm: [SensorFormat] = [
    kkm("K6", 0x0F, "0bb815802d000010ffe003e8"), kkm("K6P", 0x07, "0bb815802d00"),
    kkm("BC08", 0x0B, "0bb815800010ffe003e8"),
  ]

  private static func kkm(_ model: String, _ parts: UInt8, _ data: String) -> SensorFormat {
    SensorFormat(
      "kkm", maker: "KKM", model: model, in: .service(0xFEAA), first: 0x21, .exactly(data.count / 2 + 3),
      sample: hexadecimal(UInt128(data.count / 2 + 6), octets: 1) + "16aafe2101"
        + hexadecimal(UInt128(parts), octets: 1) + data,
      // The K6's third octet was also seen with fewer bits.
      isSent: { sent, _ in sent[1] < 2 && (sent[2] == parts || parts == 0x0F) }
    ) { data, body in
      data.field(.batteryVoltage, 3, .u16, per: 1000, body)
      data.field(.temperature, 5, .s16, per: 256, body)
      var offset = 7
      if parts & 0x04 != 0 {
        data.field(.humidity, offset, .u16, per: 256, body)
        offset += 2
      }
      if parts & 0x08 == 0 { return }
      data.field(.accelerationX, offset, .s16, per: 1000, body)
      data.field(.accelerationY, offset + 2, .s16, per: 1000, body)
      data.field(.accelerationZ, offset + 4, .s16, per: 1000, body)
    }
  }

  /// Moko's BeaconX Pro: service data of 0xFEAB. Big endian. Source: https://decoder.theengs.io (MBXPRO)
  ///
  ///     0   frame         1  0x40: device, 0x60: acceleration, 0x70: climate
  ///     …   battery       2  mV: at 3, at 12, at 7
  ///     3   temperature   2  0.1 °C, signed; then humidity, 2, 0.1 %
  ///     4   range         1  0…3: 2, 4, 8, 16 g; then acceleration from 6 on, 3×2, of the range / 32,768, signed
  private static func moko(_ frame: UInt8, battery: Int, _ data: String) -> SensorFormat {
    SensorFormat(
      "moko", maker: "Moko", model: "BeaconX Pro", in: .service(0xFEAB), first: frame, .atLeast(battery + 2),
      sample: hexadecimal(UInt128(data.count / 2 + 4), octets: 1) + "16abfe"
        + hexadecimal(UInt128(frame), octets: 1) + data
    ) { data, body in
      data.field(.batteryVoltage, battery, .u16, per: 1000, body)
      if frame == 0x70 {
        data.field(.temperature, 3, .s16, per: 10, body)
        data.field(.humidity, 5, .u16, per: 10, body)
      }
      if frame == 0x60, data[4] < 4 {
        let unit = Double(2 << Int(data[4])) / 32_768
        for (offset, axis) in [(6, Quantity.accelerationX), (8, .accelerationY), (10, .accelerationZ)] {
          let part = Double(Int16(bitPattern: data.bigEndian16(at: offset)))
          body(Reading(axis, (part * unit * 1000).rounded() / 1000))
        }
      }
    }
  }

  /// Moko's earlier beacons: service data of 0xFF01. Little endian. That the axes are in mg was seen where one lay still.
  ///
  ///     0   battery       1  %
  ///     7   acceleration  3×2  mg, signed
  private static let mokoBeacon = SensorFormat(
    "moko", maker: "Moko", model: "Mokobeacon", in: .service(0xFF01), .exactly(13),
    sample: "101601ff5a" + "00000000508510000cffe003"
  ) { data, body in
    data.field(.batteryLevel, 0, .u8, body)
    data.field(.accelerationX, 7, .s16le, per: 1000, body)
    data.field(.accelerationY, 9, .s16le, per: 1000, body)
    data.field(.accelerationZ, 11, .s16le, per: 1000, body)
  }

  /// RadioLand's RDL52832, beside its iBeacon: service data of 0x0318, also in the other order of octets.
  ///
  ///     0   temperature   2  °C / 256, signed
  ///     2   humidity      2  % / 256
  ///     4   acceleration  3×4  sign (0 or 1), whole g, tenths, hundredths
  private static func rdl(_ service: UInt16) -> SensorFormat {
    SensorFormat(
      "rdl", maker: "RadioLand", model: "RDL52832", in: .service(service), .exactly(16),
      sample: "1316" + hexadecimal(UInt128(service.byteSwapped), octets: 2) + "15802d00"
        + "000000050100000200010000",
      refuse: { data in
        // Link Loss has the same number.
        for offset in stride(from: 4, to: 16, by: 4) {
          for place in 0..<4 where data[offset + place] > (place == 0 ? 1 : 9) {
            return .invalidByte(data[offset + place], at: offset + place)
          }
        }
        return nil
      }
    ) { data, body in
      data.field(.temperature, 0, .s16, per: 256, body)
      data.field(.humidity, 2, .u16, per: 256, body)
      for (offset, axis) in [(4, Quantity.accelerationX), (8, .accelerationY), (12, .accelerationZ)] {
        let hundredths = Int(data[offset + 1]) * 100 + Int(data[offset + 2]) * 10 + Int(data[offset + 3])
        body(Reading(axis, Double(data[offset] == 0 ? hundredths : -hundredths) / 100))
      }
    }
  }

  /// Feasycom's beacons: service data of 0xFFF0.
  ///
  ///     4   address       6
  ///     10  battery       1  %; 101: plugged in
  private static let feasycom = SensorFormat(
    "feasycom", maker: "Feasycom", model: "FSC-BP", in: .service(0xFFF0), .exactly(11),
    sample: "0e16f0ff1502000001020304050664"
  ) { data, body in
    if data[10] == 101 { body(Reading(.plug, .flag(true))) }
    data.field(.batteryLevel, 10, .u8, body)
  }

  /// NodOn's NIU button: service data of 0x0000.
  ///
  ///     12  battery       1  %
  ///     15  press         1
  ///
  /// Octets 13 and 14 differ in all captures, and may tell presses from each other. Nobody has described them, and if they changed
  /// with every repetition, one press would become many; so two presses within ten seconds are one.
  private static let nodOn = SensorFormat(
    "nodon", maker: "NodOn", model: "NIU", in: .service(0x0000), .exactly(16),
    sample: "13160000" + "0102030405060708090a000264000001"
  ) { data, body in
    data.field(.batteryLevel, 12, .u8, bits: 7, body)
    let event: ButtonEvent? =
      switch data[15] {
      case 1: .press
      case 2: .doublePress
      case 3: .longPress
      case 5: .triplePress
      case 6: .quadruplePress
      case 7: .quintuplePress
      default: nil
      }
    if let event { body(Reading(.button, .button(event))) }
  }

  /// Moko's sensor of distance: manufacturer data of Nordic's 0x0059. Little endian.
  ///
  ///     2   battery       2  mV
  ///     7   distance      2  mm
  ///
  /// Source: https://github.com/reelyactive/advlib-ble-manufacturers, lib/nordicsemiconductor.js
  private static let mokoDistance = SensorFormat(
    "moko", maker: "Moko", model: "TOF sensor", in: .manufacturer(0x0059), first: 0x07, .exactly(15),
    sample: "12ff5900076ce40cffffffd204ffff01d318ff"
  ) { data, body in
    data.field(.batteryVoltage, 2, .u16le, per: 1000, body)
    data.field(.distanceMillimetres, 7, .u16le, absent: 0xFFFF, body)
  }
}
