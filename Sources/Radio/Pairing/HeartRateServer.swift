import Core

/// The services that a phone finds: those of a heart rate sensor, because phones list these in their settings. An answer to
/// each request of the attribute protocol (Core Specification, Vol 3, Part F); requests are hostile bytes.
struct HeartRateServer {
  private enum Failure {
    static let invalidHandle: UInt8 = 0x01
    static let cannotRead: UInt8 = 0x02
    static let cannotWrite: UInt8 = 0x03
    static let invalidRequest: UInt8 = 0x04
    /// An iPhone then pairs.
    static let insufficientAuthentication: UInt8 = 0x05
    static let notSupported: UInt8 = 0x06
    static let invalidOffset: UInt8 = 0x07
    static let notFound: UInt8 = 0x0A
    static let isNoGroup: UInt8 = 0x10
  }

  private struct Attribute {
    var type: UInt16
    var value: [UInt8]
    /// 0: no service begins here.
    var groupEnd: UInt16 = 0
    var isReadable = true
    var isProtected = false
  }

  /// The longest answer; nobody may negotiate more.
  static let unit = 23
  static let name = "Beaconkeeper"

  /// The first has handle 1.
  private static let attributes: [Attribute] = [
    Attribute(type: 0x2800, value: [0x00, 0x18], groupEnd: 5),  // Generic Access
    Attribute(type: 0x2803, value: [0x02, 3, 0, 0x00, 0x2A]),
    Attribute(type: 0x2A00, value: Array(name.utf8)),
    Attribute(type: 0x2803, value: [0x02, 5, 0, 0x01, 0x2A]),
    Attribute(type: 0x2A01, value: [0x40, 0x03]),  // appearance: heart rate sensor
    Attribute(type: 0x2800, value: [0x0D, 0x18], groupEnd: 11),  // Heart Rate
    Attribute(type: 0x2803, value: [0x10, 8, 0, 0x37, 0x2A]),
    Attribute(type: 0x2A37, value: [], isReadable: false),
    Attribute(type: 0x2902, value: [0, 0], isProtected: true),
    Attribute(type: 0x2803, value: [0x02, 11, 0, 0x38, 0x2A]),
    Attribute(type: 0x2A38, value: [0], isProtected: true),
  ]

  /// nil: what was sent needs no answer.
  ///
  /// - Parameter isPaired: whether protected values may be read.
  static func answer(_ request: Span<UInt8>, isPaired: Bool) -> [UInt8]? {
    guard !request.isEmpty else { return nil }
    let opcode = request[0]
    // Commands, answers and confirmations. A server gets no others with these codes.
    guard opcode & 0x40 == 0, opcode & 1 == 0, opcode != 0x1E else { return nil }
    switch (opcode, request.count) {
    case (0x02, 3): return [0x03, UInt8(unit), 0]
    case (0x04, 5): return information(request)
    case (0x06, 7...): return services(byValue: request)
    case (0x08, 7), (0x08, 21), (0x10, 7), (0x10, 21): return values(request, areGroups: opcode == 0x10)
    case (0x0A, 3), (0x0C, 5): return value(request, isPaired)
    case (0x12, 3...):
      let handle = request.littleEndian16(at: 1)
      guard let attribute = attribute(handle) else { return failure(opcode, handle, Failure.invalidHandle) }
      guard attribute.type == 0x2902 else { return failure(opcode, handle, Failure.cannotWrite) }
      return isPaired ? [0x13] : failure(opcode, handle, Failure.insufficientAuthentication)
    case (0x02, _), (0x04, _), (0x06, _), (0x08, _), (0x0A, _), (0x0C, _), (0x10, _), (0x12, _):
      return failure(opcode, 0, Failure.invalidRequest)
    default: return failure(opcode, 0, Failure.notSupported)
    }
  }

  private static func attribute(_ handle: UInt16) -> Attribute? {
    handle >= 1 && handle <= attributes.count ? attributes[Int(handle) - 1] : nil
  }

  private static func failure(_ opcode: UInt8, _ handle: UInt16, _ code: UInt8) -> [UInt8] {
    [0x01, opcode] + handle.littleEndianOctets + [code]
  }

