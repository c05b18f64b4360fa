/// Who hangs in which room, and which rooms lie next to each other.
struct RoomAccess: Sendable {
  /// By room: the hearers that hang in it; empty: nobody does.
  private(set) var residents: [HearerSet] = []
  /// By room: those next to it with no wall between that nobody passes; empty without outlines.
  private(set) var neighbours: [[Int]] = []
  /// Cells of each room.
  private(set) var sizes: [Float] = []

  init() {}

  /// - Parameter rooms: of each place; −1: none.
  init(_ plan: RoomPlan, _ grid: RoomGrid?, _ rooms: [Int16]) {
    residents = plan.rooms.map { room in
      HearerSet(plan.hearers.indices.filter { room.receivers.contains(plan.hearers[$0].receiver) })
    }
    sizes = [Float](repeating: 0, count: plan.rooms.count)
    for room in rooms where room >= 0 { sizes[Int(room)] += 1 }
    guard let grid else { return }
    for (hearer, place) in plan.places.enumerated() {
      guard let place, !residents.contains(where: { $0.contains(hearer) }),
        let cell = grid.cell(at: Point(x: place.position.x, y: place.position.y), floor: place.floor),
        rooms[cell] >= 0
      else { continue }
      residents[Int(rooms[cell])].insert(hearer)
    }
    var next = [Set<Int>](repeating: [], count: plan.rooms.count)
    for cell in rooms.indices where rooms[cell] >= 0 {
      for (other, share) in [(cell + 1, grid.right[cell]), (cell + grid.stride, grid.down[cell])]
      where share > 0 && rooms[other] != rooms[cell] {
        next[Int(rooms[cell])].insert(Int(rooms[other]))
        next[Int(rooms[other])].insert(Int(rooms[cell]))
      }
    }
    neighbours = next.map { $0.sorted() }
  }
}
