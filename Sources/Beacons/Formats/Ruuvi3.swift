/// RuuviTag data format 3 (RAWv1): manufacturer data of company 0x0499. Multi-byte fields are big endian.
///
///     0   format          1  0x03
///     1   humidity        1  0.5 %
///     2   temperature     2  sign bit and whole °C, then hundredths
///     4   pressure        2  Pa − 50 000
///     6   acceleration  3×2  mg, signed: x, y, z
///     12  battery         2  mV
///
/// Source: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-3-rawv1
public struct Ruuvi3: SensorFormat, Hashable {
  public static let name = "ruuvi"

  public var humidity: UInt8
  /// Hundredths of a degree Celsius.
  public var temperature: Int16
  /// Pa.
  public var pressure: UInt32
  /// mg.
  public var x: Int16
  public var y: Int16
  public var z: Int16
  /// mV.
  public var battery: UInt16

  public static func check(_ data: Span<UInt8>) throws(Decline) {
    guard data.count >= 14 else { throw .wrongLength(expected: 14, got: data.count) }
  }

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Ruuvi3 {
    try check(data)
    let magnitude = Int16(data[2] & 0x7F) * 100 + Int16(data[3])
    return Ruuvi3(
      humidity: data[1], temperature: data[2] & 0x80 == 0 ? magnitude : -magnitude,
      pressure: UInt32(data.bigEndian16(at: 4)) + 50_000,
      x: Int16(bitPattern: data.bigEndian16(at: 6)), y: Int16(bitPattern: data.bigEndian16(at: 8)),
      z: Int16(bitPattern: data.bigEndian16(at: 10)), battery: data.bigEndian16(at: 12))
  }

  public func forEachReading(_ body: (Reading) -> Void) {
    body(Reading(.temperature, Double(temperature) / 100))
    body(Reading(.humidity, Double(humidity) / 2))
    body(Reading(.pressure, Double(pressure) / 100))
    body(Reading(.accelerationX, Double(x) / 1000))
    body(Reading(.accelerationY, Double(y) / 1000))
    body(Reading(.accelerationZ, Double(z) / 1000))
    body(Reading(.batteryVoltage, Double(battery) / 1000))
  }

  public func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void) {
    body("data_format", .number(3))
  }
}
