import Core

/// SwitchBot's devices: service data of 0xFD3D, formerly 0x0D00. The first octet is the kind, the third the battery. The kinds since
/// 2025 have three octets, the last ones or before the last one, after a 0 or 1. What newer kinds measure is in manufacturer data of
/// 0x0969, often in another packet; see `SensorFormat.continued`.
///
/// Sources: https://github.com/OpenWonderLabs/SwitchBotAPI-BLE; https://github.com/sblibs/pySwitchbot
extension SensorFormat {
  static let switchBot: [SensorFormat] = [UInt16(0xFD3D), 0x0D00].flatMap { service -> [SensorFormat] in
    let older: [SensorFormat] = [
      switchBot("Meter", service, 0x54, 6, "5400640398a6") { $0.switchBotClimate(3, $1) },
      switchBot("Meter Plus", service, 0x69, 6, "6900640398a6") { $0.switchBotClimate(3, $1) },
      //     1   6: motion     3   1…2: door, 0: light     8   0…3: presses
      switchBot("Contact Sensor", service, 0x64, 9, "644064030000000001") { data, body in
        data.flag(.motion, 1, bit: 6, body)
        data.flag(.light, 3, bit: 0, body)
        // 2: open for longer than it should be.
        body(Reading(.opening, .flag(data[3] &>> 1 & 3 != 0)))
        data.field(.pressCount, 8, .u8, bits: 4, body)
      },
      switchBot("Motion Sensor", service, 0x73, 6, "734064000001") { data, body in
        data.flag(.motion, 1, bit: 6, body)
        body(Reading(.light, .flag(data[5] & 3 == 2)))
      },
      switchBot("Bot", service, 0x48, 3, "48c064") { data, body in
        // 0: on, in its mode as a switch.
        if data[1] & 0x80 != 0 { body(Reading(.powerOn, .flag(data[1] & 0x40 == 0))) }
      },
      switchBot("Curtain", service, 0x63, 5, "634064b210") { $0.switchBotCurtain(3, $1) },
      switchBot("Curtain 3", service, 0x7B, 5, "7b4064b210") { $0.switchBotCurtain(3, $1) },
      switchBot("Blind Tilt", service, 0x78, 3, "780064") { _, _ in },
      switchBot("Meter Pro", service, 0x34, 3, "340064") { _, _ in },
      switchBot("Meter Pro CO2", service, 0x35, 3, "350064") { _, _ in },
      switchBot("Remote", service, 0x62, 3, "620064") { _, _ in },
      switchBot("Lock", service, 0x6F, 3, "6f8064") { _, _ in },
      switchBot("Lock Pro", service, 0x24, 3, "248064") { _, _ in },
      switchBot("Lock Lite", service, 0x2D, 3, "2d8064") { _, _ in },
      switchBot("Water Leak Detector", service, 0x26, 3, "260064") { _, _ in },
      switchBot("Outdoor Meter", service, 0x77, 3, "770064") { _, _ in },
      switchBot("Roller Shade", service, 0x2C, 3, "2c0064") { _, _ in },
      switchBot("Keypad", service, 0x79, 3, "790064") { _, _ in },
      switchBot("Universal Remote", service, 0x27, 3, "270064") { _, _ in },
    ]
    return older + switchBotMains.map { mains($0, service) } + switchBotNewer.map { newer($0, service) }
  }

  /// While a device is being added, its kind has another number, which differs in bit 5. Only for the meter
  /// it is the other way round.
  static func switchBotKind(_ first: UInt8) -> UInt8 {
    switch first {
    case 0x74: 0x54
    case 0x02...0x7F where first != 0x54 && first != 0x48: first | 0x20
    default: first
    }
  }

  /// They have no battery, or its level is in the other packet; this packet says only the kind.
  private static let switchBotMains: [(model: String, kind: UInt8, data: String)] = [
    ("Hub 2", 0x76, "0000000000050398a6"), ("Hub Mini Matter", 0x25, "000000000000019835"),
    ("Plug Mini", 0x67, "80003200c8"), ("Plug Mini", 0x6A, "80003200c8"), ("Plug Mini", 0x3F, "81000000c8"),
    ("Relay Switch 1", 0x3B, "81"), ("Relay Switch 1PM", 0x3C, "8100000031"),
    ("Relay Switch 2PM", 0x3D, "c100000031000a"), ("Garage Door Opener", 0x3E, "a0"),
  ]
  private static let switchBotNewer: [(model: String, kind: UInt32, data: String)] = [
    ("Hub 3", 0x10_B940, "ff6826d6648303993480"), ("Lock Ultra", 0x10_A5B8, "8a80340000"),
    ("Lock Ultra Max", 0x11_9FB8, "8a80340000"), ("Lock Pro Wifi", 0x10_FF90, "8a80340000"),
    ("Lock Vision Pro", 0x11_6909, "8a80340000"), ("Lock Vision", 0x11_6908, "9000"),
    ("Presence Sensor", 0x10_CCC8, "cc000a0082"), ("Climate Panel", 0x10_F3D8, "e40398a60000000080"),
    ("Smart Radiator Thermostat", 0x11_3640, "e4009ca34100"), ("Weather Station", 0x10_53B0, "640398a6"),
  ]

