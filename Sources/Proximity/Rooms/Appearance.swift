/// Where a beacon probably is that turns up: in a room of one of those that hear it, or in one of which nobody could say so. That
/// somebody does not hear a beacon counts only here. It never drives one out of its room, for a receiver may fall silent. Where
/// rooms are just names, nothing speaks for a room that is blind, so nobody turns up there.
struct Appearance: Sendable {
  /// A probability for each place.
  private(set) var prior: [Float]
  private var hearers = HearerSet()
  private var blind = HearerSet()
  private var elsewhere = HearerSet()
  private var isUniform = true

  /// Of beacons that turn up anywhere.
  private static let anywhere: Float = 0.01

  init(_ model: RoomModel) { prior = model.prior }

  /// - Parameters:
  ///   - hearers: who hears the beacon.
  ///   - blind: who sees nothing.
  ///   - elsewhere: who does not hang any more where the plan says.
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
