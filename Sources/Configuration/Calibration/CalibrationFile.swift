import Core
import Proximity

/// The file that `calibrate` writes and `calibration:` names.
package struct CalibrationFile: Hashable, Sendable {
  package var account: CalibrationAccount
  package var calibration: RoomCalibration

  package init(_ calibration: RoomCalibration, _ account: CalibrationAccount) {
    self.calibration = calibration
    self.account = account
  }

  /// In bytes. The largest number of samples fits.
  static let limit = 16 << 20

  /// Why a file is not a calibration.
  package struct Fault: Error, Hashable, Sendable {
    /// nil: it cannot be read at all.
    package var position: Diagnostic.Position?
    package var message: String
    /// There is no such file.
    package var isAbsent = false
  }

  package init(path: String) throws(Fault) {
    let bytes: [UInt8]
    do throws(ConfigurationFile.Unreadable) {
      bytes = try ConfigurationFile(path: path, limit: Self.limit).bytes
    } catch {
      throw Fault(position: nil, message: error.reason, isAbsent: error.isAbsent)
    }
    try self.init(bytes)
  }

  package init(_ bytes: [UInt8]) throws(Fault) {
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
  package var description: String {
    position.map { "line \($0.line), column \($0.column): \(message)" } ?? message
  }
}

extension CalibrationFile {
  /// Whether it belongs to another site: it has rooms or receivers, and none of them is configured.
  package func isForeign(to configuration: Configuration) -> Bool {
    let rooms = Set(account.stays.map(\.room))
    let receivers = Set(calibration.receiverNames)
    let mounted = configuration.rooms.flatMap(\.receivers) + configuration.receivers.map(\.name)
    return !rooms.isEmpty && rooms.isDisjoint(with: configuration.rooms.map(\.name))
      || !receivers.isEmpty && !mounted.isEmpty && receivers.isDisjoint(with: mounted)
  }
}

extension CalibrationFile {
  /// Renames rooms as the configuration has renamed them since. A room's new name is that of a configured room with the same
  /// receivers which the file does not have.
  ///
  /// - Returns: the new names, by the old ones.
  @discardableResult package mutating func rename(for configuration: Configuration) -> [String: String] {
    let rooms = configuration.rooms
    let known = Set(account.stays.map(\.room))
    var names: [String: String] = [:]
    for place in account.stays.indices {
      let stay = account.stays[place]
      guard !stay.receivers.isEmpty, !rooms.contains(where: { $0.name == stay.room }),
        let room = rooms.first(where: { Set($0.receivers) == Set(stay.receivers) }),
        !known.contains(room.name),
        names.values.allSatisfy({ $0 != room.name })
      else { continue }
      names[stay.room] = room.name
      account.stays[place].room = room.name
    }
    for place in calibration.histograms.indices {
      guard let name = names[calibration.histograms[place].room] else { continue }
      calibration.histograms[place].room = name
    }
    for place in calibration.visits.indices {
      guard let name = calibration.visits[place].room.flatMap({ names[$0] }) else { continue }
      calibration.visits[place].room = name
    }
    return names
  }

  /// The content of the file: `config/schemas/room-calibration.schema.json`, with an end of line.
  package var text: [UInt8] {
    var receivers = calibration.receivers.map(\.name)
    for name in calibration.histograms.map(\.receiver) where !receivers.contains(name) {
      receivers.append(name)
    }
    let samples = Dictionary(grouping: calibration.samples, by: \.receiver)
    return JSONWriter.object { json in
      json.field("v", 1)
      json.field("time", account.time)
      json.field("version", account.version)
      json.field("beacon", account.beacon)
      json.field("measured_power_dbm", calibration.measuredPower, decimals: 1)
      json.objects("rooms", account.stays) { json, stay in
        json.field("room", stay.room)
        json.field("seconds", stay.seconds, decimals: 1)
        if !stay.receivers.isEmpty { json.array("receivers", stay.receivers) { $0.value($1) } }
      }
      json.key("held_out")
      if let heldOut = account.heldOut { Self.write(heldOut, &json) } else { json.null() }
      json.field("wall_loss_db", calibration.wallLoss, decimals: 2)
      if !calibration.visits.isEmpty { Self.write(calibration.visits, &json) }
      json.objects("receivers", receivers) { json, name in
        json.field("receiver", name)
        if let place = account.positions[name] {
          json.array("position_m", [place.x, place.y, place.z]) { $0.value($1, decimals: 2) }
        }
        if let fit = calibration.receivers.first(where: { $0.name == name }) {
          json.field("power_dbm", fit.power, decimals: 2)
          json.field("exponent", fit.exponent, decimals: 3)
        }
        if let samples = samples[name] { Self.write(samples, &json) }
        let histograms = calibration.histograms.filter { $0.receiver == name }
        if !histograms.isEmpty { Self.write(histograms, &json) }
      }
    } + [UInt8(ascii: "\n")]
  }

  private static func write(_ heldOut: CalibrationAccount.HeldOut, _ json: inout JSONWriter) {
    json.object { json in
      json.field("right", heldOut.right, decimals: 4)
      json.field("changes", heldOut.changes)
      json.field("true_changes", heldOut.trueChanges)
      json.field("median_delay_s", heldOut.delay, decimals: 2)
    }
  }

  private static func write(_ visits: [RoomCalibration.Visit], _ json: inout JSONWriter) {
    let groups = Dictionary(grouping: visits) { [$0.room, $0.floor] }
    let keys = groups.keys.sorted { $0.map { $0 ?? "" }.lexicographicallyPrecedes($1.map { $0 ?? "" }) }
    json.objects("visits", keys) { json, key in
      let visits = groups[key] ?? []
      if let room = key[0] {
        json.field("room", room)
        json.field("seconds", visits.reduce(0) { $0 + $1.weight }, decimals: 1)
        return
      }
      if let floor = key[1] { json.field("floor", floor) }
      json.array("points", visits) { json, visit in
        json.array([(visit.x, 3), (visit.y, 3), (visit.weight, 3)]) { $0.value($1.0, decimals: $1.1) }
      }
    }
  }

  private static func write(_ samples: [RoomCalibration.Sample], _ json: inout JSONWriter) {
    let floors = Dictionary(grouping: samples, by: \.floor)
    json.objects("maps", floors.keys.sorted { ($0 ?? "") < ($1 ?? "") }) { json, floor in
      if let floor { json.field("floor", floor) }
      json.array("points", floors[floor] ?? []) { json, sample in
        json.array(
          [(sample.x, 3), (sample.y, 3), (sample.level, 1), (sample.spread, 1), (sample.weight, 1)]
        ) { $0.value($1.0, decimals: $1.1) }
      }
    }
  }

  private static func write(_ histograms: [RoomCalibration.Histogram], _ json: inout JSONWriter) {
    json.objects("levels", histograms) { json, histogram in
      json.field("room", histogram.room)
      json.field("from_dbm", histogram.lowest)
      json.array("counts", histogram.counts) { $0.value($1, decimals: 1) }
    }
  }
}
