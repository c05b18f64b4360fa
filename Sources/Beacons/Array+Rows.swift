extension Array {
  /// From so many rows on a table is large.
  @usableFromInline static var manyRows: Int { 1 << 14 }
  /// As many as a site's beacons are at most, and some.
  @usableFromInline static var roomOfMany: Int { 1 << 17 }

  /// Appends a row to a table that has one for each beacon, or for what belongs to one. A large table that is full gets all the
  /// room that it may need at once: it is not touched before rows are in it, whereas a table that moves to twice its room touches
  /// all of that anew, and often. Small ones, and those beyond, grow as any array does.
  @inlinable package mutating func appendRow(_ row: Element) {
    if count == capacity, (Self.manyRows..<Self.roomOfMany).contains(count) {
      reserveCapacity(Self.roomOfMany)
    }
    append(row)
  }
}
