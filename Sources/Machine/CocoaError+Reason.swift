import FoundationEssentials
import Glibc

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
