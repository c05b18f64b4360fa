/// A format that carries readings of a device which is known by its address. One file that conforms, one line
/// in `FormatRegistry`: nothing else in the project needs to know it.
public protocol SensorFormat: Sendable {
  /// The name in JSON and in `scan`. Versions of a format share it.
  static var name: String { get }

  /// `data` has company id or service UUID taken off.
  static func decode(_ data: Span<UInt8>) throws(Decline) -> Self

  /// Declines what `decode` declines, and has no other result. Every format has it from the extension below; one that can
  /// tell by less than all of the data says so itself.
  static func check(_ data: Span<UInt8>) throws(Decline)

  func forEachReading(_ body: (Reading) -> Void)

  /// What `decode` shows besides readings: the version of the format, the device's own address.
  func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void)

  /// Decodes and visits. Every format has it from the extension below. It is a requirement so that each gets code of its own:
  /// shared code would ask the runtime about the format's type at every frame.
  static func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void)
  static func forEachDetail(in data: Span<UInt8>, _ body: (_ name: String, SensorDetail) -> Void)
}

public enum SensorDetail: Hashable, Sendable {
  case number(Int)
  case text(String)
}

extension SensorFormat {
  public static func check(_ data: Span<UInt8>) throws(Decline) { _ = try decode(data) }

  public func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void) {}

  public static func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    if let frame = try? decode(data) { frame.forEachReading(body) }
  }

  public static func forEachDetail(
    in data: Span<UInt8>, _ body: (_ name: String, SensorDetail) -> Void
  ) {
    if let frame = try? decode(data) { frame.forEachDetail(body) }
  }
}

/// Says which sensor format some data was found to be in; the values stay in the data.
public struct SensorFrame: Sendable {
  public let format: any SensorFormat.Type

  /// Declines what the format declines.
  @inline(__always) init<Format: SensorFormat>(_ format: Format.Type, _ data: Span<UInt8>) throws(Decline) {
    try Format.check(data)
    self.format = format
  }

  public func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    format.forEachReading(in: data, body)
  }

  public func forEachDetail(in data: Span<UInt8>, _ body: (_ name: String, SensorDetail) -> Void) {
    format.forEachDetail(in: data, body)
  }
}

extension SensorFrame: Hashable {
  /// The same format; values are not compared.
  public static func == (a: Self, b: Self) -> Bool {
    ObjectIdentifier(a.format) == ObjectIdentifier(b.format)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(format)) }
}
