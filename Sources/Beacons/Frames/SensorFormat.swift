import Core

/// A format with readings of a device that is identified by its address: where its data is, and a table of its readings. To add
/// one, write one file with its value, and one line in `FormatRegistry`; nothing else changes.
///
/// Each reading is a line. A number at an offset is a `field`, one bit is a `flag`, and anything else is code:
///
/// ```swift
/// static let atc = SensorFormat(
///   "atc", model: "ATC thermometer", in: .service(0x181A), .exactly(13), sample: "1016…"
/// ) { data, body in
///   data.field(.temperature, 6, .s16, per: 10, body)
///   data.field(.humidity, 8, .u8, body)
///   data.field(.batteryVoltage, 10, .u16, per: 1000, body)
/// }
/// ```
public final class SensorFormat: Sendable {
  /// The data of an AD structure that may have the format.
  public enum Place: Hashable, Sendable {
    /// Manufacturer data, by company id. The data comes without it.
    case manufacturer(UInt16)
    /// Service data, by 16-bit UUID. The data comes without it.
    case service(UInt16)
    /// Manufacturer data with readings in place of the company id. The data includes them.
    case unnumbered
  }

  /// How many octets the data has. More are ignored, unless the length is exact.
  public enum Length: Hashable, Sendable {
    case atLeast(Int)
    case exactly(Int)

    /// nil: the data may have the format.
    @inline(__always) func decline(_ data: Span<UInt8>) -> Decline? {
      switch self {
      case .atLeast(let octets) where data.count >= octets: nil
      case .exactly(let octets) where data.count == octets: nil
      case .atLeast(let octets), .exactly(let octets): .wrongLength(expected: octets, got: data.count)
      }
    }
  }

  /// The name in JSON and in `scan`. Versions of a format share it.
  public let name: String
  /// Shown by Home Assistant.
  public let maker: String?
  public let model: String
  /// The complete payload of an advertisement, in hexadecimal digits.
  public let sample: String
  package let place: Place
  package let first: UInt8?
  let length: Length
  /// Whether the data may come without its kind, once the kind was heard; see `continued`.
  private let continues: Bool
  let isSent: @Sendable (_ data: Span<UInt8>, borrowing FormatContext) -> Bool
  private let refuse: (@Sendable (_ data: Span<UInt8>) -> Decline?)?
  /// Whether the data has a checksum or an exact format, so that implausible numbers are meant, too.
  private let isExact: Bool
  /// The end of its thermometer's scale; nil: the usual one.
  private let hottest: Double?
  package let products: Products?
  private let seal: (@Sendable (_ data: Span<UInt8>, _ address: UInt64) -> Seal?)?
  private let details:
    (@Sendable (_ data: Span<UInt8>, _ body: (_ name: String, SensorDetail) -> Void) -> Void)?
  private let readings: @Sendable (_ data: Span<UInt8>, _ body: (Reading) -> Void) -> Void

  /// - Parameters:
  ///   - first: the data's first octet, which distinguishes formats of the same place.
  ///   - isExact: numbers that no such sensor can measure are read as well; otherwise they are left out.
  ///   - hottest: the end of a scale for ovens and fires; nil: no such sensor measures more than 150 °C.
  ///   - products: the models between which the data distinguishes.
  ///   - refuse: why the data, which has the stated length, cannot be read; nil: it can.
  ///   - seal: how it is encrypted, given the sender's address; nil: it is not. `readings` then gets the octets of `head` and the
  ///     decrypted text.
  ///   - continues: it comes in a packet of its own, after the same model's other format; see `continued`.
  ///   - isSent: whether the data has this format. It is called only for formats of `FormatRegistry.sensorsBySender`.
  ///   - details: what `decode` shows besides readings.
  ///   - readings: visits them. The data has at least the stated length, and is not refused.
  package init(
    _ name: String, maker: String? = nil, model: String, in place: Place, first: UInt8? = nil,
    _ length: Length,
    sample: String, isExact: Bool = false, hottest: Double? = nil, products: Products? = nil,
    refuse: (@Sendable (Span<UInt8>) -> Decline?)? = nil,
    seal: (@Sendable (Span<UInt8>, _ address: UInt64) -> Seal?)? = nil, continues: Bool = false,
    isSent: @escaping @Sendable (Span<UInt8>, borrowing FormatContext) -> Bool = { _, _ in true },
    details: (@Sendable (Span<UInt8>, (_ name: String, SensorDetail) -> Void) -> Void)? = nil,
    readings: @escaping @Sendable (Span<UInt8>, (Reading) -> Void) -> Void
  ) {
    self.name = name
    self.maker = maker
    self.model = model
    self.sample = sample
    self.place = place
    self.first = first
    self.length = length
    self.isExact = isExact
    self.hottest = hottest
    self.products = products
    self.refuse = refuse
    self.seal = seal
    self.continues = continues
    self.isSent = isSent
    self.details = details
    self.readings = readings
  }