  /// Manufacturer data of 0x0969: address (6), counter (1), then
  static let switchBotMore: [SensorFormat] = [
    //     8   climate    3
    switchBot("Outdoor Meter", 0x77, 11, "030398a6") { $0.switchBotClimate(8, $1) },
    switchBot("Meter", 0x54, 11, "030398a6") { $0.switchBotClimate(8, $1) },
    switchBot("Meter Plus", 0x69, 11, "030398a6") { $0.switchBotClimate(8, $1) },
    switchBot("Meter Pro", 0x34, 11, "030398a6") { $0.switchBotClimate(8, $1) },
    //     13  CO₂        2
    switchBot("Meter Pro CO2", 0x35, 15, "030398a600000320") { data, body in
      data.switchBotClimate(8, body)
      // It measures up to 9,999 ppm.
      if data.bigEndian16(at: 13) < 10_000 { data.field(.co2, 13, .u16, body) }
    },
    //     8   position   1
    //     7   moves      1  bits 1 and 2               9   light      1  in the upper four bits
    switchBot("Roller Shade", 0x2C, 10, "009f11") { data, body in
      body(Reading(.moving, .flag(data[7] & 6 != 0)))
      data.field(.closed, 8, .u8, bits: 7, body)
      data.field(.lightLevel, 9, .u8, shift: 4, bits: 4, body)
    },
    //     7   battery    1  %; highest bit: it is charged
    switchBot("Universal Remote", 0x27, 8, "5a") { data, body in
      data.field(.batteryLevel, 7, .u8, bits: 7, body)
      data.flag(.batteryCharging, 7, bit: 7, body)
    },
    //     8   position   1  highest bit: moves; 50: open, 0 and 100: closed downwards and upwards
    //     9   light      1  in the upper four bits
    switchBot("Blind Tilt", 0x78, 10, "03b230") { data, body in
      data.flag(.moving, 8, bit: 7, body)
      body(Reading(.closed, Double(abs(Int(data[8] & 0x7F) - 50) * 2)))
      data.field(.lightLevel, 9, .u8, shift: 4, bits: 4, body)
    },
    //     7   state      1  4…6; bit 2: door is open
    //     8   alarms     1  bit 5: door, bit 4: lock stayed open
    switchBot("Lock", 0x6F, 9, "9000") { data, body in
      data.switchBotLock(data[7] &>> 4 & 7, hasAlarm: data[8] & 0x30 != 0, body)
      data.flag(.opening, 7, bit: 2, body)
    },
    switchBot("Lock Lite", 0x2D, 9, "9000") { data, body in
      data.switchBotLock(data[7] &>> 4 & 7, hasAlarm: data[8] & 0x10 != 0, body)
    },
    //     7   state      1  3…6       8   door   1  bit 4: open
    //     9   battery    1  %         11  alarms 1  bit 7: door, bit 6: lock stayed open
    switchBot("Lock Pro", 0x24, 12, "88005a0000") { $0.switchBotLockPro($1) },
    //     7   battery    1  %; highest bit: low     8   state   1  bit 0: leak, 1: tampered with
    switchBot("Water Leak Detector", 0x26, 9, "5a01") { data, body in
      data.field(.batteryLevel, 7, .u8, bits: 7, body)
      data.flag(.batteryLow, 7, bit: 7, body)
      data.flag(.moistureDetected, 8, bit: 0, body)
      data.flag(.tamper, 8, bit: 1, body)
    },
    // These say it here only if the service data is short.
    //     7   state      1  7: motion, 6: light, 5: open for too long, 4: open     12  presses  1
    switchBot("Contact Sensor", 0x64, 13, "900000000001", shorterThan: 9) { data, body in
      data.flag(.motion, 7, bit: 7, body)
      data.flag(.light, 7, bit: 6, body)
      body(Reading(.opening, .flag(data[7] & 0x30 != 0)))
      data.field(.pressCount, 12, .u8, bits: 4, body)
    },
    //     7   state      1  6: motion, 5: light
    switchBot("Motion Sensor", 0x73, 8, "60", shorterThan: 6) { data, body in
      data.flag(.motion, 7, bit: 6, body)
      data.flag(.light, 7, bit: 5, body)
    },
    //     8   position   1     9   light   1     12  battery   1  %
    switchBot("Curtain", 0x63, 11, "00b21000", shorterThan: 5) { $0.switchBotCurtain(8, $1) },
    switchBot("Curtain 3", 0x7B, 13, "00b210000064", shorterThan: 5) { data, body in
      data.switchBotCurtain(8, body)
      data.field(.batteryLevel, 12, .u8, bits: 7, body)
    },
  ]

