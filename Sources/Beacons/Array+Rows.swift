extension Array {
  /// From so many rows on a table is large.
  @usableFromInline static var manyRows: Int { 4096 }

  /// Appends a row to a table that has one for each beacon. A large one that is full gets 32 times its room: pages that
  /// nobody touches take no memory, whereas a table that moves to twice its room has to touch all of them anew, and often.
  @inlinable package mutating func appendRow(_ row: Element) {
    if count == capacity, count >= Self.manyRows { reserveCapacity(32 * count) }
    append(row)
  }
}
