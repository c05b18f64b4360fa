import JSON
import Settings

/// The file that `calibrate` writes and `calibration:` names.
public enum CalibrationFile {
  /// Bytes. The most samples that are read fit in.
  static let limit = 16 << 20

  /// Why a file is no calibration.
  public struct Fault: Error, Hashable, Sendable {
    /// nil: it cannot be read at all.
    public var position: Diagnostic.Position?
    public var message: String
  }

  public static func read(path: String) throws(Fault) -> CalibrationRecord {
    let bytes: [UInt8]
    do throws(ConfigurationFile.Unreadable) {
      bytes = try ConfigurationFile(path: path, limit: limit).bytes
    } catch {
      throw Fault(position: nil, message: error.reason)
    }
    return try parse(bytes)
  }

  public static func parse(_ bytes: [UInt8]) throws(Fault) -> CalibrationRecord {
    var parser = CalibrationParser(bytes)
    do throws(CalibrationParser.Malformed) {
      return try parser.record()
    } catch {
      throw Fault(
        position: .init(after: bytes[..<min(error.offset, bytes.count)]), message: error.message)
    }
  }
}

extension CalibrationFile.Fault: CustomStringConvertible {
  public var description: String {
    position.map { "line \($0.line), column \($0.column): \(message)" } ?? message
  }
}
