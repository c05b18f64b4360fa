import Core

/// SwitchBot's devices: service data of 0xFD3D, formerly 0x0D00. The first octet is the kind, the third the battery.
///
/// Source: https://github.com/OpenWonderLabs/SwitchBotAPI-BLE
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
      },
      switchBot("Motion Sensor", service, 0x73, 6, "734064000001") { data, body in
        data.flag(.motion, 1, bit: 6, body)
        body(Reading(.light, .flag(data[5] & 3 == 2)))
      },
      switchBot("Bot", service, 0x48, 3, "48c064") { data, body in
        // 0: on, in its mode as a switch.
        if data[1] & 0x80 != 0 { body(Reading(.powerOn, .flag(data[1] & 0x40 == 0))) }
      },
      switchBot("Curtain", service, 0x63, 5, "634064b210") { $0.switchBotCurtain($1) },
      switchBot("Curtain 3", service, 0x7B, 5, "7b4064b210") { $0.switchBotCurtain($1) },
      switchBot("Blind Tilt", service, 0x78, 3, "780064") { _, _ in },
      switchBot("Meter Pro", service, 0x34, 3, "340064") { _, _ in },
      switchBot("Meter Pro CO2", service, 0x35, 3, "350064") { _, _ in },
      switchBot("Remote", service, 0x62, 3, "620064") { _, _ in },
      switchBot("Lock", service, 0x6F, 3, "6f8064") { _, _ in },
      switchBot("Outdoor Meter", service, 0x77, 3, "770064") { _, _ in },
    ]
  }

  /// The outdoor meter's readings: manufacturer data of 0x0969.
  ///
  ///     0   address    6
  ///     6   counter    1
  ///     7   status     1
  ///     8   climate    3
  static let switchBotOutdoor = SensorFormat(
    "switchbot", maker: "SwitchBot", model: "Outdoor Meter", in: .manufacturer(0x0969), .atLeast(11),
    sample: "06163dfd7700640eff6909c1020304050601030398a6",
    isSent: {
      $1.isSwitchBot(0x77) || $1.isSwitchBot(0x69) || $1.isSwitchBot(0x54) || $1.isSwitchBot(0x34)
        || $1.isNamed("WoSensorTH") || $1.isNamed("WoIOSensorTH")
    }
  ) { data, body in data.switchBotClimate(8, body) }

  ///     8   climate    3
  ///     13  CO₂        2
  static let switchBotCO2 = SensorFormat(
    "switchbot", maker: "SwitchBot", model: "Meter Pro CO2", in: .manufacturer(0x0969), .atLeast(15),
    sample: "06163dfd350064" + "12ff6909c1020304050601030398a600000320",
    isSent: { $1.isSwitchBot(0x35) }
  ) { data, body in
    data.switchBotClimate(8, body)
    data.field(.co2, 13, .u16, body)
  }

  ///     7   light      1  in the upper four bits
  ///     8   position   1  highest bit: moves; 50: open, 0 and 100: closed downwards and upwards
  static let switchBotBlind = SensorFormat(
    "switchbot", maker: "SwitchBot", model: "Blind Tilt", in: .manufacturer(0x0969), .atLeast(10),
    sample: "06163dfd780064" + "0dff6909c102030405060103b200",
    isSent: { $1.isSwitchBot(0x78) }
  ) { data, body in
    data.flag(.moving, 8, bit: 7, body)
    body(Reading(.closed, Double(abs(Int(data[8] & 0x7F) - 50) * 2)))
    data.field(.lightLevel, 7, .u8, shift: 4, bits: 4, body)
  }

  private static func switchBot(
    _ model: String, _ service: UInt16, _ first: UInt8, _ length: Int, _ data: String,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) -> SensorFormat {
    let octets = hexadecimal(UInt128(length + 3), octets: 1)
    let number = hexadecimal(UInt128(service.byteSwapped), octets: 2)
    return SensorFormat(
      "switchbot", maker: "SwitchBot", model: model, in: .service(service), first: first, .atLeast(length),
      sample: octets + "16" + number + data
    ) { data, body in
      data.field(.batteryLevel, 2, .u8, bits: 7, body)
      readings(data, body)
    }
  }
}

extension Span<UInt8> {
  /// Tenths of a degree in the lower four bits; whole degrees, with the sign in the highest bit (1: above zero); humidity in %.
  fileprivate func switchBotClimate(_ offset: Int, _ body: (Reading) -> Void) {
    let tenths = Double(Int(self[offset + 1] & 0x7F) * 10 + Int(self[offset] & 0x0F))
    body(Reading(.temperature, (self[offset + 1] & 0x80 != 0 ? tenths : -tenths) / 10))
    field(.humidity, offset + 2, .u8, bits: 7, body)
  }

  fileprivate func switchBotCurtain(_ body: (Reading) -> Void) {
    flag(.moving, 3, bit: 7, body)
    field(.closed, 3, .u8, bits: 7, body)
    field(.lightLevel, 4, .u8, shift: 4, bits: 4, body)
  }
}

extension FormatContext {
  /// Whether the sender is SwitchBot's device of this kind.
  fileprivate func isSwitchBot(_ kind: UInt8) -> Bool {
    sends(service: 0xFD3D, first: kind) || sends(service: 0x0D00, first: kind)
  }
}
