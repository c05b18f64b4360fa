import Captures
import Configuration
import Gateway
import Phones
import Pipeline

/// Adds every approach of a recording to an account.
struct RecordedApproaches {
  let configuration: Configuration
  let captures: [String]
  /// Names of beacons; empty: those that phones carry, otherwise all.
  let beacons: [String]
  /// nil: the zones decide.
  let near: NearDistances?
  let since: Since

  func follow(into account: inout SimulationAccount) throws {
    let carried = Set(configuration.phones.map(\.beacon))
    let wanted = beacons.isEmpty ? (carried.isEmpty ? nil : carried) : Set(beacons)
    var finder = try reading { () throws(CaptureError) in
      try ApproachFinder(configuration, captures: captures, beacons: wanted)
    }
    var progress = ProgressLine()
    var found: [RecordedApproach] = []
    var fault: CaptureError?
    while true {
      do throws(CaptureError) {
        guard try finder.next(into: &found) else { break }
      } catch {
        fault = error
        break
      }
      for approach in found { add(approach, to: &account) }
      let (offset, length) = finder.progress
      progress.show(
        offset: offset, length: length, count: finder.counts.advertisements, unit: "advertisements")
    }
    finder.finish(into: &found)
    for approach in found { add(approach, to: &account) }
    progress.finish()
    let damage = finder.malformedEvents > 0 ? ", \(finder.malformedEvents) malformed reports" : ""
    let many = finder.passedOver > 0 ? ", \(finder.passedOver) sightings of too many beacons at once" : ""
    say(
      "\(finder.counts.advertisements) advertisements, \(finder.counts.sightings) of known beacons, "
        + "\(account.approaches) \(account.approaches == 1 ? "approach" : "approaches")\(many)\(damage)")
    if let fault { throw failure(fault) }
  }

  private func add(_ recorded: RecordedApproach, to account: inout SimulationAccount) {
    if let near { return add([recorded.measured(near: near)], recorded, to: &account) }
    add(recorded.decided(), recorded, to: &account)
  }

  private func add(
    _ approaches: [Approach], _ recorded: RecordedApproach, to account: inout SimulationAccount
  ) {
    let approaches = approaches.map(begun)
    for approach in approaches { account.add(approach) }
    for phone in configuration.phones where recorded.names.contains(phone.beacon) {
      guard near == nil else {
        for approach in approaches { account.add(approach, of: phone.name) }
        continue
      }
      let rearm = Dictionary(phone.triggers.map { ($0.zone, $0.near.rearm) }, uniquingKeysWith: { $1 })
      for approach in recorded.decided(only: Set(phone.triggers.map(\.zone)), rearm: rearm) {
        account.add(begun(approach), of: phone.name)
      }
    }
  }

  /// The recording does not know when the app went to the background.
  private func begun(_ approach: Approach) -> Approach {
    var approach = approach
    approach.timeline.since = since
    return approach
  }
}
