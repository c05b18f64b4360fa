import Beacons
import Core
import Glibc

/// A capture on disk or on standard input, read in blocks.
///
/// ```swift
/// var capture = try CaptureFile(path: "monday.btsnoop")
/// var batch = AdvertisementBatch()
/// reading: while true {
///   switch try capture.next(into: &batch) {
///   case .advertisements: batch.forEach { advertisement, payload in print(advertisement.address) }
///   case .observation, .health, .report: continue
///   case .end: break reading
///   }
/// }
/// ```
public struct CaptureFile: ~Copyable {
  /// The path as given; `standard input` for `-`.
  public let name: String
  /// Length in bytes; nil if unknown, as for a pipe.
  public let length: Int64?
  private let descriptor: FileDescriptor
  private var decoder: CaptureDecoder
  private let onRefusal: (([CaptureError], UInt64) -> Void)?

  /// Opens a capture; `-` is standard input.
  ///
  /// - Parameter onRefusal: for a live source: is called with lines that cannot be read, before the next ones are awaited; the
  ///   first of them, and how many there are. nil: such a line ends the capture.
  public init(path: String, onRefusal: (([CaptureError], UInt64) -> Void)? = nil) throws(CaptureError) {
    decoder = CaptureDecoder(isLive: onRefusal != nil)
    self.onRefusal = onRefusal
    name = path == "-" ? "standard input" : path
    descriptor = try Self.open(path, name)
    length = descriptor.fileLength
  }

  private static func open(_ path: String, _ name: String) throws(CaptureError) -> FileDescriptor {
    do throws(SystemError) {
      return FileDescriptor(
        try systemCall("open") {
          path == "-" ? fcntl(0, F_DUPFD_CLOEXEC, 3) : unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        })
    } catch {
      throw unreadable(name, error)
    }
  }

  /// Bytes decoded so far.
  public var offset: Int64 { decoder.offset }
  /// The receivers so far.
  public var receivers: ReceiverTable { decoder.receivers }
  /// LE meta events with malformed reports, in whole or in part.
  public var malformedEvents: Int64 { decoder.malformedEvents }

  /// Empties the batch and fills it with the next advertisements. Blocks while standard input has none.
  ///
  /// Throws once everything before the error was delivered.
  public mutating func next(into batch: inout AdvertisementBatch) throws(CaptureError)
    -> CaptureDecoder.Step
  {
    while true {
      do throws(CaptureError) {
        let step = try decoder.next(into: &batch)
        if let onRefusal, case let refusals = decoder.takeRefusals(), refusals.count > 0 {
          var errors: [CaptureError] = []
          for error in refusals.errors { errors.append(named(error)) }
          onRefusal(errors, refusals.count)
        }
        if let step { return step }
      } catch {
        throw named(error)
      }
      do throws(SystemError) {
        try decoder.fill { bytes, offset throws(SystemError) in
          try descriptor.read(into: &bytes, from: offset)
        }
      } catch {
        throw Self.unreadable(name, error)
      }
    }
  }

  private func named(_ error: CaptureError) -> CaptureError {
    var error = error
    error.source = name
    return error
  }

  private static func unreadable(_ name: String, _ error: SystemError) -> CaptureError {
    let hint =
      switch error.code {
      case ENOENT: "there is no such file"
      case EACCES: "no permission to read it"
      case EISDIR: "it is a directory"
      default: "\(error)"
      }
    var failure = CaptureError(.unreadable, at: .start, hint)
    failure.source = name
    return failure
  }
}
