import Beacons
import Configuration
import Contract
import Core
import Fleet
import Logging
import Synchronization

/// Retained messages at the broker for results about beacons that nobody has heard since their partition began anew: after a
/// change of configuration, or after an upgrade. They place the beacon in a room, but no partition knows of it.
///
/// One search serves all partitions of a worker, because the broker must send everything for it.
final class FuseLeftovers: Sendable {
  /// The messages to correct.
  struct Findings {
    /// Topics of beacons that the configuration does not know.
    var removals: [Message] = []
    /// By partition: beacons that retained messages place somewhere.
    var corrections: [Int: [Leftovers.Correction]] = [:]
    /// The partitions for which the search was made.
    var partitions: Set<Int>
  }

  private struct State {
    /// nil: no search is running.
    var partitions: Set<Int>?
    /// When the last message came.
    var news = MonotonicTime(nanoseconds: .min)
    var corrections: [String: (partition: Int, correction: Leftovers.Correction)] = [:]
    var removals: [String: Message] = [:]
  }

  private let leftovers: Leftovers
  private let beacons: [String: BeaconPattern]
  private let partitions: Int
  private let state = Mutex(State())

  init(_ configuration: Configuration, partitions: Int) {
    leftovers = Leftovers(configuration)
    beacons = Dictionary(configuration.beacons.map { ($0.name, $0.pattern) }) { first, _ in first }
    self.partitions = partitions
  }

  /// The filters to subscribe to.
  var filters: [String] { leftovers.claims }

  var isLooking: Bool { state.withLock { $0.partitions != nil } }

  func begin(for partitions: Set<Int>, at time: MonotonicTime) {
    state.withLock { state in
      state = State()
      state.partitions = partitions
      state.news = time
    }
  }

  /// Processes a message from the broker.
  func take(_ payload: [UInt8], topic: String, isRetained: Bool, at time: MonotonicTime) {
    // A message that is not retained is an echo of our own.
    guard isRetained, !payload.isEmpty, isLooking else { return }
    let removal = leftovers.removal(of: topic)
    let correction = leftovers.correction(of: topic, payload)
    let owner = correction.flatMap { partition(of: $0.beacon) }
    state.withLock { state in
      state.news = time
      if let removal { state.removals[topic] = removal }
      if let owner, let correction, state.partitions?.contains(owner) == true {
        state.corrections[topic] = (owner, correction)
      }
    }
  }

  /// Messages for beacons that were heard, where the broker's retained ones differ.
  ///
  /// - Parameter now: the messages that should be retained.
  func news(of corrections: [Leftovers.Correction], now: [Message]) -> [Message] {
    let states = Dictionary(now.map { ($0.topic, $0) }) { first, _ in first }
    return corrections.compactMap { correction in
      guard let claim = correction.claim else { return nil }
      guard let now = states[correction.message.topic] else { return correction.message }
      return leftovers.correction(of: now.topic, now.payload)?.claim == claim ? nil : now
    }
  }

  /// nil while more messages may come.
  func end(at time: MonotonicTime, silence: TimeSpan) -> Findings? {
    state.withLock { state in
      guard let partitions = state.partitions, time - state.news >= silence else { return nil }
      var findings = Findings(
        removals: state.removals.values.sorted { $0.topic < $1.topic }, partitions: partitions)
      for (_, found) in state.corrections.sorted(by: { $0.key < $1.key }) {
        findings.corrections[found.partition, default: []].append(found.correction)
      }
      state = State()
      return findings
    }
  }

  /// nil if the name does not determine it: a beacon known by its URL.
  func partition(of beacon: String) -> Int? {
    guard let key = key(of: beacon) else { return nil }
    return ObservationsMessage.partition(of: key, among: partitions)
  }

  private func key(of beacon: String) -> String? {
    if let pattern = beacons[beacon] { return BeaconEntry(name: beacon, pattern: pattern).key }
    var end = beacon.endIndex
    while let colon = beacon[..<end].lastIndex(of: ":") {
      if let member = beacons[String(beacon[..<colon])]?.member(String(beacon[beacon.index(after: colon)...]))
      {
        return BeaconEntry(name: beacon, pattern: member).key
      }
      end = colon
    }
    return nil
  }
}

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
    // These messages belong to no partition, so the first one publishes them.
    if let first = holdings.keys.min() {
      for message in findings.removals { holdings[first]?.output.add(message) }
    }
    var count = 0
    for number in findings.partitions.sorted() {
      guard let holding = holdings[number] else { continue }
      // A place may still list members that were not heard since; their own topics do not show that.
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
