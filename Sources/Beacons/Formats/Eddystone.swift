import Core

/// Eddystone-UID: service data of 0xFEAA.
///
///     0   frame type      1  0x00
///     1   tx power        1  RSSI at 0 m, dBm, signed
///     2   namespace      10
///     12  instance        6
///     18  reserved        2  left out by some tags
///
/// Source: https://github.com/google/eddystone/tree/master/eddystone-uid
public struct EddystoneUID: Hashable, Sendable {
  /// 80 bits.
  public var namespace: UInt128
  /// 48 bits.
  public var instance: UInt64
  /// RSSI at 0 m in dBm.
  public var txPower: Int8

  static let sample = "0201060303aafe1716aafe00ee00112233445566778899aabbccddeeff0000"

  @inline(__always) public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneUID {
    guard data.count >= 18 else { throw .wrongLength(expected: 18, got: data.count) }
    return EddystoneUID(
      namespace: UInt128(data.bigEndian64(at: 2)) << 16 | UInt128(data.bigEndian16(at: 10)),
      instance: data.bigEndian48(at: 12), txPower: data.signed8(at: 1))
  }
}

/// Eddystone states the power at 0 m. The first metre of free space takes 41 dB
/// (https://github.com/google/eddystone/tree/master/eddystone-uid#tx-power).
public func measuredPower(fromEddystone txPower: Int8) -> Int8 {
  Int8(clamping: Int(txPower) - 41)
}

/// Eddystone-URL: service data of 0xFEAA.
///
///     0   frame type      1  0x10
///     1   tx power        1  RSSI at 0 m, dBm, signed
///     2   scheme          1  0 http://www. 1 https://www. 2 http:// 3 https://
///     3   URL        0 … 17  ASCII; 0x00–0x0D stand for .com/ .org/ … .gov
///
/// Source: https://github.com/google/eddystone/tree/master/eddystone-url
public struct EddystoneURL: Hashable, Sendable {
  /// RSSI at 0 m in dBm.
  public var txPower: Int8
  /// Scheme and compressed URL, as sent, right-aligned; unused high octets are zero.
  public var high: UInt32
  public var low: UInt128
  /// How many octets are used, 1 … 18.
  public var length: UInt8

  static let sample = "0201060303aafe0e16aafe10ec036578616d706c6507"

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneURL {
    guard data.count >= 3 else { throw .wrongLength(expected: 3, got: data.count) }
    guard data.count <= 20 else { throw .wrongLength(expected: 20, got: data.count) }
    guard data[2] < schemes.count else { throw .invalidByte(data[2], at: 2) }
    var high: UInt32 = 0
    var low: UInt128 = 0
    for offset in 2..<data.count {
      let byte = data[offset]
      if offset > 2 {
        guard byte < 0x0E || (0x21...0x7E).contains(byte) else { throw .invalidByte(byte, at: offset) }
      }
      high = high << 8 | UInt32(truncatingIfNeeded: low >> 120)
      low = low << 8 | UInt128(byte)
    }
    return EddystoneURL(
      txPower: data.signed8(at: 1), high: high, low: low, length: UInt8(data.count - 2))
  }

  /// The expanded URL.
  public var url: String {
    var text = ""
    for index in stride(from: Int(length) - 1, through: 0, by: -1) {
      let byte: UInt8 =
        index >= 16
        ? UInt8(truncatingIfNeeded: high >> UInt32(8 * (index - 16)))
        : UInt8(truncatingIfNeeded: low >> UInt128(8 * index))
      if index == Int(length) - 1 {
        text += Self.schemes[Int(byte)]
      } else if byte < Self.expansions.count {
        text += Self.expansions[Int(byte)]
      } else {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return text
  }

  /// Whether it can be sent. It may also come from a scanner, which can send anything.
  static func isPossible(high: UInt32, low: UInt128, length: UInt8) -> Bool {
    guard (1...18).contains(length) else { return false }
    let first =
      length > 16 ? high >> (8 * (UInt32(length) - 17)) : UInt32(low >> (8 * UInt128(length - 1)) & 0xFF)
    return first & 0xFF < schemes.count
  }

  static let schemes = ["http://www.", "https://www.", "http://", "https://"]
  static let expansions = [
    ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
    ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
  ]
}

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

  static let sample = "0201060303aafe1116aafe20000bc2fe800001e24000002328"

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneTLM {
    guard data.count >= 14 else { throw .wrongLength(expected: 14, got: data.count) }
    guard data[1] == 0 else { throw .unsupportedVersion(data[1]) }
    let battery = data.bigEndian16(at: 2)
    let temperature = Int16(bitPattern: data.bigEndian16(at: 4))
    return EddystoneTLM(
      battery: battery == 0 ? nil : battery, temperature: temperature == .min ? nil : temperature,
      advertisementCount: data.bigEndian32(at: 6), uptime: data.bigEndian32(at: 10))
  }

  /// It has no checksum: what no beacon can measure is left out.
  public func forEachReading(_ body: (Reading) -> Void) {
    func tell(_ reading: Reading) { if reading.isPlausible() { body(reading) } }
    if let battery { tell(Reading(.batteryVoltage, Double(battery) / 1000)) }
    if let temperature { tell(Reading(.temperature, Double(temperature) / 256)) }
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

  static let sample = "0201060303aafe1516aafe2001112233445566778899aabbcc5a17c4ec"

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneEncryptedTLM {
    guard data.count >= 18 else { throw .wrongLength(expected: 18, got: data.count) }
    return EddystoneEncryptedTLM(
      ciphertext: UInt128(data.bigEndian64(at: 2)) << 32 | UInt128(data.bigEndian32(at: 10)),
      salt: data.bigEndian16(at: 14), check: data.bigEndian16(at: 16))
  }
}

/// Eddystone-EID: service data of 0xFEAA. The identifier rotates; only its owner can resolve it.
///
///     0   frame type      1  0x30
///     1   tx power        1  RSSI at 0 m, dBm, signed
///     2   identifier      8
///
/// Source: https://github.com/google/eddystone/tree/master/eddystone-eid
public struct EddystoneEID: Hashable, Sendable {
  public var identifier: UInt64
  /// RSSI at 0 m in dBm.
  public var txPower: Int8

  static let sample = "0201060303aafe0d16aafe30fc0011223344556677"

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> EddystoneEID {
    guard data.count >= 10 else { throw .wrongLength(expected: 10, got: data.count) }
    return EddystoneEID(identifier: data.bigEndian64(at: 2), txPower: data.signed8(at: 1))
  }
}
