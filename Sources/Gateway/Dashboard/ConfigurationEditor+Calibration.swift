import HTTP
import Machine
import Settings
import SettingsFile

/// Why a calibration is not saved.
struct CalibrationRefusal: Error {
  var response: Response
}

extension ConfigurationEditor {
  /// Writes a calibration beside the configuration, names it there if that is missing, and loads both.
  ///
  /// - Parameter configuration: whose rooms were calibrated.
  func keep(calibration contents: [UInt8], of configuration: Configuration) -> Result<
    CalibrationDesk.Kept, CalibrationRefusal
  > {
    let path = configuration.calibrationFile
    let store = CalibrationStore(
      path: path ?? CalibrationStore.usual(beside: writer.path, of: configuration))
    var kept: CalibrationDesk.Kept
    do throws(SystemError) {
      kept = CalibrationDesk.Kept(store: store, hadEarlier: try store.write(contents))
    } catch {
      return .failure(refusal(error, of: store))
    }
    if path == nil {
      let name = store.name(beside: writer.path)
      kept.revision = writeLine(naming: name)
      if kept.revision == nil { kept.missing = "calibration: \(name)" }
    }
    reload()
    return .success(kept)
  }

  /// The configuration's new revision; nil: somebody has to write the line.
  private func writeLine(naming calibration: String) -> String? {
    guard let (bytes, revision) = try? writer.read(),
      let changed = try? text(bytes).adding(calibration: calibration)
    else { return nil }
    return try? writer.replace(revision: revision, with: changed.bytes)
  }

  /// The configuration first, so that it never names a file that is gone. Returns a refusal.
  func takeBack(_ kept: CalibrationDesk.Kept) -> CalibrationRefusal? {
    if let revision = kept.revision {
      do throws(ConfigurationWriter.Refusal) {
        guard try writer.read().revision == revision else {
          return CalibrationRefusal(
            response: .error(
              409, "The configuration was changed meanwhile.",
              remedy: "Take the line calibration: out by hand."))
        }
        _ = try writer.undo()
      } catch {
        return CalibrationRefusal(response: .error(409, error.reason, remedy: error.remedy))
      }
    }
    do throws(SystemError) { try kept.store.takeBack(hadEarlier: kept.hadEarlier) } catch {
      return refusal(error, of: kept.store)
    }
    reload()
    return nil
  }

  private func refusal(_ error: SystemError, of store: CalibrationStore) -> CalibrationRefusal {
    let refusal = ConfigurationWriter.Refusal(cannotWrite: store.path, error)
    return CalibrationRefusal(response: .error(500, "\(refusal.reason).", remedy: refusal.remedy))
  }
}
