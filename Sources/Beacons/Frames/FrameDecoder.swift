import Core

/// The kind of AD structure that a frame came in.
public enum FrameSource: Hashable, Sendable {
  /// With the company id.
  case manufacturerData(UInt16)
  /// With the 16-bit service UUID.
  case serviceData(UInt16)
  /// A malformed structure, with its type if that was there.
  case structure(UInt8?)

  public var adType: UInt8? {
    switch self {
    case .manufacturerData: ADType.manufacturerData
    case .serviceData: ADType.serviceData16
    case .structure(let type): type
    }
  }
}

/// A frame, or why there is none.
public enum FrameResult: Hashable, Sendable {
  case frame(Frame, FrameSource)
  case declined(Decline, FrameSource)

  public var source: FrameSource {
    switch self {
    case .frame(_, let source), .declined(_, let source): source
    }
  }
}

/// Decodes payloads into frames. It needs no heap and keeps no state, and bad bytes never trap. A declined structure does not
/// affect the others.
///
/// ```swift
/// FrameDecoder.forEachFrame(in: payload.span) { result, _ in
///   switch result {
///   case .frame(.iBeacon(let beacon), _): print("\(beacon.major).\(beacon.minor)")
///   case .frame: print("another format")
///   case .declined(let reason, _): print("\(reason)")
///   }
/// }
/// ```
public enum FrameDecoder {
  /// Visits the frames in the manufacturer and service data of a payload, in order. Each result comes with the decoded data
  /// (usually without company id or UUID), for `Frame.forEachReading`. A few formats are recognised only by the sender's
  /// address.
  @inlinable public static func forEachFrame(
    in payload: Span<UInt8>, from address: DeviceAddress? = nil, _ body: (FrameResult, Span<UInt8>) -> Void
  ) {
    var structures = ADStructures()
    while let element = structures.next(in: payload) {
      switch element {
      case .structure(ADType.manufacturerData, let range):
        let data = payload.extracting(range)
        guard data.count >= 2 else {
          body(tooShort(ADType.manufacturerData, data.count), data)
          continue
        }
        let rest = data.extracting(droppingFirst: 2)
        let result = manufacturerData(rest, company: data.littleEndian16(at: 0))
        if isUnclear(result),
          let (frame, range) = sensor(result.source, data, in: payload, from: address)
        {
          body(frame, data.extracting(range))
        } else {
          body(result, rest)
        }
      case .structure(ADType.serviceData16, let range):
        let data = payload.extracting(range)
        guard data.count >= 2 else {
          body(tooShort(ADType.serviceData16, data.count), data)
          continue
        }
        let rest = data.extracting(droppingFirst: 2)
        let result = serviceData(rest, uuid: data.littleEndian16(at: 0))
        if isUnclear(result),
          let (frame, range) = sensor(result.source, data, in: payload, from: address)
        {
          body(frame, data.extracting(range))
        } else {
          body(result, rest)
        }
      case .structure: continue
      case .declined(let type, let reason):
        body(.declined(reason, .structure(type)), payload.extracting(first: 0))
      }
    }
  }

  /// Whether it may be something else after all: a company id in whose place others have readings.
  @inlinable @inline(__always) static func isUnclear(_ result: FrameResult) -> Bool {
    switch result {
    case .declined, .frame(.noise(.appleOther), _), .frame(.noise(.microsoftOther), _),
      .frame(.noise(.googleOther), _):
      true
    default: false
    }
  }

  /// Decodes manufacturer data without its company id.
  @inlinable public static func manufacturerData(_ data: Span<UInt8>, company: UInt16) -> FrameResult {
    decodeManufacturerData(data, company: company)
  }

  /// Decodes service data without its 16-bit UUID.
  @inlinable public static func serviceData(_ data: Span<UInt8>, uuid: UInt16) -> FrameResult {
    decodeServiceData(data, uuid: uuid)
  }

  /// Sensors that are recognised by the rest of the advertisement.
  @usableFromInline static func sensor(
    _ source: FrameSource, _ structure: Span<UInt8>, in payload: Span<UInt8>, from address: DeviceAddress?
  ) -> (FrameResult, Range<Int>)? {
    if FormatRegistry.sensorsBySender.isEmpty { return nil }
    let place: SensorFormat.Place
    switch source {
    case .manufacturerData(let company): place = .manufacturer(company)
    case .serviceData(let uuid): place = .service(uuid)
    case .structure: return nil
    }
    let own = structure.extracting(first: structure.withoutGluedBeacon)
    if own.count < structure.count, case .manufacturerData(let company) = source {
      let result = manufacturerData(own.extracting(droppingFirst: 2), company: company)
      if !isUnclear(result) { return (result, 2..<own.count) }
    }
    let context = FormatContext(payload: payload, address: address)
    return FormatRegistry.sensorsBySender.first(in: place, own, context: context).map {
      (.frame(.sensor(SensorFrame($0)), source), $1)
    }
  }

  @usableFromInline static func tooShort(_ type: UInt8, _ count: Int) -> FrameResult {
    .declined(.wrongLength(expected: 2, got: count), .structure(type))
  }
}

// These are free functions because the compiler makes two functions of a method. One of them copies the other's result, and
// stalls when it reads what was just written in smaller pieces. That cost a seventh of all decoding time.

@usableFromInline func decodeManufacturerData(_ data: Span<UInt8>, company: UInt16) -> FrameResult {
  do {
    return .frame(try FormatRegistry.manufacturer(company, data), .manufacturerData(company))
  } catch {
    return .declined(error, .manufacturerData(company))
  }
}

