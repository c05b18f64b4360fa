import Beacons
import Contract
import Core
import Fleet
import Logging
import Mosquitto

/// After a partition began anew, corrects its retained messages.
extension FuseWorker {
  /// How long a partition processes observations first, so that beacons that are present are heard.
  private static let listening = TimeSpan.seconds(30)
  /// One search serves all partitions, so the first one waits for the others, but not longer than this.
  private static let patience = TimeSpan.seconds(120)
  /// A partition that began anew within this time is searched again by its next worker, because the previous one may not have
  /// done so.
  private static let youth = TimeSpan.seconds(600)
  /// After this long without a message, all retained ones have come.
  private static let silence = TimeSpan.seconds(3)
  private static let longestLag = TimeSpan.seconds(5)

  /// How long a partition has been running, in the time of its queue.
  private func age(_ partition: FleetPartition) -> TimeSpan {
    let began = Int64(clamping: partition.epoch) * 1_000_000
    return partition.time.map { TimeSpan(nanoseconds: $0.nanoseconds - began) } ?? .zero
  }

  func isYoung(_ partition: FleetPartition) -> Bool { age(partition) < Self.youth }

  /// Call it about every second.
  func tidy(at now: MonotonicTime) {
    if leftovers.isLooking {
      guard let findings = leftovers.end(at: now, silence: Self.silence) else { return }
      health.unsubscribe(from: leftovers.filters)
      correct(findings)
      return
    }
    let wallNow = LiveClock.wallNow.nanoseconds
    let ready = holdings.filter { _, holding in
      guard holding.isUntidy, holding.isProven, let time = holding.partition.time else { return false }
      return age(holding.partition) >= Self.listening
        && wallNow - time.nanoseconds < Self.longestLag.nanoseconds
    }
    if ready.isEmpty { return }
    let since = untidySince ?? now
    untidySince = since
    guard ready.count == holdings.values.count(where: \.isUntidy) || now - since >= Self.patience else {
      return
    }
    untidySince = nil
    leftovers.begin(for: Set(ready.keys), at: now)
    guard health.subscribe(to: leftovers.filters) else {
      _ = leftovers.end(at: now, silence: .zero)
      return
    }
    for number in ready.keys { holdings[number]?.isUntidy = false }
  }

  private func correct(_ findings: FuseLeftovers.Findings) {
    // It belongs to no partition, so the first one publishes it.
    if let first = holdings.keys.min() {
      for message in findings.removals { holdings[first]?.output.add(message) }
    }
    var count = 0
    for number in findings.partitions.sorted() {
      guard let holding = holdings[number] else { continue }
      // Members of a place that nobody has heard since are in no beacon's own topics.
      for message in holding.partition.placeStates { holding.output.add(message) }
      let corrections = findings.corrections[number] ?? []
      let known = holding.partition.known(among: Set(corrections.map(\.beacon)))
      let unheard = corrections.filter { !known.contains($0.beacon) }.map(\.message)
      // Some of the beacons that were heard may not be in a room any more.
      let elsewhere = leftovers.news(
        of: corrections.filter { known.contains($0.beacon) }, now: holding.partition.states(of: known))
      for message in unheard + elsewhere { holding.output.add(message) }
      count += unheard.count + elsewhere.count
    }
    if count + findings.removals.count > 0 {
      logger.notice(
        "\(count) retained states of beacons that are elsewhere, or were not heard again, are put right, and \(findings.removals.count) topics of beacons that are not configured are cleared"
      )
    }
  }
}
