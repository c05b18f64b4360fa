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

/// Where a beacon probably is that turns up: in a room of one of those that hear it, or in one of which nobody could say so. That
/// somebody does not hear a beacon counts only here. It never drives one out of its room, for a receiver may fall silent.
struct Appearance: Sendable {
  /// A probability for each place.
  private(set) var prior: [Float]
  private var hearers = HearerSet()
  private var blind = HearerSet()
  private var isUniform = true

  /// Of beacons that turn up anywhere.
  private static let elsewhere: Float = 0.01

  init(_ model: RoomModel) { prior = model.prior }

  /// - Parameters:
  ///   - hearers: who hears the beacon.
  ///   - blind: who sees nothing.
  mutating func update(_ model: RoomModel, hearers: HearerSet, blind: HearerSet) {
    guard isUniform || hearers != self.hearers || blind != self.blind else { return }
    (self.hearers, self.blind, isUniform) = (hearers, blind, false)
    let access = model.access
    var (likely, all) = (Float(0), Float(0))
    for room in access.sizes.indices {
      all += access.sizes[room]
      if isLikely(room, access) { likely += access.sizes[room] }
    }
    let rest = Self.elsewhere / max(all, 1)
    let share = likely > 0 ? (1 - Self.elsewhere) / likely : 0
    for run in model.runs {
      let density = likely > 0 ? rest + (isLikely(run.room, access) ? share : 0) : 1 / max(all, 1)
      for place in run.places { prior[place] = density }
    }
  }

  private func isLikely(_ room: Int, _ access: RoomAccess) -> Bool {
    let residents = access.residents[room]
    return residents.isSubset(of: blind) || !residents.intersection(hearers).isEmpty
  }
}
