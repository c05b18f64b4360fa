import JSON
public import Proximity
public import Settings

/// The file that `calibrate` writes and `calibration:` names.
public struct CalibrationFile: Hashable, Sendable {
  public var account: CalibrationAccount
  public var calibration: RoomCalibration

  public init(_ calibration: RoomCalibration, _ account: CalibrationAccount) {
    self.calibration = calibration
    self.account = account
  }

  /// Bytes. The most samples that are read fit in.
  static let limit = 16 << 20

  /// Why a file is no calibration.
  public struct Fault: Error, Hashable, Sendable {
    /// nil: it cannot be read at all.
    public var position: Diagnostic.Position?
    public var message: String
  }

  public init(path: String) throws(Fault) {
    let bytes: [UInt8]
    do throws(ConfigurationFile.Unreadable) {
      bytes = try ConfigurationFile(path: path, limit: Self.limit).bytes
    } catch {
      throw Fault(position: nil, message: error.reason)
    }
    try self.init(bytes)
  }

  public init(_ bytes: [UInt8]) throws(Fault) {
    var parser = CalibrationParser(bytes)
    do throws(CalibrationParser.Malformed) {
      self = try parser.file()
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
