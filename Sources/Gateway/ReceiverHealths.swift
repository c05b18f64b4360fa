import Beacons
import Messages
import Radio

/// What is known of each receiver's health, and how much it hears.
struct ReceiverHealths: Sendable {
  private struct Entry: Sendable {
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

  mutating func heard(_ advertisement: borrowing Advertisement, by receiver: ReceiverIndex, isEmpty: Bool) {
    let index = position(of: receiver)
    entries[index].heard += 1
    if isEmpty { entries[index].empty += 1 }
    entries[index].lastHeard = advertisement.wallTime
  }

  mutating func set(_ change: ReceiverHealthChange) { entries[position(of: change.receiver)].change = change }

  mutating func set(_ counts: ReceiverCounts) { entries[position(of: counts.receiver)].counts = counts }

  /// - Parameter over: time since the last report, for rates; nil keeps those of then.
  mutating func report(_ names: ReceiverTable, over span: TimeSpan?) -> [HealthMessage.Receiver] {
    entries.indices.map { index in
      if let span, span > .zero {
        entries[index].rate = Double(entries[index].heard - entries[index].heardAtLastReport) / span.seconds
        entries[index].heardAtLastReport = entries[index].heard
      }
      let entry = entries[index]
      return HealthMessage.Receiver(
        name: names.name(of: ReceiverIndex(rawValue: UInt16(index))),
        state: (entry.change?.health ?? .ok).rawValue, isBlind: entry.change?.health.isBlind ?? false,
        reason: entry.change?.reason ?? "", advertisementsPerSecond: entry.rate, lastHeard: entry.lastHeard,
        heard: entry.heard, empty: entry.empty, lost: UInt64(clamping: entry.counts?.lost ?? 0),
        recoveries: UInt64(clamping: entry.counts?.recoveries ?? 0))
    }
  }

  private mutating func position(of receiver: ReceiverIndex) -> Int {
    let index = Int(receiver.rawValue)
    while entries.count <= index { entries.append(Entry()) }
    return index
  }
}