  /// The handles of a request, first and last; nil: they are invalid.
  private static func handles(_ request: Span<UInt8>) -> ClosedRange<UInt16>? {
    let first = request.littleEndian16(at: 1)
    let last = request.littleEndian16(at: 3)
    return first == 0 || first > last ? nil : first...last
  }

  private static func inside(_ range: ClosedRange<UInt16>) -> [(handle: UInt16, attribute: Attribute)] {
    attributes.indices.map { (UInt16($0 + 1), attributes[$0]) }.filter { range.contains($0.0) }
  }

  /// Find Information: handles and types.
  private static func information(_ request: Span<UInt8>) -> [UInt8] {
    let start = request.littleEndian16(at: 1)
    guard let range = handles(request) else { return failure(request[0], start, Failure.invalidHandle) }
    var answer: [UInt8] = [0x05, 1]
    for (handle, attribute) in inside(range) where answer.count + 4 <= unit {
      answer += handle.littleEndianOctets + attribute.type.littleEndianOctets
    }
    return answer.count > 2 ? answer : failure(request[0], start, Failure.notFound)
  }

  /// Find By Type Value: services with this UUID.
  private static func services(byValue request: Span<UInt8>) -> [UInt8] {
    let start = request.littleEndian16(at: 1)
    guard let range = handles(request) else { return failure(request[0], start, Failure.invalidHandle) }
    let type = request.littleEndian16(at: 5)
    let value = (7..<request.count).map { request[$0] }
    var answer: [UInt8] = [0x07]
    for (handle, attribute) in inside(range)
    where attribute.groupEnd != 0 && attribute.type == type && attribute.value == value {
      answer += handle.littleEndianOctets + attribute.groupEnd.littleEndianOctets
    }
    return answer.count > 1 ? answer : failure(request[0], start, Failure.notFound)
  }

  /// Read By Type and Read By Group Type: the values of one type, as long as they have one length.
  private static func values(_ request: Span<UInt8>, areGroups: Bool) -> [UInt8] {
    let start = request.littleEndian16(at: 1)
    guard let range = handles(request) else { return failure(request[0], start, Failure.invalidHandle) }
    // Nothing here has a UUID of 128 bits.
    guard request.count == 7 else { return failure(request[0], start, Failure.notFound) }
    let type = request.littleEndian16(at: 5)
    if areGroups, type != 0x2800 { return failure(request[0], start, Failure.isNoGroup) }
    var answer: [UInt8] = [areGroups ? 0x11 : 0x09, 0]
    for (handle, attribute) in inside(range) where attribute.type == type {
      if attribute.isProtected || !attribute.isReadable {
        guard answer.count == 2 else { break }
        let code = attribute.isReadable ? Failure.insufficientAuthentication : Failure.cannotRead
        return failure(request[0], handle, code)
      }
      let end = areGroups ? attribute.groupEnd.littleEndianOctets : []
      let entry = handle.littleEndianOctets + end + attribute.value
      if answer.count == 2 { answer[1] = UInt8(truncatingIfNeeded: entry.count) }
      guard entry.count == answer[1], answer.count + entry.count <= unit else { break }
      answer += entry
    }
    return answer.count > 2 ? answer : failure(request[0], start, Failure.notFound)
  }

  /// Read and Read Blob.
  private static func value(_ request: Span<UInt8>, _ isPaired: Bool) -> [UInt8] {
    let handle = request.littleEndian16(at: 1)
    guard let attribute = attribute(handle) else {
      return failure(request[0], handle, Failure.invalidHandle)
    }
    guard attribute.isReadable else { return failure(request[0], handle, Failure.cannotRead) }
    guard isPaired || !attribute.isProtected else {
      return failure(request[0], handle, Failure.insufficientAuthentication)
    }
    let offset = request.count == 5 ? Int(request.littleEndian16(at: 3)) : 0
    guard offset <= attribute.value.count else { return failure(request[0], handle, Failure.invalidOffset) }
    return [request[0] + 1] + attribute.value[offset...].prefix(unit - 1)
  }
}
