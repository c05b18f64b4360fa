/// Why a capture cannot be read further, where, and how to mend it. Everything before that place was delivered.
public struct CaptureError: Error, Equatable, Sendable {
  public enum Position: Equatable, Sendable {
    /// The file itself, before any of its content.
    case start
    /// Offset of the record in bytes from the file's start.
    case byte(Int64)
    /// Line number, from 1.
    case line(Int64)
  }

  public enum Kind: Equatable, Sendable {
    case empty
    case unknownFormat
    case compressed
    case unsupported
    case truncated
    case damaged
    case unreadable
  }

  /// The file's name, or `standard input`; empty if bytes were decoded without a file.
  public var source = ""
  public var place: Position
  public var kind: Kind
  /// What is wrong and what to do about it.
  public var message: String

  init(_ kind: Kind, at place: Position, _ message: String) {
    self.kind = kind
    self.place = place
    self.message = message
  }

  /// A record that claims to be longer than any packet.
  static func overlong(_ length: Int, at offset: Int64) -> CaptureError {
    CaptureError(
      .damaged, at: .byte(offset),
      "the record claims a packet of \(length) bytes, longer than Bluetooth has; the file is damaged from here on"
    )
  }
}

extension CaptureError: CustomStringConvertible {
  public var description: String {
    let prefix = source.isEmpty ? "" : "\(source): "
    return switch place {
    case .start: prefix + message
    case .byte(let offset): "\(prefix)byte \(offset): \(message)"
    case .line(let number): "\(prefix)line \(number): \(message)"
    }
  }
}
