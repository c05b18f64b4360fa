/// A format with readings of a device that is known by its address. To add one, write one conforming file and one line
/// in `FormatRegistry`; nothing else changes.
public protocol SensorFormat: Sendable {
  /// The name in JSON and in `scan`. Versions of a format share it.
  static var name: String { get }

  /// `data` comes without company id or service UUID.
  static func decode(_ data: Span<UInt8>) throws(Decline) -> Self

  /// Declines what `decode` declines, and returns nothing. The extension below implements it for every format. A format that
  /// can decide without reading all of the data implements it itself.
  static func check(_ data: Span<UInt8>) throws(Decline)

  func forEachReading(_ body: (Reading) -> Void)

  /// Visits what `decode` shows besides readings: the version of the format, the device's own address.
  func forEachDetail(_ body: (_ name: String, SensorDetail) -> Void)

  /// Decodes the data and visits the readings. The extension below implements it for every format. It is a requirement so
  /// that each format gets specialised code: shared code would query the format's type at runtime for every frame.
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

/// The sensor format that was found in some data; the values stay in the data.
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
  /// Compares the format, not the values.
  public static func == (a: Self, b: Self) -> Bool {
    ObjectIdentifier(a.format) == ObjectIdentifier(b.format)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(format)) }
}
