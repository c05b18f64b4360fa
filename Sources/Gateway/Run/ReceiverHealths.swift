import Beacons
import Contract
import Core
import Pipeline
import Radio

/// The health of each receiver, and how much it receives.
struct ReceiverHealths: Sendable {
  private struct Entry: Sendable {
    /// Whether it has reported anything.
    var isKnown = false
    var change: ReceiverHealthChange?
    var heard: UInt64 = 0
    var heardAtLastReport: UInt64 = 0
    var rate = 0.0
    var lastHeard: WallTime?
    var empty: UInt64 = 0
    var counts: ReceiverCounts?
  }

  /// By `ReceiverIndex`.
  private var entries: [Entry] = []
  /// Receivers that were reported as missing.
  private var missing: Set<Int> = []
  /// Whether one of them has reported since.
  private(set) var isMissingNoMore = false

  mutating func heard(_ advertisement: borrowing Advertisement, by receiver: ReceiverIndex, isEmpty: Bool) {
    let index = position(of: receiver)
    entries[index].heard += 1
    if isEmpty { entries[index].empty += 1 }
    entries[index].lastHeard = advertisement.wallTime
  }

  /// - Parameter time: when a scanner heard a beacon.
  mutating func heard(_ receiver: ReceiverIndex, at time: WallTime) {
    let index = position(of: receiver)
    entries[index].heard += 1
    entries[index].lastHeard = max(entries[index].lastHeard ?? time, time)
  }

  /// The clock was set.
  mutating func correct(_ step: ClockStep) {
    for index in entries.indices {
      entries[index].lastHeard = entries[index].lastHeard.map { step.corrected($0) }
      entries[index].change.map { entries[index].change?.wallTime = step.corrected($0.wallTime) }
    }
  }

  /// Its index belongs to another receiver now.
  mutating func forget(_ receiver: ReceiverIndex) {
    if Int(receiver.rawValue) < entries.count { entries[Int(receiver.rawValue)] = Entry() }
  }

  mutating func set(_ change: ReceiverHealthChange) { entries[position(of: change.receiver)].change = change }

  mutating func set(_ counts: ReceiverCounts) { entries[position(of: counts.receiver)].counts = counts }

  /// - Parameters:
  ///   - expected: the configured receivers.
  ///   - isMissed: whether receivers that have never reported are to be reported as missing.
  ///   - gains: how many dB more than expected receivers hear, where that was learned.
  ///   - span: time since the last report, for rates; nil keeps the previous rates.
  mutating func report(
    _ names: ReceiverTable, expected: [ReceiverIndex: ReceiverExpectation], isMissed: Bool,
    gains: [ReceiverIndex: Double] = [:], over span: TimeSpan?
  ) -> [HealthMessage.Receiver] {
    missing.removeAll()
    isMissingNoMore = false
    return names.indices.compactMap { receiver in
      let index = Int(receiver.rawValue)
      let name = names.name(of: receiver)
      let expectation = expected[receiver]
      guard index < entries.count, entries[index].isKnown else {
        guard let expectation, isMissed else { return nil }
        missing.insert(index)
        return HealthMessage.Receiver(
          name: name, state: "missing", isBlind: true, isRequired: expectation == .configured,
          reason: expectation.reason, advertisementsPerSecond: 0, lastHeard: nil)
      }
      if let span, span > .zero {
        entries[index].rate = Double(entries[index].heard - entries[index].heardAtLastReport) / span.seconds
        entries[index].heardAtLastReport = entries[index].heard
      }
      let entry = entries[index]
      return HealthMessage.Receiver(
        name: name, state: (entry.change?.health ?? .ok).rawValue,
        isBlind: entry.change?.health.isBlind ?? false, isRequired: expectation == .configured,
        reason: entry.change?.reason ?? "", advertisementsPerSecond: entry.rate, lastHeard: entry.lastHeard,
        heard: entry.heard, empty: entry.empty, lost: UInt64(clamping: entry.counts?.lost ?? 0),
        recoveries: UInt64(clamping: entry.counts?.recoveries ?? 0), gain: gains[receiver])
    }
  }

  private mutating func position(of receiver: ReceiverIndex) -> Int {
    let index = Int(receiver.rawValue)
    while entries.count <= index { entries.append(Entry()) }
    if !entries[index].isKnown {
      entries[index].isKnown = true
      if missing.contains(index) { isMissingNoMore = true }
    }
    return index
  }
}

extension ReceiverExpectation {
  fileprivate var reason: String {
    switch self {
    case .configured:
      "configured, but never heard from: is it plugged in, is the name right, and does its broker run?"
    case .earlier: "an earlier run used it, but it has not been heard from since the start"
    }
  }
}

/// For people: how receivers differ, such as `kitchen +4 dB` and `hall −3 dB`, for those with a gain of at least 1 dB.
package func gainWords(_ gains: [(receiver: String, decibels: Double)]) -> [String] {
  gains.filter { abs($0.decibels) >= 1 }.map { gain in
    "\(gain.receiver) \(gain.decibels < 0 ? "−" : "+")\(decimal(abs(gain.decibels), decimals: 0)) dB"
      .printable
  }
}