  /// The same, of the kinds in the two tables.
  static let switchBotTabled: [SensorFormat] =
    switchBotMains.map { tabled($0.model, UInt32($0.kind), $0.data) }
    + switchBotNewer.map { tabled($0.model, $0.kind, $0.data) }

  private static func tabled(_ model: String, _ kind: UInt32, _ data: String) -> SensorFormat {
    switchBot(model, kind, 7 + data.count / 2, data) { $0.switchBotKind(kind, $1) }
  }

  /// The sample has the other packet, too, as this one has no readings.
  private static func mains(
    _ row: (model: String, kind: UInt8, data: String), _ service: UInt16
  ) -> SensorFormat {
    SensorFormat(
      "switchbot", maker: "SwitchBot", model: row.model, in: .service(service), first: row.kind, .atLeast(2),
      sample: switchBotSample(service, hexadecimal(UInt128(row.kind), octets: 1) + "0000", row.data)
    ) { _, _ in }
  }

  private static func newer(
    _ row: (model: String, kind: UInt32, data: String), _ service: UInt16
  ) -> SensorFormat {
    let isMains = row.model == "Hub 3"
    return SensorFormat(
      "switchbot", maker: "SwitchBot", model: row.model, in: .service(service), .atLeast(6),
      sample: switchBotSample(service, "00006400" + hexadecimal(UInt128(row.kind), octets: 3), row.data),
      refuse: { $0.isSwitchBot(row.kind) ? nil : .unknownFrameType($0[0]) }
    ) { data, body in
      if !isMains { data.field(.batteryLevel, 2, .u8, bits: 7, body) }
    }
  }

  /// Both packets: the service data, and the manufacturer data after address and counter.
  private static func switchBotSample(_ service: UInt16, _ said: String, _ data: String) -> String {
    hexadecimal(UInt128(said.count / 2 + 3), octets: 1) + "16"
      + hexadecimal(UInt128(service.byteSwapped), octets: 2)
      + said + hexadecimal(UInt128(data.count / 2 + 10), octets: 1) + "ff6909c1020304050601" + data
  }

  private static func switchBot(
    _ model: String, _ service: UInt16, _ first: UInt8, _ length: Int, _ data: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    let octets = hexadecimal(UInt128(length + 3), octets: 1)
    let number = hexadecimal(UInt128(service.byteSwapped), octets: 2)
    return SensorFormat(
      "switchbot", maker: "SwitchBot", model: model, in: .service(service), first: first, .atLeast(3),
      sample: octets + "16" + number + data
    ) { data, body in
      data.field(.batteryLevel, 2, .u8, bits: 7, body)
      if data.count >= length { readings(data, body) }
    }
  }

  /// - Parameter shorterThan: only if the service data has fewer octets; nil: however many.
  private static func switchBot(
    _ model: String, _ kind: UInt32, _ length: Int, _ data: String, shorterThan: Int? = nil,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    let said = hexadecimal(UInt128(kind), octets: kind < 0x100 ? 1 : 3)
    return SensorFormat(
      "switchbot", maker: "SwitchBot", model: model, in: .manufacturer(0x0969), .atLeast(length),
      sample: switchBotSample(0xFD3D, kind < 0x100 ? said + "0064" : "00006400" + said, data),
      continues: shorterThan == nil,
      isSent: { _, context in
        if let said = context.serviceData(0xFD3D) ?? context.serviceData(0x0D00) {
          return context.payload.extracting(said).isSwitchBot(kind) && said.count < shorterThan ?? .max
        }
        // Its name is in the other packet.
        return kind == 0x77 && (context.isNamed("WoSensorTH") || context.isNamed("WoIOSensorTH"))
      }, readings: readings)
  }
}

extension Span<UInt8> {
  /// Whether service data is of a kind: one octet, or three.
  fileprivate func isSwitchBot(_ kind: UInt32) -> Bool {
    if kind < 0x100 { return !isEmpty && UInt32(SensorFormat.switchBotKind(self[0])) == kind }
    return count > 5
      && (0...1).contains { self[count - 4 - $0] < 2 && bigEndian24(at: count - 3 - $0) == kind }
  }