@usableFromInline func decodeServiceData(_ data: Span<UInt8>, uuid: UInt16) -> FrameResult {
  do {
    return .frame(try FormatRegistry.service(uuid, data), .serviceData(uuid))
  } catch {
    return .declined(error, .serviceData(uuid))
  }
}

/// Chooses the decoder for what came in an AD structure.
extension FormatRegistry {
  /// Manufacturer data, by company id (Bluetooth Assigned Numbers, 7.1) and the first two octets.
  @inline(__always) static func manufacturer(_ company: UInt16, _ data: Span<UInt8>) throws(Decline) -> Frame
  {
    let first: UInt8 = data.count > 0 ? data[0] : 0
    let second: UInt8 = data.count > 1 ? data[1] : 0
    switch (company, first, second) {
    case (0x004C, 0x02, _): return .iBeacon(try IBeacon.decode(data))
    case (0x004C, _, _): return .noise(try AppleContinuity.decode(data))
    case (_, 0xBE, 0xAC): return .altBeacon(try AltBeacon.decode(data, manufacturer: company))
    case (0x0006, _, _): return .noise(try MicrosoftBeacon.decode(data))
    case (0x00E0, _, _): return .noise(.googleOther)
    default: return .sensor(try sensors.frame(in: .manufacturer(company), data, first: first))
    }
  }

  /// Service data, by 16-bit UUID (Bluetooth Assigned Numbers, 3.4) and the first two octets.
  @inline(__always) static func service(_ uuid: UInt16, _ data: Span<UInt8>) throws(Decline) -> Frame {
    let first: UInt8 = data.count > 0 ? data[0] : 0
    let second: UInt8 = data.count > 1 ? data[1] : 0
    switch (uuid, first, second) {
    case (0xFEAA, 0x00, _): return .eddystoneUID(try EddystoneUID.decode(data))
    case (0xFEAA, 0x10, _): return .eddystoneURL(try EddystoneURL.decode(data))
    case (0xFEAA, 0x20, 0x01): return .eddystoneEncryptedTLM(try EddystoneEncryptedTLM.decode(data))
    case (0xFEAA, 0x20, _): return .eddystoneTLM(try EddystoneTLM.decode(data))
    case (0xFEAA, 0x30, _): return .eddystoneEID(try EddystoneEID.decode(data))
    // Protection against unwanted tracking is on; the owner's phone turns it off.
    case (0xFEAA, 0x41, _): return .noise(.googleFindHubAway)
    case (0xFEAA, 0x40, _): return .noise(.googleFindHub)
    case (0xFEAA, _, _): throw .unknownFrameType(first)
    case (BTHome.serviceUUID, _, _): return .bthome(try BTHome.decode(data))
    case (0xFD6F, _, _): return .exposureNotification(try ExposureNotification.decode(data))
    case (0xFE2C, _, _): return .noise(.googleFastPair)
    case (0xFD5A, _, _): return .noise(try SmartTag.decode(data))
    // A SmartTag that nobody has registered.
    case (0xFD59, _, _): return .noise(.smartTag)
    case (0xFCB2, _, _): return .noise(try CommonTracker.decode(data))
    case (0xFEED, _, _), (0xFEEC, _, _), (0xFD84, _, _): return .noise(.tile)
    case (0xFEF3, _, _): return .noise(.googleNearby)
    case (0xFE9F, _, _), (0xFCF1, _, _): return .noise(.googleOther)
    case (0xFD3D, _, _), (0x0D00, _, _):
      let kind = SensorFormat.switchBotKind(first)
      return .sensor(try sensors.frame(in: .service(uuid), data, first: kind))
    default: return .sensor(try sensors.frame(in: .service(uuid), data, first: first))
    }
  }
}

/// Why bytes were not decoded. A decoder never guesses and never traps: it throws one of these.
public enum Decline: Error, Hashable, Sendable {
  /// An AD structure claims more bytes than the payload still has.
  case truncated(needs: Int, has: Int)
  case wrongLength(expected: Int, got: Int)
  case unsupportedVersion(UInt8)
  case unknownFrameType(UInt8)
  /// A BTHome object id that the specification does not list. The objects after it cannot be separated.
  case unknownObject(UInt8)
  /// A byte that the format does not allow at this offset.
  case invalidByte(UInt8, at: Int)
  /// Reading it needs a key.
  case encrypted
  /// Only the maker's own software can read it.
  case unknownCipher
  /// The key is wrong, or the data was tampered with.
  case authenticationFailed
  /// It is not encrypted, although there is a key for it.
  case unencrypted
  /// The counter went back: old advertisements are replayed.
  case replayed
  /// There is no decoder for this company, service or type yet.
  case noDecoder
}

extension Decline: CustomStringConvertible {
  /// A text for `decode` and logs.
  public var description: String {
    switch self {
    case .truncated(let needs, let has): "truncated: needs \(needs) bytes, has \(has)"
    case .wrongLength(let expected, let got): "wrong length: expected \(expected) bytes, got \(got)"
    case .unsupportedVersion(let version): "unsupported version \(version)"
    case .unknownFrameType(let type): "unknown frame type 0x\(hexadecimal(UInt128(type), octets: 1))"
    case .unknownObject(let id): "unknown object id 0x\(hexadecimal(UInt128(id), octets: 1))"
    case .invalidByte(let byte, let offset):
      "invalid byte 0x\(hexadecimal(UInt128(byte), octets: 1)) at offset \(offset)"
    case .encrypted: "encrypted: needs a key"
    case .unknownCipher: "encrypted: only its maker's software can read it, no key helps"
    case .authenticationFailed: "authentication failed: wrong key or altered data"
    case .unencrypted: "not encrypted, although a key was given: anybody can send this"
    case .replayed: "replayed: the counter went back"
    case .noDecoder: "no decoder for this kind of data"
    }
  }
}
