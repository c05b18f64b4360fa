import Core

/// BTHome version 2: service data of 0xFCD2. Little endian.
///
///     0   device information  1  bit 0: encrypted, bit 1: address included, bit 2: sends only on events,
///                                bits 5–7: version
///     1   address             6  least significant octet first; only if bit 1 is set
///     …   objects             object id (1), then a value whose length depends on the id; see `BTHomeObject`
///
/// Encrypted, the objects are AES-CCM ciphertext, followed by
///
///     …   counter             4
///     …   tag                 4
///
/// A receiver stops at the first unknown object id; the objects before it are valid.
/// Source: https://bthome.io/format, https://bthome.io/encryption
public struct BTHome: Hashable, Sendable {
  public var information: UInt8
  /// The sender's own address, 48 bits, if included.
  public var address: UInt64?
  public var content: Content

  public enum Content: Hashable, Sendable {
    /// The position of the complete, known objects in the data, and why the rest was declined, if there is a rest.
    case objects(Range<Int>, rest: Decline?)
    /// The position of the ciphertext in the data, with the counter and the tag after it.
    case encrypted(Range<Int>, counter: UInt32, tag: UInt32)
  }

  static let sample = "0201061016d2fc400009016102dafd03bf132101"
  static let encryptedSample = "0201061216d2fc41b4cb500e21024433221190125098"

  public static let serviceUUID: UInt16 = 0xFCD2

  public var isEncrypted: Bool { information & 0x01 != 0 }
  /// The device sends only when something happens. Its silence proves nothing about its health.
  public var isTriggerBased: Bool { information & 0x04 != 0 }

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> BTHome {
    guard data.count >= 1 else { throw .wrongLength(expected: 1, got: 0) }
    let information = data[0]
    guard information >> 5 == 2 else { throw .unsupportedVersion(information >> 5) }
    var start = 1
    var address: UInt64?
    if information & 0x02 != 0 {
      guard data.count >= 7 else { throw .wrongLength(expected: 7, got: data.count) }
      address = data.littleEndian48(at: 1)
      start = 7
    }
    guard information & 0x01 != 0 else {
      let (end, rest) = BTHomeObject.extent(in: data, from: start)
      if end == start, let rest { throw rest }
      return BTHome(information: information, address: address, content: .objects(start..<end, rest: rest))
    }
    let end = data.count - 8
    guard end >= start else { throw .wrongLength(expected: start + 8, got: data.count) }
    return BTHome(
      information: information, address: address,
      content: .encrypted(
        start..<end, counter: data.littleEndian32(at: end), tag: data.bigEndian32(at: end + 4)))
  }

  /// Visits the readings in `data`, the bytes that were decoded. There are none while it is encrypted.
  @inlinable public func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    guard case .objects(let range, _) = content, range.upperBound <= data.count else { return }
    BTHomeObject.forEachReading(in: data, range, body)
  }
}

