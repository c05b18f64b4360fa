/// RuuviTag data format 5 (RAWv2): manufacturer data of company 0x0499. Multi-byte fields are big endian;
/// the largest unsigned and the smallest signed value mean "not available".
///
///     0   format          1  0x05
///     1   temperature     2  0.005 °C, signed
///     3   humidity        2  0.0025 %
///     5   pressure        2  Pa − 50 000
///     7   acceleration  3×2  mg, signed: x, y, z
///     13  power           2  11 bits: battery, mV − 1600; 5 bits: tx power, 2 dBm steps from −40
///     15  movements       1
///     16  sequence        2
///     18  address         6
///
/// Source: https://docs.ruuvi.com/communication/bluetooth-advertisements/data-format-5-rawv2
public struct Ruuvi5: SensorFormat, Hashable {
  public static let name = "ruuvi"

  public var environment: RuuviEnvironment
  /// mg.
  public var x: Int16?
  public var y: Int16?
  public var z: Int16?
  /// mV.
  public var battery: UInt16?
  /// dBm.
  public var txPower: Int8?
  public var movementCount: UInt8?
  public var sequence: UInt16?
  /// The tag's own address, 48 bits.
  public var address: UInt64?

  public static func check(_ data: Span<UInt8>) throws(Decline) {
    guard data.count >= 24 else { throw .wrongLength(expected: 24, got: data.count) }
  }

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Ruuvi5 {
    try check(data)
    let power = data.bigEndian16(at: 13)
    let battery = power >> 5
    let txPower = Int8(power & 0x1F)
    let address = data.bigEndian48(at: 18)
    return Ruuvi5(
      environment: RuuviEnvironment(data), x: acceleration(data, 7), y: acceleration(data, 9),
      z: acceleration(data, 11), battery: battery == 2047 ? nil : battery + 1600,
      txPower: txPower == 31 ? nil : txPower * 2 - 40,
      movementCount: data[15] == .max ? nil : data[15],
      sequence: available(data.bigEndian16(at: 16)),
      address: address == 0xFFFF_FFFF_FFFF ? nil : address)
  }

  private static func acceleration(_ data: Span<UInt8>, _ offset: Int) -> Int16? {
    available(Int16(bitPattern: data.bigEndian16(at: offset)))
  }

  public func forEachReading(_ body: (Reading) -> Void) {
    environment.forEachReading(body)
    if let x { body(Reading(.accelerationX, Double(x) / 1000)) }
    if let y { body(Reading(.accelerationY, Double(y) / 1000)) }
    if let z { body(Reading(.accelerationZ, Double(z) / 1000)) }
    if let battery { body(Reading(.batteryVoltage, Double(battery) / 1000)) }
    if let txPower { body(Reading(.txPower, Double(txPower))) }
    if let movementCount { body(Reading(.movementCount, Double(movementCount))) }
    if let sequence { body(Reading(.measurementSequence, Double(sequence))) }
  }

  public func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void) {
    body("data_format", .number(5))
    if let address { body("mac", .text(DeviceAddress(bits: address, kind: .random).description)) }
  }
}
