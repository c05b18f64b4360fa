/// Ruuvi data format 6 (Ruuvi Air over Bluetooth 4): manufacturer data of company 0x0499. Big endian; "not
/// available" as in `Ruuvi5`.
///
///     0   format          1  0x06
///     1   temperature     2  0.005 °C, signed
///     3   humidity        2  0.0025 %
///     5   pressure        2  Pa − 50 000
///     7   PM 2.5          2  0.1 µg/m³
///     9   CO2             2  ppm
///     11  VOC             1  index; lowest bit in flags, bit 6
///     12  NOX             1  index; lowest bit in flags, bit 7
///     13  luminosity      1  lx, logarithmic: 65536^(code / 254) − 1
///     14  sound           1  average, 0.4 dBA + 18; lowest bit (0.2) in flags, bit 4
///     15  sequence        1
///     16  flags           1  bit 0: calibrating
///     17  address         3  lowest octets
///
/// Source: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-6. It lists sound as reserved;
/// sound is decoded here as Ruuvi's own ruuvi.endpoints.c encodes it.
public struct Ruuvi6: SensorFormat, Hashable {
  public static let name = "ruuvi"

  public var environment: RuuviEnvironment
  /// 0.1 µg/m³.
  public var pm25: UInt16?
  public var air: RuuviAir
  public var luminosityCode: UInt8?
  public var averageSound: RuuviSound?
  public var sequence: UInt8
  /// The lowest 24 bits of the device's address.
  public var addressLow: UInt32

  public static func check(_ data: Span<UInt8>) throws(Decline) {
    guard data.count >= 20 else { throw .wrongLength(expected: 20, got: data.count) }
  }

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Ruuvi6 {
    try check(data)
    return Ruuvi6(
      environment: RuuviEnvironment(data), pm25: available(data.bigEndian16(at: 7)),
      air: RuuviAir(co2: data.bigEndian16(at: 9), voc: data[11], nox: data[12], flags: data[16]),
      luminosityCode: available(data[13]),
      averageSound: RuuviSound(data[14], lowestBit: data[16] >> 4), sequence: data[15],
      addressLow: data.bigEndian24(at: 17))
  }

  /// lx, to hundredths; nil if not available.
  public var luminosity: Double? {
    guard let luminosityCode else { return nil }
    // 65536^(1/254), raised to the power of the code by squaring.
    var base = 1.0446300614125956
    var power = 1.0
    var exponent = luminosityCode
    while exponent > 0 {
      if exponent & 1 == 1 { power *= base }
      base *= base
      exponent >>= 1
    }
    return ((power - 1) * 100).rounded() / 100
  }

  public func forEachReading(_ body: (Reading) -> Void) {
    environment.forEachReading(body)
    if let pm25 { body(Reading(.pm25, Double(pm25) / 10)) }
    air.forEachReading(body)
    if let luminosity { body(Reading(.illuminance, luminosity)) }
    if let averageSound { body(Reading(.averageSoundLevel, averageSound.decibels)) }
    body(Reading(.measurementSequence, Double(sequence)))
  }

  public func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void) {
    body("data_format", .number(6))
    body("mac_low", .text(hexadecimal(UInt128(addressLow), octets: 3)))
  }
}
