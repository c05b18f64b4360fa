/// The probability of each place for a beacon that has just appeared: it is probably in a room with a receiver that hears it, or in a room without a working
/// receiver. Only here does a receiver that does not hear the beacon count as evidence. It never moves a beacon out of its room,
/// because a receiver may fail. Without outlines, a beacon cannot appear in a blind room.
struct Appearance: Sendable {
  /// A probability for each place.
  private(set) var prior: [Float]
  private var hearers = HearerSet()
  private var blind = HearerSet()
  private var elsewhere = HearerSet()
  private var isUniform = true

  /// Share of the probability that is spread over all rooms.
  private static let anywhere: Float = 0.01

  init(_ model: RoomModel) { prior = model.prior }

  /// - Parameters:
  ///   - hearers: receivers that hear the beacon.
  ///   - blind: receivers that are blind.
  ///   - elsewhere: receivers that were moved since the plan was made.
  mutating func update(_ model: RoomModel, hearers: HearerSet, blind: HearerSet, elsewhere: HearerSet) {
    guard isUniform || hearers != self.hearers || blind != self.blind || elsewhere != self.elsewhere else {
      return
    }
    (self.hearers, self.blind, self.elsewhere, isUniform) = (hearers, blind, elsewhere, false)
    let access = model.access
    var (likely, all) = (Float(0), Float(0))
    for room in access.sizes.indices {
      all += access.sizes[room]
      if isLikely(room, model) { likely += access.sizes[room] }
    }
    let rest = Self.anywhere / max(all, 1)
    let share = likely > 0 ? (1 - Self.anywhere) / likely : 0
    for run in model.runs {
      let density = likely > 0 ? rest + (isLikely(run.room, model) ? share : 0) : 1 / max(all, 1)
      for place in run.places { prior[place] = density }
    }
  }

  private func isLikely(_ room: Int, _ model: RoomModel) -> Bool {
    let residents = model.access.residents[room].subtracting(elsewhere)
    let seeing = residents.subtracting(blind)
    return seeing.isEmpty ? model.grid != nil || residents.isEmpty : !seeing.intersection(hearers).isEmpty
  }
}
