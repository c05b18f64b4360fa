import Synchronization

/// Likelihoods of all places, by pause, hearer and level, made when first needed.
///
/// They follow from the rooms' model alone. So all copies of a model share one: a worker of a fleet has a copy for each partition.
final class LikelihoodTables: Sendable {
  /// What all tables together may take, numbers.
  private static let limit = 8 << 20

  private struct Tables {
    var rows: [[Float]]
    var count = 0
  }

  private let tables: Mutex<Tables>

  /// - Parameter rows: how many tables there can be.
  init(rows: Int) { tables = Mutex(Tables(rows: [[Float]](repeating: [], count: rows))) }

  /// - Parameter make: the same for each call with this row.
  func table(_ row: Int, _ make: () -> [Float]) -> [Float] {
    tables.withLock { tables in
      if !tables.rows[row].isEmpty { return tables.rows[row] }
      let table = make()
      if (tables.count + 1) * table.count > Self.limit {
        for row in tables.rows.indices { tables.rows[row] = [] }
        tables.count = 0
      }
      tables.rows[row] = table
      tables.count += 1
      return table
    }
  }
}
