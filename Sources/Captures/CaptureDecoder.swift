import Beacons

/// Reads a capture of any known format from bytes that arrive in pieces. It does no I/O, and works in place on a buffer of
/// limited size.
///
/// ```swift
/// var decoder = CaptureDecoder()
/// var batch = AdvertisementBatch()
/// reading: while true {
///   switch try decoder.next(into: &batch) {
///   case .advertisements: batch.forEach { advertisement, payload in print(advertisement.address) }
///   case .observation(let observation): print(observation.key)
///   case .health(let change): print(change.health)
///   case .report(let report): print(report.phone)
///   case .end: break reading
///   case nil: try decoder.fill { buffer, offset in try read(into: &buffer, from: offset) }
///   }
/// }
/// ```
public struct CaptureDecoder: Sendable {
  public enum Step: Equatable, Sendable {
    /// The batch contains at least one.
    case advertisements
    /// A sighting that is identified by the beacon's key.
    case observation(Observation)
    case health(ReceiverHealthChange)
    case report(AppReport)
    case end
  }

  /// The largest number of advertisements in a batch, give or take one event.
  public static let batchLimit = 1024
  private static let bufferLength = 1 << 18

  private var buffer = [UInt8](repeating: 0, count: bufferLength)
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  /// How many bytes of a skipped block are not read yet.
  private var skip = 0
  private var records: CaptureRecords
  private var output = CaptureOutput()
  private var failure: CaptureError?

  /// How many bytes of the capture are decoded.
  public private(set) var offset: Int64 = 0

  /// - Parameter isLive: whether lines that cannot be read are refused, and the next ones read.
  public init(isLive: Bool = false) { records = CaptureRecords(isLive: isLive) }

  /// Refused lines since the last call: the first of them, and how many there were.
  mutating func takeRefusals() -> (errors: [CaptureError], count: UInt64) { output.takeRefusals() }

  /// The receivers so far; their indices do not change.
  public var receivers: ReceiverTable { output.receivers }
  /// LE meta events with malformed reports, in whole or in part.
  public var malformedEvents: Int64 { output.malformedEvents }

  /// Lets `read` put bytes into the buffer from the given offset on; it returns how many, 0 at the capture's end. Call it only
  /// after `next` has returned nil.
  public mutating func fill<Failure: Error>(
    _ read: (inout MutableSpan<UInt8>, _ offset: Int) throws(Failure) -> Int
  ) throws(Failure) {
    if start > 0 {
      for index in start..<end { buffer[index - start] = buffer[index] }
      end -= start
      start = 0
    }
    let offset = end
    var span = buffer.mutableSpan
    let count = try read(&span, offset)
    precondition(count >= 0 && count <= Self.bufferLength - end)
    if count == 0 { isAtEnd = true }
    end += count
  }

  /// Empties the batch and fills it with the next advertisements; nil: it needs more bytes from `fill`.
  ///
  /// Throws once everything before the error was delivered, and at every later call.
  public mutating func next(into batch: inout AdvertisementBatch) throws(CaptureError) -> Step? {
    batch.removeAll()
    if let failure { throw failure }
    swap(&batch, &output.batch)
    defer { swap(&batch, &output.batch) }
    do throws(CaptureError) {
      let step = try decode()
      return output.batch.isEmpty ? step : .advertisements
    } catch {
      failure = error
      if output.batch.isEmpty { throw error }
      return .advertisements
    }
  }

  private mutating func decode() throws(CaptureError) -> Step? {
    while output.batch.count < Self.batchLimit {
      let skipped = min(skip, end - start)
      consume(skipped)
      skip -= skipped
      let place = CapturePlace(offset: offset, range: start..<end, isAtEnd: isAtEnd)
      let length = try records.read(buffer, place, into: &output)
      if let event = output.event {
        output.event = nil
        consume(length)
        return event
      }
      if length == 0 {
        if !output.batch.isEmpty { return .advertisements }
        guard isAtEnd else { return nil }
        guard records.mayEnd || (start == end && skip == 0) else {
          throw CaptureError(
            .truncated, at: .byte(offset),
            "the file ends in the middle of a record; was the recording still running, or the copy cut short?"
          )
        }
        return .end
      }
      let available = min(length, end - start)
      consume(available)
      skip = length - available
    }
    return .advertisements
  }

  private mutating func consume(_ count: Int) {
    start += count
    offset += Int64(count)
  }
}
