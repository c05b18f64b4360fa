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
    case .unsigned(let divisor): .number(Double(integer(in: data, range)) / Double(divisor))
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
@usableFromInline struct Ordinals {
  /// Indexed by the quantity's raw value.
  @usableFromInline var counts: InlineArray<96, UInt8> = .init(repeating: 0)

  @usableFromInline init() {}

  @usableFromInline mutating func next(_ quantity: Quantity) -> UInt8 {
    let position = Int(quantity.rawValue)
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