  /// What the kinds of the two tables send, from 7 on.
  fileprivate func switchBotKind(_ kind: UInt32, _ body: (Reading) -> Void) {
    switch kind {
    //     12  light      1  in the lower five bits     13  climate    3
    case 0x76:
      switchBotClimate(13, body)
      field(.lightLevel, 12, .u8, bits: 5, body)
    case 0x25: switchBotClimate(13, body)
    //     12  light      1  in the lower four bits     16  motion     1  bit 7
    case 0x10_B940:
      switchBotClimate(13, body)
      field(.lightLevel, 12, .u8, bits: 4, body)
      flag(.motion, 16, bit: 7, body)
    //     7   switches   1  bits 7 and 6               10  power      2  0.1 W; and of the second
    case 0x67, 0x6A:
      body(Reading(.powerOn, .flag(self[7] == 0x80)))
      field(.power, 10, .u16, per: 10, bits: 15, body)
    case 0x3F, 0x3C:
      flag(.powerOn, 7, bit: 7, body)
      field(.power, 10, .u16, per: 10, bits: 15, body)
    case 0x3B: flag(.powerOn, 7, bit: 7, body)
    case 0x3D:
      flag(.powerOn, 7, bit: 7, body)
      field(.power, 10, .u16, per: 10, bits: 15, body)
      body(Reading(.powerOn, ordinal: 2, .flag(self[7] & 0x40 != 0)))
      body(Reading(.power, ordinal: 2, .number(Double(bigEndian16(at: 12) & 0x7FFF) / 10)))
    //     7   door       1  bit 5: closed
    case 0x3E: body(Reading(.garageDoor, .flag(self[7] & 0x20 == 0)))
    case 0x10_A5B8, 0x11_9FB8, 0x10_FF90, 0x11_6909: switchBotLockPro(body)
    case 0x11_6908: switchBotLock(self[7] &>> 4 & 7, hasAlarm: self[8] & 0x10 != 0, body)
    //     7   motion     1  bit 6                      11  light      1  in the lower five bits
    case 0x10_CCC8:
      flag(.motion, 7, bit: 6, body)
      field(.lightLevel, 11, .u8, bits: 5, body)
    //     7   battery    1  %; highest bit: on, or, of the weather station, it is charged
    //     8   climate    3                             15  motion     1  bit 7
    case 0x10_F3D8:
      field(.batteryLevel, 7, .u8, bits: 7, body)
      switchBotClimate(8, body)
      flag(.motion, 15, bit: 7, body)
    case 0x10_53B0:
      field(.batteryLevel, 7, .u8, bits: 7, body)
      switchBotClimate(8, body)
    //     8   climate    2                             12  window     1  bit 0: open
    case 0x11_3640:
      flag(.powerOn, 7, bit: 7, body)
      field(.batteryLevel, 7, .u8, bits: 7, body)
      body(Reading(.temperature, switchBotTemperature(8)))
      flag(.opening, 12, bit: 0, body)
    default: break
    }
  }

  private func switchBotTemperature(_ offset: Int) -> Double {
    let tenths = Double(Int(self[offset + 1] & 0x7F) * 10 + Int(self[offset] & 0x0F))
    return (self[offset + 1] & 0x80 != 0 ? tenths : -tenths) / 10
  }

  fileprivate func switchBotLockPro(_ body: (Reading) -> Void) {
    switchBotLock(self[7] &>> 3 & 15, hasAlarm: self[11] & 0xC0 != 0, body)
    flag(.opening, 8, bit: 4, body)
    field(.batteryLevel, 9, .u8, bits: 7, body)
  }

  /// Tenths of a degree in the lower four bits; whole degrees, with the sign in the highest bit (1: above zero); humidity in %. All
  /// zero before the first measurement.
  fileprivate func switchBotClimate(_ offset: Int, _ body: (Reading) -> Void) {
    let temperature = switchBotTemperature(offset)
    if temperature == 0, self[offset + 2] & 0x7F == 0 { return }
    body(Reading(.temperature, temperature))
    field(.humidity, offset + 2, .u8, bits: 7, body)
  }

  fileprivate func switchBotCurtain(_ offset: Int, _ body: (Reading) -> Void) {
    flag(.moving, offset, bit: 7, body)
    field(.closed, offset, .u8, bits: 7, body)
    field(.lightLevel, offset + 1, .u8, shift: 4, bits: 4, body)
  }

  /// 0: locked, 1: unlocked, 2 and 3: moves, 4 and 5: stuck, 6: held by the latch only, 7: half locked.
  fileprivate func switchBotLock(_ state: UInt8, hasAlarm: Bool, _ body: (Reading) -> Void) {
    switch state {
    case 0: body(Reading(.lock, .flag(false)))
    case 1, 6, 7: body(Reading(.lock, .flag(true)))
    default: break
    }
    body(Reading(.moving, .flag(state == 2 || state == 3)))
    body(Reading(.problem, .flag(state == 4 || state == 5 || hasAlarm)))
  }
}