/// One kind of BTHome object: length, sign, scale and quantity, by object id.
/// Source: https://bthome.io/format, https://github.com/Bluetooth-Devices/bthome-ble (ids 0x60 and above)
public struct BTHomeObject: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The raw integer divided by `divisor`, which is exact where multiplying by 0.01 is not.
    case unsigned(divisor: Int32)
    case signed(divisor: Int32)
    /// Steps of 0.35.
    case thirtyFiveHundredths
    case flag
    case button
    /// The lowest five bits of the first octet are the number of arguments; the opcode and the arguments follow.
    case command
    case dimmer
    case text
    case bytes
    case version
  }

  public var quantity: Quantity
  public var kind: Kind
  /// Length of the value in octets; 0: the first octet holds the length.
  public var length: UInt8

  private init(_ quantity: Quantity, _ kind: Kind, _ length: UInt8) {
    self.quantity = quantity
    self.kind = kind
    self.length = length
  }

  private static func unsigned(_ quantity: Quantity, _ length: UInt8, _ divisor: Int32 = 1) -> Self {
    Self(quantity, .unsigned(divisor: divisor), length)
  }

  private static func signed(_ quantity: Quantity, _ length: UInt8, _ divisor: Int32 = 1) -> Self {
    Self(quantity, .signed(divisor: divisor), length)
  }

  private static func flag(_ quantity: Quantity) -> Self { Self(quantity, .flag, 1) }

  /// nil for an id that the specification does not list.
  public init?(id: UInt8) {
    guard let object = Self.objects[Int(id)] else { return nil }
    self = object
  }

  /// By id.
  private static let objects = InlineArray<256, BTHomeObject?> { BTHomeObject(listed: UInt8($0)) }

  private init?(listed id: UInt8) {
    switch id {
    case 0x00: self = .unsigned(.packetID, 1)
    case 0x01: self = .unsigned(.batteryLevel, 1)
    case 0x02: self = .signed(.temperature, 2, 100)
    case 0x03: self = .unsigned(.humidity, 2, 100)
    case 0x04: self = .unsigned(.pressure, 3, 100)
    case 0x05: self = .unsigned(.illuminance, 3, 100)
    case 0x06: self = .unsigned(.massKilograms, 2, 100)
    case 0x07: self = .unsigned(.massPounds, 2, 100)
    case 0x08: self = .signed(.dewPoint, 2, 100)
    case 0x09: self = .unsigned(.count, 1)
    case 0x0A: self = .unsigned(.energy, 3, 1000)
    case 0x0B: self = .unsigned(.power, 3, 100)
    case 0x0C: self = .unsigned(.voltage, 2, 1000)
    case 0x0D: self = .unsigned(.pm25, 2)
    case 0x0E: self = .unsigned(.pm10, 2)
    case 0x0F: self = .flag(.generic)
    case 0x10: self = .flag(.powerOn)
    case 0x11: self = .flag(.opening)
    case 0x12: self = .unsigned(.co2, 2)
    case 0x13: self = .unsigned(.tvoc, 2)
    case 0x14: self = .unsigned(.moisture, 2, 100)
    case 0x15: self = .flag(.batteryLow)
    case 0x16: self = .flag(.batteryCharging)
    case 0x17: self = .flag(.carbonMonoxide)
    case 0x18: self = .flag(.cold)
    case 0x19: self = .flag(.connectivity)
    case 0x1A: self = .flag(.door)
    case 0x1B: self = .flag(.garageDoor)
    case 0x1C: self = .flag(.gasDetected)
    case 0x1D: self = .flag(.heat)
    case 0x1E: self = .flag(.light)
    case 0x1F: self = .flag(.lock)
    case 0x20: self = .flag(.moistureDetected)
    case 0x21: self = .flag(.motion)
    case 0x22: self = .flag(.moving)
    case 0x23: self = .flag(.occupancy)
    case 0x24: self = .flag(.plug)
    case 0x25: self = .flag(.presence)
    case 0x26: self = .flag(.problem)
    case 0x27: self = .flag(.running)
    case 0x28: self = .flag(.safety)
    case 0x29: self = .flag(.smoke)
    case 0x2A: self = .flag(.sound)
    case 0x2B: self = .flag(.tamper)
    case 0x2C: self = .flag(.vibration)
    case 0x2D: self = .flag(.window)
    case 0x2E: self = .unsigned(.humidity, 1)
    case 0x2F: self = .unsigned(.moisture, 1)
    case 0x3A: self = Self(.button, .button, 1)
    case 0x3B: self = Self(.command, .command, 0)
    case 0x3C: self = Self(.dimmer, .dimmer, 2)
    case 0x3D: self = .unsigned(.count, 2)
    case 0x3E: self = .unsigned(.count, 4)
    case 0x3F: self = .signed(.rotation, 2, 10)
    case 0x40: self = .unsigned(.distanceMillimetres, 2)
    case 0x41: self = .unsigned(.distanceMetres, 2, 10)
    case 0x42: self = .unsigned(.duration, 3, 1000)
    case 0x43: self = .unsigned(.current, 2, 1000)
    case 0x44: self = .unsigned(.speed, 2, 100)
    case 0x45: self = .signed(.temperature, 2, 10)
    case 0x46: self = .unsigned(.uvIndex, 1, 10)
    case 0x47: self = .unsigned(.volumeLitres, 2, 10)
    case 0x48: self = .unsigned(.volumeMillilitres, 2)
    case 0x49: self = .unsigned(.volumeFlowRate, 2, 1000)
    case 0x4A: self = .unsigned(.voltage, 2, 10)
    case 0x4B: self = .unsigned(.gasVolume, 3, 1000)
    case 0x4C: self = .unsigned(.gasVolume, 4, 1000)
    case 0x4D: self = .unsigned(.energy, 4, 1000)
    case 0x4E: self = .unsigned(.volumeLitres, 4, 1000)
    case 0x4F: self = .unsigned(.waterVolume, 4, 1000)
    case 0x50: self = .unsigned(.timestamp, 4)
    case 0x51: self = .unsigned(.acceleration, 2, 1000)
    case 0x52: self = .unsigned(.gyroscope, 2, 1000)
    case 0x53: self = Self(.text, .text, 0)
    case 0x54: self = Self(.raw, .bytes, 0)
    case 0x55: self = .unsigned(.volumeStorage, 4, 1000)
    case 0x56: self = .unsigned(.conductivity, 2)
    case 0x57: self = .signed(.temperature, 1)
    case 0x58: self = Self(.temperature, .thirtyFiveHundredths, 1)
    case 0x59: self = .signed(.count, 1)
    case 0x5A: self = .signed(.count, 2)
    case 0x5B: self = .signed(.count, 4)
    case 0x5C: self = .signed(.power, 4, 100)
    case 0x5D: self = .signed(.current, 2, 1000)
    case 0x5E: self = .unsigned(.direction, 2, 100)
    case 0x5F: self = .unsigned(.precipitation, 2, 10)
    case 0x60: self = .unsigned(.channel, 1)
    case 0x61: self = .unsigned(.rotationalSpeed, 2)
    case 0x62: self = .signed(.speed, 4, 1_000_000)
    case 0x63: self = .signed(.acceleration, 4, 1_000_000)
    case 0x64: self = .unsigned(.lightLevel, 1)
    case 0xF0: self = .unsigned(.deviceType, 2)
    case 0xF1: self = Self(.firmwareVersion, .version, 4)
    case 0xF2: self = Self(.firmwareVersion, .version, 3)
    default: return nil
    }
  }
}

