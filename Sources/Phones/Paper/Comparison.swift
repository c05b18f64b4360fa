/// The strategies of one system, best first: how much each delivers, and its cost.
public struct Comparison: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var tally: Tally
    /// Whether it is on the Pareto front: no other strategy of the same system delivers at least as much for at most the same
    /// battery and is better in one of the two. A strategy that delivers nothing is never on the front.
    public var isOnFront: Bool
  }

  /// The systems with this same result.
  public var systems: [OSProfile]
  /// By the mean share over phones, largest first; then by late deliveries, fewest first; then by battery, smallest first.
  public var entries: [Entry]

  /// One comparison per system, in the given order. Systems with equal results are joined.
  public static func ranking(_ tallies: [Tally]) -> [Comparison] {
    var groups: [(system: OSProfile, tallies: [Tally])] = []
    for tally in tallies where tally.phone == nil {
      if let place = groups.firstIndex(where: { $0.system == tally.profile.os }) {
        groups[place].tallies.append(tally)
      } else {
        groups.append((tally.profile.os, [tally]))
      }
    }
    var rankings: [Comparison] = []
    for group in groups {
      let comparison = Comparison(group.system, group.tallies)
      if let same = rankings.firstIndex(where: { $0.isAlike(comparison) }) {
        rankings[same].systems.append(group.system)
      } else {
        rankings.append(comparison)
      }
    }
    return rankings
  }

  init(_ system: OSProfile, _ tallies: [Tally]) {
    systems = [system]
    let ranked = tallies.enumerated().sorted { first, second in
      let (a, b) = (first.element, second.element)
      if a.meanShare != b.meanShare { return (a.meanShare ?? -1) > (b.meanShare ?? -1) }
      if a.late != b.late { return a.late < b.late }
      if a.batteryFactor != b.batteryFactor { return a.batteryFactor < b.batteryFactor }
      return first.offset < second.offset
    }.map(\.element)
    entries = ranked.map { tally in
      Entry(tally: tally, isOnFront: (tally.meanShare ?? 0) > 0 && !ranked.contains { $0.beats(tally) })
    }
  }

  private func isAlike(_ other: Comparison) -> Bool {
    entries.count == other.entries.count
      && zip(entries, other.entries).allSatisfy { $0.tally.comesToTheSame(as: $1.tally) }
  }
}

extension Tally {
  fileprivate func beats(_ other: Tally) -> Bool {
    guard let share = meanShare, let theirs = other.meanShare else { return false }
    let (cost, theirCost) = (batteryFactor, other.batteryFactor)
    return share >= theirs && cost <= theirCost && (share > theirs || cost < theirCost)
  }

  fileprivate func comesToTheSame(as other: Tally) -> Bool {
    profile.strategy == other.profile.strategy && delivered == other.delivered && late == other.late
      && missed == other.missed && batteryFactor == other.batteryFactor && ranging == other.ranging
      && worstLateness == other.worstLateness && spread == other.spread
  }
}
