import Beacons
import Pipeline

/// Which row holds which beacon, and the long texts that many beacons share (rules of zones).
///
/// Rows are keyed by a number, not by the beacon's key, so that beacons that were added together are stored together.
struct BeaconRows {
  private var rows = Ledger()
  private var texts = Ledger()
  /// Keys whose rows are marked void and kept for reuse. Deleting and inserting rows would move others too, and a flapping beacon
  /// would wear out the SD card.
  private var void: Set<String> = []
  /// How many rows could not be read and were removed.
  private(set) var damaged = 0
  private static let voidLimit = 1_000
  /// Rows and texts that `load` found unused, and that are not deleted yet; and the shapes to keep.
  private var unused: (rows: [SQLValue], texts: [Int64], shapes: RowShapes)?

  /// Numbers of keys. Changes of a running transaction are kept separate until they are on disk.
  private struct Ledger {
    private var known: [String: Int64] = [:]
    private var changed: [String: Int64?] = [:]
    private var next: Int64 = 1

    subscript(key: String) -> Int64? {
      if let changed = changed[key] { return changed }
      return known[key]
    }

    mutating func load(_ key: String, _ number: Int64) {
      known[key] = number
      next = max(next, number + 1)
    }

    mutating func add(_ key: String) -> Int64 {
      defer { next += 1 }
      changed[key] = .some(next)
      return next
    }

    mutating func remove(_ key: String) { changed[key] = .some(nil) }

    mutating func settle() {
      for (key, number) in changed { known[key] = number }
      changed.removeAll()
    }

    mutating func revert() { changed.removeAll() }
  }

  /// Reads every beacon. A damaged row loses only its own beacon.
  mutating func load(_ database: SQLConnection) throws -> [SavedBeacon] {
    var shapes = try RowShapes(database)
    var textsByNumber: [Int64: String] = [:]
    for row in try database.rows("SELECT id, value FROM text") {
      if let id = Self.number(row["id"]), let text = row["value"].string {
        textsByNumber[id] = text
      }
    }
    var used: Set<Int64> = []
    var beacons: [SavedBeacon] = []
    var useless: [SQLValue] = []
    for row in try database.rows("SELECT id, state FROM beacon ORDER BY id") {
      var read: [Int64] = []
      let beacon = row["state"].bytes.flatMap { packed in
        try? SavedBeacon(packed: packed, &shapes) {
          read.append($0)
          return textsByNumber[$0]
        }
      }
      guard let id = Self.number(row["id"]), let beacon, rows[beacon.key] == nil else {
        useless.append(row["id"])
        // The first octet of a void row is 0.
        if row["state"].bytes?.first != 0 { damaged += 1 }
        continue
      }
      rows.load(beacon.key, id)
      used.formUnion(read)
      beacons.append(beacon)
    }
    for (id, text) in textsByNumber where used.contains(id) { texts.load(text, id) }
    unused = (useless, textsByNumber.keys.filter { !used.contains($0) }, shapes)
    return beacons
  }

  /// Removes rows, texts and shapes that no beacon uses, and writes down the present shape.
  func tidy(_ database: SQLConnection) throws {
    guard let unused else { return }
    for id in unused.rows { try database.execute("DELETE FROM beacon WHERE id = ?", id) }
    for id in unused.texts { try database.execute("DELETE FROM text WHERE id = ?", .integer(id)) }
    try unused.shapes.settle(database)
  }

  /// A number small enough to leave room for others after it.
  private static func number(_ value: SQLValue) -> Int64? {
    value.int64.flatMap { (1..<(1 << 62)).contains($0) ? $0 : nil }
  }

