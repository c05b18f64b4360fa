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
  /// Visits the frames in the manufacturer and service data of a payload, in order. Each result comes with the
  /// decoded data (without company id or UUID), for `Frame.forEachReading`.
  @inlinable public static func forEachFrame(
    in payload: Span<UInt8>, _ body: (FrameResult, Span<UInt8>) -> Void
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
        body(manufacturerData(rest, company: data.littleEndian16(at: 0)), rest)
      case .structure(ADType.serviceData16, let range):
        let data = payload.extracting(range)
        guard data.count >= 2 else {
          body(tooShort(ADType.serviceData16, data.count), data)
          continue
        }
        let rest = data.extracting(droppingFirst: 2)
        body(serviceData(rest, uuid: data.littleEndian16(at: 0)), rest)
      case .structure: continue
      case .declined(let type, let reason):
        body(.declined(reason, .structure(type)), payload.extracting(first: 0))
      }
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

  @usableFromInline static func tooShort(_ type: UInt8, _ count: Int) -> FrameResult {
    .declined(.wrongLength(expected: 2, got: count), .structure(type))
  }
}

// These are free functions because the compiler makes two functions of a method. One of them copies the other's result and
// stalls on reading what was just written in smaller pieces. That took a seventh of all decoding time.

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
