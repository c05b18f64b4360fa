import Beacons
import WakePlanner

/// What `wake:` will make the gateway do: an item for each region.
func items(_ wake: WakeSettings) -> [Explanation.Item] {
  let period = Quantity(.time, Double(wake.plan.period) / 1000)
  let place = wake.adapter ?? "the first adapter that is found"
  return zip(wake.regions.minors, 0..<wake.plan.regions).map { minor, region in
    let turns = wake.plan.broadcasts.filter { $0.region == region }.map {
      "at \(Quantity(.time, Double($0.start) / 1000)) for \(Quantity(.time, Double($0.duration) / 1000))"
    }
    // Plans can be long.
    let told = turns.count > 6 ? Array(turns.prefix(5)) + ["\(turns.count - 5) times more"] : turns
    return Explanation.Item(
      name: "region \(region + 1)",
      sentences: [
        "Broadcast as iBeacon \(uuidText(wake.regions.uuid)), major \(wake.regions.major), minor \(minor), by \(place).",
        "In every \(period): \(told.joined(separator: ", ")).",
      ])
  }
}
