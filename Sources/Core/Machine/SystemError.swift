import FoundationEssentials
import Glibc

/// A system call that failed: which, on what, and the reason the kernel gave.
public struct SystemError: Error, Equatable, Sendable {
  public var call: String
  public var code: Int32

  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}

extension SystemError: CustomStringConvertible {
  public var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
}

/// Repeats the call while a signal interrupts it, and turns a failure into an error.
@discardableResult
package func systemCall<Result: SignedInteger>(
  _ name: @autoclosure () -> String, _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = errno
    if code != EINTR { throw SystemError(call: name(), code: code) }
  }
}

extension CocoaError {
  /// Why a file or folder cannot be read, made or written, in words.
  package func reason(else other: String) -> String {
    if let cause = underlying as? POSIXError { return unsafe String(cString: strerror(cause.code.rawValue)) }
    switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: return "no such file or folder"
    case .fileWriteFileExists: return "a file is in the way"
    case .fileWriteNoPermission, .fileReadNoPermission: return "permission denied"
    case .fileWriteVolumeReadOnly: return "the medium is read-only"
    case .fileWriteOutOfSpace: return "the disk is full"
    default: return other
    }
  }
}