  /// - Parameter isOpen: whether the data was decrypted.
  package func forEachReading(in data: Span<UInt8>, isOpen: Bool = false, _ body: (Reading) -> Void) {
    guard isOpen || decline(data) == nil && !isEncrypted(data) else { return }
    if isExact {
      readings(data, body)
    } else {
      readings(data) { if $0.isPlausible(hottest: hottest) { body($0) } }
    }
  }

  /// The format that a model uses in a packet without its kind: a scanner may report an advertisement and its scan response separately.
  ///
  /// - Parameter known: the sender's format, as heard in an earlier packet.
  package static func continued(
    from known: SensorFormat, in source: FrameSource, _ data: Span<UInt8>
  ) -> SensorFrame? {
    guard case .manufacturerData(let company) = source else { return nil }
    let format = FormatRegistry.sensorsBySender.first {
      $0.continues && $0.place == .manufacturer(company) && $0.name == known.name && $0.model == known.model
    }
    return format.flatMap { $0.decline(data) == nil ? SensorFrame($0) : nil }
  }

  /// The model that sent the data, as far as the data shows it.
  package func model(of data: Span<UInt8>) -> String { products?.name(in: data) ?? model }

  var maySeal: Bool { seal != nil }

  func isEncrypted(_ data: Span<UInt8>) -> Bool {
    seal(data, from: DeviceAddress(bits: 0, kind: .public)) != nil
  }

  /// nil: it is not encrypted.
  func seal(_ data: Span<UInt8>, from address: DeviceAddress) -> Seal? {
    guard let seal, decline(data) == nil else { return nil }
    return seal(data, address.bits)
  }

  /// nil: the data may have the format.
  @inline(__always) func decline(_ data: Span<UInt8>) -> Decline? { length.decline(data) ?? refuse?(data) }

  package func forEachDetail(in data: Span<UInt8>, _ body: (_ name: String, SensorDetail) -> Void) {
    if let details, decline(data) == nil { details(data, body) }
  }
}

/// Models between which a number in the data distinguishes.
package struct Products: Sendable {
  /// Where the number is: one octet, or two, least significant first.
  let place: Range<Int>
  package let names: KeyValuePairs<UInt16, String>

  func name(in data: Span<UInt8>) -> String? {
    guard place.upperBound <= data.count else { return nil }
    let number = place.count == 1 ? UInt16(data[place.lowerBound]) : data.littleEndian16(at: place.lowerBound)
    return names.first { $0.key == number }?.value
  }
}

/// The sensor format that was found in some data; the values remain in the data.
@safe public struct SensorFrame: Hashable, Sendable {
  /// Without reference counting, so that a frame is a plain value: formats live as long as the program.
  private let known: Unmanaged<SensorFormat>
  /// Whether its data was decrypted.
  private(set) var isOpen = false

  package init(_ format: SensorFormat) { unsafe known = .passUnretained(format) }

  public var format: SensorFormat { unsafe known.takeUnretainedValue() }

  public func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    unsafe known._withUnsafeGuaranteedRef { $0.forEachReading(in: data, isOpen: isOpen, body) }
  }

  public func forEachDetail(in data: Span<UInt8>, _ body: (_ name: String, SensorDetail) -> Void) {
    format.forEachDetail(in: data, body)
  }

  func isEncrypted(in data: Span<UInt8>) -> Bool { !isOpen && format.isEncrypted(data) }

  /// The same, for decrypted data.
  var opened: Self {
    var opened = self
    opened.isOpen = true
    return opened
  }

  func seal(in data: Span<UInt8>, from address: DeviceAddress) -> Seal? {
    isOpen ? nil : format.seal(data, from: address)
  }

  func decline(_ data: Span<UInt8>) -> Decline? { unsafe known._withUnsafeGuaranteedRef { $0.decline(data) } }

  public static func == (a: Self, b: Self) -> Bool { a.format === b.format && a.isOpen == b.isOpen }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(format)) }
}

public enum SensorDetail: Hashable, Sendable {
  case number(Int)
  case text(String)
}

/// The coding of a number: signed or not, how many bits, and with `le` the least significant octet first.
package enum Coding { case u8, s8, u16, s16, u24, s24, u32, s32, u16le, s16le, u24le, s24le, u32le, s32le }

/// Bits of an octet that must have a value, otherwise the field is skipped.
package struct Condition {
  let offset: Int
  let mask: UInt8
  let value: UInt8

  @inline(__always) package init(_ offset: Int, mask: UInt8, is value: UInt8) {
    self.offset = offset
    self.mask = mask
    self.value = value
  }
}