/// Turns BTHome objects into readings.
extension BTHomeObject {
  /// Where the complete, known objects from `start` on end, and why they end before the data does.
  static func extent(in data: Span<UInt8>, from start: Int) -> (end: Int, rest: Decline?) {
    var offset = start
    while offset < data.count {
      guard let object = BTHomeObject(id: data[offset]) else {
        return (offset, .unknownObject(data[offset]))
      }
      let value = object.value(in: data, after: offset)
      guard value.upperBound <= data.count else {
        return (offset, .truncated(needs: value.upperBound - offset, has: data.count - offset))
      }
      offset = value.upperBound
    }
    return (offset, nil)
  }

  /// The position of the value. It may extend beyond the end of the data.
  @usableFromInline func value(in data: Span<UInt8>, after id: Int) -> Range<Int> {
    let start = id + 1
    guard length == 0 else { return start..<(start + Int(length)) }
    guard start < data.count else { return start..<(start + 1) }
    if kind == .command { return (start + 1)..<(start + 2 + Int(data[start] & 0x1F)) }
    return (start + 1)..<(start + 1 + Int(data[start]))
  }

  /// The readings of the objects in a range returned by `extent`. A value without meaning (an undefined
  /// event, text that is not UTF-8) is skipped.
  @inlinable static func forEachReading(
    in data: Span<UInt8>, _ range: Range<Int>, _ body: (Reading) -> Void
  ) {
    var ordinals = Ordinals()
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard let object = BTHomeObject(id: data[offset]) else { return }
      let value = object.value(in: data, after: offset)
      guard value.upperBound <= range.upperBound else { return }
      let ordinal = ordinals.next(object.quantity)
      if let value = object.reading(in: data, value) {
        body(Reading(object.quantity, ordinal: ordinal, value))
      }
      offset = value.upperBound
    }
  }

  @usableFromInline func reading(in data: Span<UInt8>, _ range: Range<Int>) -> Reading.Value? {
    switch kind {
    case .unsigned(let divisor): share(Double(integer(in: data, range)) / Double(divisor))
    case .signed(let divisor): .number(Double(signedInteger(in: data, range)) / Double(divisor))
    case .thirtyFiveHundredths: .number(Double(signedInteger(in: data, range) * 35) / 100)
    case .flag: .flag(data[range.lowerBound] != 0)
    case .button: ButtonEvent(code: data[range.lowerBound]).map { .button($0) }
    case .command:
      CommandEvent(rawValue: data[range.lowerBound]).map {
        .command($0, arguments: (range.lowerBound + 1)..<range.upperBound)
      }
    case .dimmer: DimmerEvent(data[range.lowerBound], steps: data[range.lowerBound + 1]).map { .dimmer($0) }
    case .text: isText(data.extracting(range)) ? .text(range) : nil
    case .bytes: .bytes(range)
    case .version: .version(octets: UInt32(integer(in: data, range)), parts: length)
    }
  }

  /// nil: more than a hundred percent of something.
  private func share(_ number: Double) -> Reading.Value? {
    if quantity.plausible == 0...100, number > 100 { return nil }
    return .number(number)
  }

  /// At most four octets, least significant first.
  @inline(__always) private func integer(in data: Span<UInt8>, _ range: Range<Int>) -> Int64 {
    // Usually at least four octets are left in the data, so that one load is enough.
    if range.count <= 4, data.count - range.lowerBound >= 4 {
      let octets = Int64(data.littleEndian32(at: range.lowerBound))
      return octets & ((1 &<< Int64(8 * range.count)) - 1)
    }
    var value: Int64 = 0
    var shift: Int64 = 0
    for offset in range {
      value |= Int64(data[offset]) << shift
      shift += 8
    }
    return value
  }

  private func signedInteger(in data: Span<UInt8>, _ range: Range<Int>) -> Int64 {
    let unused = Int64(64 - 8 * range.count)
    return (integer(in: data, range) &<< unused) &>> unused
  }
}

/// How often each quantity has occurred in a frame.
@usableFromInline package struct Ordinals {
  /// Indexed by the quantity's raw value, whatever that is.
  @usableFromInline var counts: InlineArray<256, UInt8> = .init(repeating: 0)

  @usableFromInline package init() {}

  @usableFromInline mutating func next(_ quantity: Quantity) -> UInt8 { next(number: quantity.rawValue) }

  package mutating func next(number: UInt8) -> UInt8 {
    let position = Int(number)
    // An AD structure cannot hold that many; data from other sources can.
    if counts[position] < .max { counts[position] += 1 }
    return counts[position]
  }
}

extension DimmerEvent {
  init?(_ event: UInt8, steps: UInt8) {
    switch event {
    case 0x00: self = .none
    case 0x01: self = .rotateLeft(steps: steps)
    case 0x02: self = .rotateRight(steps: steps)
    default: return nil
    }
  }
}

private func isText(_ bytes: Span<UInt8>) -> Bool {
  (try? UTF8Span(validating: bytes)) != nil
}
