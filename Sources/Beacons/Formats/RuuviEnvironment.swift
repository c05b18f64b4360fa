/// Octets 1–6, which the Ruuvi formats 5, 6 and E1 share; see `Ruuvi5`.
public struct RuuviEnvironment: Hashable, Sendable {
  /// 0.005 °C.
  public var temperature: Int16?
  /// 0.0025 %.
  public var humidity: UInt16?
  /// Pa.
  public var pressure: UInt32?

  init(_ data: Span<UInt8>) {
    temperature = available(Int16(bitPattern: data.bigEndian16(at: 1)))
    humidity = available(data.bigEndian16(at: 3))
    pressure = available(data.bigEndian16(at: 5)).map { UInt32($0) + 50_000 }
  }

  func forEachReading(_ body: (Reading) -> Void) {
    if let temperature { body(Reading(.temperature, Double(temperature) / 200)) }
    if let humidity { body(Reading(.humidity, Double(humidity) / 400)) }
    if let pressure { body(Reading(.pressure, Double(pressure) / 100)) }
  }
}

/// The particle and gas values that formats 6 and E1 share.
public struct RuuviAir: Hashable, Sendable {
  /// ppm.
  public var co2: UInt16?
  public var vocIndex: UInt16?
  public var noxIndex: UInt16?
  /// The readings are not accurate yet.
  public var isCalibrating: Bool

  /// VOC and NOX have nine bits each; their lowest bits are bits 6 and 7 of the flags.
  init(co2: UInt16, voc: UInt8, nox: UInt8, flags: UInt8) {
    self.co2 = available(co2)
    let vocIndex = UInt16(voc) << 1 | UInt16(flags >> 6 & 1)
    let noxIndex = UInt16(nox) << 1 | UInt16(flags >> 7)
    self.vocIndex = vocIndex == 0x1FF ? nil : vocIndex
    self.noxIndex = noxIndex == 0x1FF ? nil : noxIndex
    isCalibrating = flags & 1 == 1
  }

  func forEachReading(_ body: (Reading) -> Void) {
    if let co2 { body(Reading(.co2, Double(co2))) }
    if let vocIndex { body(Reading(.vocIndex, Double(vocIndex))) }
    if let noxIndex { body(Reading(.noxIndex, Double(noxIndex))) }
    body(Reading(.calibrating, .flag(isCalibrating)))
  }
}

/// A sound level in formats 6 and E1: nine bits in steps of 0.2 dB from 18 dB; the lowest bit is in the flags.
public struct RuuviSound: Hashable, Sendable {
  public var code: UInt16

  /// nil if all upper bits are set, whatever the flags say: the device has no microphone.
  init?(_ upper: UInt8, lowestBit: UInt8) {
    guard upper != 0xFF else { return nil }
    code = UInt16(upper) << 1 | UInt16(lowestBit & 1)
  }

  public var decibels: Double { Double(code) / 5 + 18 }
}

/// nil for Ruuvi's "not available": the largest unsigned and the smallest signed value.
func available<Integer: FixedWidthInteger>(_ value: Integer) -> Integer? {
  value == (Integer.isSigned ? .min : .max) ? nil : value
}