/// The lines of a format's table. The compiler keeps only the code that a line's arguments need.
extension Span<UInt8> {
  /// The number at `offset`. `bits` of its bits from bit `shift` on are used. `sum` is added; then it is divided by `divisor`,
  /// which is exact where multiplying by 0.01 is not. `absent` is the number that means "not available".
  @inline(__always) package func field(
    _ quantity: Quantity, _ offset: Int, _ coding: Coding, per divisor: Double = 1, plus sum: Int64 = 0,
    shift: Int64 = 0, bits: Int64 = 64, absent: Int64? = nil, if condition: Condition? = nil,
    _ body: (Reading) -> Void
  ) {
    if let condition, self[condition.offset] & condition.mask != condition.value { return }
    var number = number(offset, coding)
    if bits < 64 { number = number &>> shift & (1 &<< bits - 1) }
    if number != absent { body(Reading(quantity, Double(number + sum) / divisor)) }
  }

  /// One bit.
  @inline(__always) package func flag(
    _ quantity: Quantity, _ offset: Int, bit: UInt8, _ body: (Reading) -> Void
  ) {
    body(Reading(quantity, .flag(self[offset] &>> bit & 1 != 0)))
  }

  @inline(__always) private func number(_ offset: Int, _ coding: Coding) -> Int64 {
    switch coding {
    case .u8: Int64(self[offset])
    case .s8: Int64(signed8(at: offset))
    case .u16: Int64(bigEndian16(at: offset))
    case .s16: Int64(Int16(bitPattern: bigEndian16(at: offset)))
    case .u24: Int64(bigEndian24(at: offset))
    case .s24: Int64(Int32(bitPattern: bigEndian24(at: offset) << 8) >> 8)
    case .u32: Int64(bigEndian32(at: offset))
    case .s32: Int64(Int32(bitPattern: bigEndian32(at: offset)))
    case .u16le: Int64(littleEndian16(at: offset))
    case .s16le: Int64(Int16(bitPattern: littleEndian16(at: offset)))
    case .u24le: Int64(littleEndian24(at: offset))
    case .s24le: Int64(Int32(bitPattern: littleEndian24(at: offset) << 8) >> 8)
    case .u32le: Int64(littleEndian32(at: offset))
    case .s32le: Int64(Int32(bitPattern: littleEndian32(at: offset)))
    }
  }
}

/// The rest of the advertisement, for formats that their number alone does not identify.
package struct FormatContext: ~Escapable {
  package let payload: Span<UInt8>
  /// The sender's address; nil: unknown.
  package let address: DeviceAddress?

  @_lifetime(copy payload)
  package init(payload: Span<UInt8>, address: DeviceAddress?) {
    self.payload = payload
    self.address = address
  }

  /// Whether the sender's local name begins with this.
  ///
  /// - Parameter isWord: it does not go on with a letter.
  package func isNamed(_ name: StaticString, isWord: Bool = false) -> Bool {
    let length = name.utf8CodeUnitCount
    guard let range = AdvertisedFields(payload).localName, range.count >= length else { return false }
    for offset in 0..<length {
      guard unsafe name.utf8Start[offset] == payload[range.lowerBound + offset] else { return false }
    }
    guard isWord, range.count > length else { return true }
    // Upper and lower case differ in one bit.
    return !(0x61...0x7A).contains(payload[range.lowerBound + length] | 0x20)
  }

  /// The data that the sender sends of a service, by its 16-bit UUID; nil: none.
  package func serviceData(_ uuid: UInt16) -> Range<Int>? {
    var structures = ADStructures()
    while case .structure(let type, let data)? = structures.next(in: payload) {
      guard type == ADType.serviceData16, data.count > 2 else { continue }
      if payload.littleEndian16(at: data.lowerBound) == uuid { return data.lowerBound + 2..<data.upperBound }
    }
    return nil
  }

  /// Whether the data has the sender's address at `offset`, in any order.
  package func isAddress(_ data: Span<UInt8>, _ offset: Int) -> Bool {
    guard let bits = address?.bits else { return false }
    return data.littleEndian48(at: offset) == bits
      || UInt64(data.bigEndian16(at: offset)) << 32 | UInt64(data.bigEndian32(at: offset + 2)) == bits
  }

  /// Whether the sender lists a service, by its 128-bit UUID.
  package func lists(uuid: UInt128) -> Bool {
    var structures = ADStructures()
    while case .structure(let type, let data)? = structures.next(in: payload) {
      guard type == ADType.incompleteServices128 || type == ADType.completeServices128 else { continue }
      for offset in stride(from: data.lowerBound, to: data.upperBound - 15, by: 16) {
        if payload.extracting(offset..<offset + 16).bigEndian128(at: 0).byteSwapped == uuid { return true }
      }
    }
    return false
  }

  /// Whether the sender lists a service, by its 16-bit UUID.
  package func lists(service uuid: UInt16) -> Bool {
    var structures = ADStructures()
    while case .structure(let type, let data)? = structures.next(in: payload) {
      guard type == ADType.incompleteServices16 || type == ADType.completeServices16 else { continue }
      for offset in stride(from: data.lowerBound, to: data.upperBound - 1, by: 2) {
        if payload.littleEndian16(at: offset) == uuid { return true }
      }
    }
    return false
  }
}
