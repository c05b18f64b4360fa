import Settings
import Beacons
import WakePlanner

/// What `wake:` makes the gateway do: the plan, then each region.
func items(_ wake: WakeSettings) -> [Explanation.Item] {
  let period = Measure(.time, Double(wake.plan.period) / 1000)
  let place = wake.adapter ?? "the first adapter that is found"
  let plan = Explanation.Item(
    name: "plan",
    sentences: [
      wake.audience.map { "For \($0)." } ?? "As written in the configuration.",
      "Repeats every \(period), "
        + (wake.plan.mostAtOnce > 1
          ? "up to \(wake.plan.mostAtOnce) regions on air at once." : "one region on air at a time."),
    ])
  let regions = zip(wake.regions.minors, 0..<wake.plan.regions).map { minor, region in
    let turns = wake.plan.broadcasts.filter { $0.region == region }.map {
      "at \(Measure(.time, Double($0.start) / 1000)) for \(Measure(.time, Double($0.duration) / 1000))"
    }
    // Plans can be long.
    let told = turns.count > 6 ? Array(turns.prefix(5)) + ["\(turns.count - 5) times more"] : turns
    return Explanation.Item(
      name: "region \(region + 1)",
      sentences: [
        "Broadcast as iBeacon \(uuidText(wake.regions.uuid).uppercased()), major \(wake.regions.major), minor \(minor), by \(place).",
        "On air \(told.joined(separator: ", ")).",
      ])
  }
  return [plan] + regions
}
