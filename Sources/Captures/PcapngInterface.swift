import Core

/// An interface of a pcapng section: link type, snap length, and the unit of its timestamps.
struct PcapngInterface: Sendable {
  /// The length of one tick of a timestamp.
  private enum Resolution {
    /// 10⁻ⁿ s.
    case decimal(Int)
    /// 2⁻ⁿ s.
    case binary(Int)
  }

  private enum Option {
    static let name: UInt16 = 2
    static let resolution: UInt16 = 9
    static let offset: UInt16 = 14
  }

  let linkNumber: UInt16
  /// nil if it is not Bluetooth, which is an error only if a packet uses it.
  let link: LinkLayer?
  /// 0: no limit.
  let snapLength: Int
  /// From a name such as `bluetooth1` or `hci1`.
  private(set) var adapter: UInt16?
  private var resolution = Resolution.decimal(6)
  /// Seconds to add to every timestamp.
  private var offset: Int64 = 0

  /// nil if the timestamp resolution is unusable. `body` has at least 8 bytes.
  init?(_ body: Span<UInt8>, order: ByteOrder) {
    linkNumber = order.integer16(body, at: 0)
    link = LinkLayer(rawValue: linkNumber)
    snapLength = Int(order.integer32(body, at: 4))
    var position = 8
    while body.count - position >= 4 {
      let code = order.integer16(body, at: position)
      let length = Int(order.integer16(body, at: position + 2))
      let start = position + 4
      guard code != 0, length <= body.count - start else { break }
      let value = body.extracting(start..<start + length)
      switch code {
      case Option.name: adapter = Self.adapter(named: value)
      case Option.resolution where length == 1:
        let exponent = Int(value[0] & 0x7F)
        guard exponent <= (value[0] & 0x80 == 0 ? 18 : 63) else { return nil }
        resolution = value[0] & 0x80 == 0 ? .decimal(exponent) : .binary(exponent)
      case Option.offset where length == 8:
        let halves = (UInt64(order.integer32(value, at: 0)), UInt64(order.integer32(value, at: 4)))
        offset = Int64(bitPattern: order == .big ? halves.0 << 32 | halves.1 : halves.1 << 32 | halves.0)
      default: break
      }
      // Options are padded to four bytes.
      position = start + (length + 3) & ~3
    }
  }

  /// Saturates if a hostile timestamp does not fit.
  func wallTime(ofTicks ticks: UInt64) -> WallTime {
    let nanoseconds: UInt64
    switch resolution {
    case .decimal(let exponent) where exponent <= 9:
      let (product, overflow) = ticks.multipliedReportingOverflow(by: Self.power(10, 9 - exponent))
      nanoseconds = overflow ? .max : product
    case .decimal(let exponent):
      nanoseconds = ticks / Self.power(10, exponent - 9)
    case .binary(let exponent):
      let seconds = ticks >> UInt64(exponent)
      let fraction = ticks & (1 << UInt64(exponent) - 1)
      let scaled = fraction.multipliedFullWidth(by: 1_000_000_000)
      let rest = scaled.high << UInt64(64 - exponent) | scaled.low >> UInt64(exponent)
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      nanoseconds = overflow ? .max : product.addingReportingOverflow(rest).partialValue
    }
    let sinceEpoch = WallTime(nanoseconds: Int64(clamping: nanoseconds))
    let (shift, overflow) = offset.multipliedReportingOverflow(by: 1_000_000_000)
    return sinceEpoch + TimeSpan(nanoseconds: overflow ? (offset < 0 ? .min : .max) : shift)
  }

  private static func power(_ base: UInt64, _ exponent: Int) -> UInt64 {
    var result: UInt64 = 1
    for _ in 0..<exponent { result *= base }
    return result
  }

  private static func adapter(named name: Span<UInt8>) -> UInt16? {
    for prefix in ["bluetooth", "hci"] {
      let letters = prefix.utf8
      guard name.count > letters.count, name.count <= letters.count + 5 else { continue }
      var index = 0
      var matches = true
      for letter in letters {
        matches = matches && name[index] == letter
        index += 1
      }
      var number = 0
      while matches, index < name.count {
        matches = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name[index])
        number = number * 10 + Int(name[index] & 0x0F)
        index += 1
      }
      if matches { return UInt16(exactly: number) }
    }
    return nil
  }
}
