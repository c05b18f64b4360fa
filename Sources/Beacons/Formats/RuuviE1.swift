/// Ruuvi data format E1 (Ruuvi Air over Bluetooth 5): manufacturer data of company 0x0499. Big endian; "not
/// available" as in `Ruuvi5`.
///
///     0   format          1  0xE1
///     1   temperature     2  0.005 °C, signed
///     3   humidity        2  0.0025 %
///     5   pressure        2  Pa − 50 000
///     7   PM 1.0          2  0.1 µg/m³
///     9   PM 2.5          2
///     11  PM 4.0          2
///     13  PM 10.0         2
///     15  CO2             2  ppm
///     17  VOC             1  index; lowest bit in flags, bit 6
///     18  NOX             1  index; lowest bit in flags, bit 7
///     19  luminosity      3  0.01 lx
///     22  sound           1  now, 0.4 dBA + 18; lowest bit (0.2) in flags, bit 3
///     23  sound           1  average; flags, bit 4
///     24  sound pressure  1  peak, dB; flags, bit 5
///     25  sequence        3
///     28  flags           1  bit 0: calibrating
///     29  reserved        5
///     34  address         6
///
/// Source: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-e1. It lists sound as reserved;
/// sound is decoded here as Ruuvi's own ruuvi.endpoints.c encodes it.
public struct RuuviE1: SensorFormat, Hashable {
  public static let name = "ruuvi"

  public var environment: RuuviEnvironment
  /// 0.1 µg/m³, as the next three.
  public var pm1: UInt16?
  public var pm25: UInt16?
  public var pm4: UInt16?
  public var pm10: UInt16?
  public var air: RuuviAir
  /// 0.01 lx.
  public var luminosity: UInt32?
  public var sound: RuuviSound?
  public var averageSound: RuuviSound?
  public var peakSound: RuuviSound?
  public var sequence: UInt32?
  /// The device's own address, 48 bits.
  public var address: UInt64?

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> RuuviE1 {
    guard data.count >= 40 else { throw .wrongLength(expected: 40, got: data.count) }
    let luminosity = data.bigEndian24(at: 19)
    let sequence = data.bigEndian24(at: 25)
    let address = data.bigEndian48(at: 34)
    return RuuviE1(
      environment: RuuviEnvironment(data),
      pm1: available(data.bigEndian16(at: 7)), pm25: available(data.bigEndian16(at: 9)),
      pm4: available(data.bigEndian16(at: 11)), pm10: available(data.bigEndian16(at: 13)),
      air: RuuviAir(co2: data.bigEndian16(at: 15), voc: data[17], nox: data[18], flags: data[28]),
      luminosity: luminosity == 0xFFFFFF ? nil : luminosity,
      sound: RuuviSound(data[22], lowestBit: data[28] >> 3),
      averageSound: RuuviSound(data[23], lowestBit: data[28] >> 4),
      peakSound: RuuviSound(data[24], lowestBit: data[28] >> 5),
      sequence: sequence == 0xFFFFFF ? nil : sequence,
      address: address == 0xFFFF_FFFF_FFFF ? nil : address)
  }

  public func forEachReading(_ body: (Reading) -> Void) {
    environment.forEachReading(body)
    if let pm1 { body(Reading(.pm1, Double(pm1) / 10)) }
    if let pm25 { body(Reading(.pm25, Double(pm25) / 10)) }
    if let pm4 { body(Reading(.pm4, Double(pm4) / 10)) }
    if let pm10 { body(Reading(.pm10, Double(pm10) / 10)) }
    air.forEachReading(body)
    if let luminosity { body(Reading(.illuminance, Double(luminosity) / 100)) }
    if let sound { body(Reading(.soundLevel, sound.decibels)) }
    if let averageSound { body(Reading(.averageSoundLevel, averageSound.decibels)) }
    if let peakSound { body(Reading(.peakSoundPressure, peakSound.decibels)) }
    if let sequence { body(Reading(.measurementSequence, Double(sequence))) }
  }

  public func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void) {
    body("data_format", .text("E1"))
    if let address { body("mac", .text(DeviceAddress(bits: address, kind: .random).description)) }
  }
}
