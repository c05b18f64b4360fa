import Core

/// A report of a phone's app on `app/set` or `app/seen`, as in a recording.
public struct AppReport: Sendable, Equatable {
  public enum Kind: String, Sendable { case set, seen }

  /// The phone's configured name.
  public var phone: String
  public var kind: Kind
  /// As it came; any bytes.
  public var payload: [UInt8]
  public var isRetained: Bool
  public var time: MonotonicTime
  public var wallTime: WallTime

  public init(
    phone: String, kind: Kind, payload: [UInt8], isRetained: Bool, time: MonotonicTime, wallTime: WallTime
  ) {
    (self.phone, self.kind, self.payload) = (phone, kind, payload)
    (self.isRetained, self.time, self.wallTime) = (isRetained, time, wallTime)
  }
}
