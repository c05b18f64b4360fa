extension RoomPlan {
  /// How finely places are told apart: the edge of a cell, metres, and the rooms that have no cell of their own. A beacon is
  /// never told to be in one of those.
  public var cells: (edge: Double, without: [RoomIndex]) {
    let grid = RoomGrid(self)
    let known = Set(grid.rooms)
    let without = rooms.indices.filter { !known.contains(Int16($0)) }
    return (grid.edge, without.map { RoomIndex(rawValue: Int32($0)) })
  }

  /// The edge of a cell on a small site, metres.
  public static let finestCell = RoomGrid.finest
}