  /// Writes beacons by their keys. nil deletes a beacon.
  mutating func write(_ beacons: [String: SavedBeacon?], _ database: SQLConnection) throws {
    for (key, beacon) in beacons {
      if let beacon {
        var new: [(Int64, String)] = []
        let packed = beacon.packed { text in
          if let known = texts[text] { return known }
          let number = texts.add(text)
          new.append((number, text))
          return number
        }
        for (number, text) in new {
          try database.execute(
            "INSERT OR REPLACE INTO text (id, value) VALUES (?, ?)", .integer(number), .text(text))
        }
        void.remove(key)
        try database.execute(
          "INSERT OR REPLACE INTO beacon (id, state) VALUES (?, ?)", .integer(rows[key] ?? rows.add(key)),
          .blob(packed))
      } else if let row = rows[key], !void.contains(key) {
        if void.count >= Self.voidLimit, let old = void.popFirst(), let row = rows[old] {
          try database.execute("DELETE FROM beacon WHERE id = ?", .integer(row))
          rows.remove(old)
        }
        // No version reads a layout of 0. As long as it was, the row moves no other; nothing of the beacon stays in the file.
        try database.execute("UPDATE beacon SET state = zeroblob(length(state)) WHERE id = ?", .integer(row))
        void.insert(key)
      }
    }
  }

  /// The writes are on disk.
  mutating func settle() {
    rows.settle()
    texts.settle()
    unused = nil
  }

  /// The writes were rolled back.
  mutating func revert() {
    rows.revert()
    texts.revert()
    // It is now uncertain which rows are void.
    void.removeAll()
  }
}

/// A saved beacon as a row of the outbox. Many beacons share the rules of their zones, so the row has only the number of that
/// text.
extension SavedBeacon {
  /// - Parameter number: returns the number for a text.
  func packed(number: (String) -> Int64) -> [UInt8] {
    var row = self
    row.zones = zones.mapValues { String(number($0)) }
    var coder = StateCoder(layout: RowShapes.present)
    coder.write(row)
    return coder.finished()
  }

  /// - Parameter text: returns the text for a number.
  init(packed octets: [UInt8], _ shapes: inout RowShapes, text: (Int64) -> String?) throws(StateError) {
    do throws(StateError) {
      var coder = try StateCoder(reading: octets, layout: RowShapes.present)
      self = try coder.read()
      try coder.finish()
    } catch .layout(let layout) {
      guard let shape = shapes[layout] else { throw .layout(layout) }
      self = try SavedBeacon(StateCoder(reading: octets, layout: layout).rest, of: shape)
    }
    zones = zones.compactMapValues { Int64($0).flatMap(text) }
  }
}

/// The shapes of the rows in the file, which earlier versions may have written. Each row begins with the fingerprint of its shape
/// instead of a layout number.
struct RowShapes {
  static let present = SavedBeacon.rowShape.fingerprint
  /// The prefix of the names under which shapes are kept.
  private static let prefix = "shape "

  private var shapes: [UInt32: StateShape] = [:]
  /// The fingerprints of the rows that were read.
  private var used: Set<UInt32> = []

  init(_ shapes: [UInt32: StateShape] = [:]) { self.shapes = shapes }

  init(_ database: SQLConnection) throws {
    for row in try database.rows("SELECT name, value FROM meta WHERE name GLOB '\(Self.prefix)*'") {
      guard let name = row["name"].string, let layout = UInt32(name.dropFirst(Self.prefix.count)),
        let octets = row["value"].bytes
      else { continue }
      var coder = StateCoder(body: octets)
      guard let shape = try? StateShape(reading: &coder), shape.fingerprint == layout else { continue }
      shapes[layout] = shape
    }
  }

  subscript(layout: UInt32) -> StateShape? {
    mutating get {
      used.insert(layout)
      return shapes[layout]
    }
  }

  /// Keeps the present shape and those of rows that were read. Deletes the others.
  func settle(_ database: SQLConnection) throws {
    for layout in shapes.keys where layout != Self.present && !used.contains(layout) {
      try database.execute("DELETE FROM meta WHERE name = ?", .text("\(Self.prefix)\(layout)"))
    }
    guard shapes[Self.present] != SavedBeacon.rowShape else { return }
    var coder = StateCoder.body
    coder.write(SavedBeacon.rowShape)
    try database.execute(
      "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", .text("\(Self.prefix)\(Self.present)"),
      .blob(coder.written()))
  }
}
