import Core

/// SwitchBot's devices: service data of 0xFD3D, formerly 0x0D00. The first octet is the kind, the third the battery. What newer kinds
/// measure is in manufacturer data of 0x0969, often in another packet; see `SensorFormat.continued`.
///
/// Sources: https://github.com/OpenWonderLabs/SwitchBotAPI-BLE; https://github.com/sblibs/pySwitchbot
extension SensorFormat {
  static let switchBot: [SensorFormat] = [UInt16(0xFD3D), 0x0D00].flatMap { service -> [SensorFormat] in
    [
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
      switchBot("Hub 2", service, 0x76, 3, "760064") { _, _ in },
      switchBot("Outdoor Meter", service, 0x77, 3, "770064") { _, _ in },
    ]
  }

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
    //     12  light      1  in the lower five bits     13  climate    3
    switchBot("Hub 2", 0x76, 16, "0000000000050398a6") { data, body in
      data.switchBotClimate(13, body)
      data.field(.lightLevel, 12, .u8, bits: 5, body)
    },
    //     7   light      1  in the upper four bits
    //     8   position   1  highest bit: moves; 50: open, 0 and 100: closed downwards and upwards
    switchBot("Blind Tilt", 0x78, 10, "03b200") { data, body in
      data.flag(.moving, 8, bit: 7, body)
      body(Reading(.closed, Double(abs(Int(data[8] & 0x7F) - 50) * 2)))
      data.field(.lightLevel, 7, .u8, shift: 4, bits: 4, body)
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
    switchBot("Lock Pro", 0x24, 12, "88005a0000") { data, body in
      data.switchBotLock(data[7] &>> 3 & 15, hasAlarm: data[11] & 0xC0 != 0, body)
      data.flag(.opening, 8, bit: 4, body)
      data.field(.batteryLevel, 9, .u8, bits: 7, body)
    },
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
    _ model: String, _ kind: UInt8, _ length: Int, _ data: String, shorterThan: Int? = nil,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    let octets = hexadecimal(UInt128(data.count / 2 + 10), octets: 1)
    return SensorFormat(
      "switchbot", maker: "SwitchBot", model: model, in: .manufacturer(0x0969), .atLeast(length),
      sample: "06163dfd" + hexadecimal(UInt128(kind), octets: 1) + "0064" + octets + "ff6909c1020304050601"
        + data,
      continues: shorterThan == nil,
      isSent: { _, context in
        if let said = context.serviceData(0xFD3D) ?? context.serviceData(0x0D00) {
          return context.payload[said.lowerBound] == kind && said.count < shorterThan ?? .max
        }
        // Its name is in the other packet.
        return kind == 0x77 && (context.isNamed("WoSensorTH") || context.isNamed("WoIOSensorTH"))
      }, readings: readings)
  }
}

extension Span<UInt8> {
  /// Tenths of a degree in the lower four bits; whole degrees, with the sign in the highest bit (1: above zero); humidity in %. All
  /// zero before the first measurement.
  fileprivate func switchBotClimate(_ offset: Int, _ body: (Reading) -> Void) {
    let tenths = Double(Int(self[offset + 1] & 0x7F) * 10 + Int(self[offset] & 0x0F))
    if tenths == 0, self[offset + 2] & 0x7F == 0 { return }
    body(Reading(.temperature, (self[offset + 1] & 0x80 != 0 ? tenths : -tenths) / 10))
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
