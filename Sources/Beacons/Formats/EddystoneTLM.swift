/// Eddystone-TLM, plain (version 0): service data of 0xFEAA.
///
///     0   frame type      1  0x20
///     1   version         1  0x00
///     2   battery         2  mV, big endian; 0: not supported
///     4   temperature     2  °C, signed 8.8 fixed point; 0x8000: not supported
///     6   advertisements  4  since power-on, big endian
///     10  uptime          4  tenths of a second, big endian
///
/// Source: https://github.com/google/eddystone/blob/master/eddystone-tlm/tlm-plain.md
public struct EddystoneTLM: Hashable, Sendable {
  /// mV; nil if not supported.
  public var battery: UInt16?
  /// 1/256 °C; nil if not supported.
  public var temperature: Int16?
  public var advertisementCount: UInt32
  /// Tenths of a second.
  public var uptime: UInt32

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneTLM {
    guard data.count >= 14 else { throw .wrongLength(expected: 14, got: data.count) }
    guard data[1] == 0 else { throw .unsupportedVersion(data[1]) }
    let battery = data.bigEndian16(at: 2)
    let temperature = Int16(bitPattern: data.bigEndian16(at: 4))
    return EddystoneTLM(
      battery: battery == 0 ? nil : battery, temperature: temperature == .min ? nil : temperature,
      advertisementCount: data.bigEndian32(at: 6), uptime: data.bigEndian32(at: 10))
  }

  @inlinable public func forEachReading(_ body: (Reading) -> Void) {
    if let battery { body(Reading(.batteryVoltage, Double(battery) / 1000)) }
    if let temperature { body(Reading(.temperature, Double(temperature) / 256)) }
    body(Reading(.advertisementCount, Double(advertisementCount)))
    body(Reading(.uptime, Double(uptime) / 10))
  }
}

/// Eddystone-TLM, encrypted (version 1). Only the owner of the beacon's identity key can read it.
///
///     0   frame type      1  0x20
///     1   version         1  0x01
///     2   telemetry      12  AES-EAX ciphertext
///     14  salt            2
///     16  check           2
///
/// Source: https://github.com/google/eddystone/blob/master/eddystone-tlm/tlm-encrypted.md
public struct EddystoneEncryptedTLM: Hashable, Sendable {
  /// 96 bits.
  public var ciphertext: UInt128
  public var salt: UInt16
  public var check: UInt16

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneEncryptedTLM {
    guard data.count >= 18 else { throw .wrongLength(expected: 18, got: data.count) }
    return EddystoneEncryptedTLM(
      ciphertext: UInt128(data.bigEndian64(at: 2)) << 32 | UInt128(data.bigEndian32(at: 10)),
      salt: data.bigEndian16(at: 14), check: data.bigEndian16(at: 16))
  }
}
