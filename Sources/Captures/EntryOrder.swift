import Beacons
import Core

/// Sorts entries of a recording by time if they are up to two seconds out of order, for example because two radios were merged
/// into one file.
///
/// It holds entries younger than that, up to `limit`. A larger step back means that the clock was set, and nothing is moved
/// across it.
public struct EntryOrder: Sendable {
  /// What a capture returns at a time.
  public enum Part: Sendable {
    case advertisements(AdvertisementBatch)
    case event(CaptureDecoder.Step)
  }

  /// How far an entry is moved at most.
  public static let bound = TimeSpan.seconds(2)
  static let limit = 1 << 13
  /// Advertisements in a part that was put in order.
  private static let partLimit = 64

  /// How many entries were out of order, and were moved.
  public private(set) var moved: UInt64 = 0

  private var parts: [Part] = []
  /// Parts before this index were returned.
  private var first = 0
  /// Parts before this index stay in their order.
  private var settled = 0
  /// How many entries wait.
  private var count = 0
  private var isSorted = true
  private var latest: WallTime?

  public init() {}

  public mutating func add(_ part: Part) {
    if part.count == 0 { return }
    var late: UInt64 = 0
    var isStep = false
    part.forEachTime { time in
      if let latest, time < latest {
        late += 1
        guard latest - time > Self.bound else { return }
        isStep = true
      }
      latest = time
    }
    if isStep { sort() }
    parts.append(part)
    count += part.count
    if isStep {
      settled = parts.count
    } else if late > 0 {
      isSorted = false
      moved += late
    }
  }

  /// The next part; nil: there is none, or an earlier entry may still come.
  ///
  /// - Parameter isAtEnd: whether no more will be added.
  public mutating func next(isAtEnd: Bool) -> Part? {
    guard first < parts.count else { return nil }
    if count > Self.limit {
      sort()
      settled = parts.count
    }
    // Sorting may bring a younger entry into the first part.
    guard isAtEnd || isReady else { return nil }
    sort()
    guard isAtEnd || isReady else { return nil }
    let part = parts[first]
    count -= part.count
    first += 1
    if first == parts.count || first > Self.limit {
      parts.removeFirst(first)
      settled = max(0, settled - first)
      first = 0
    }
    return part
  }

  private var isReady: Bool {
    if first < settled { return true }
    guard let latest, let last = parts[first].last else { return false }
    return latest - last > Self.bound
  }

  /// Sorts what is not settled; entries of equal time keep their order.
  private mutating func sort() {
    guard !isSorted else { return }
    isSorted = true
    let start = max(first, settled)
    var entries: [(time: WallTime, part: Part)] = []
    for part in parts[start...] { part.forEachEntry { entries.append(($0, $1)) } }
    let order = entries.indices.sorted { (entries[$0].time, $0) < (entries[$1].time, $1) }
    parts.removeSubrange(start...)
    var batch = AdvertisementBatch()
    for index in order {
      if case .advertisements(let one) = entries[index].part {
        one.forEach { batch.append(copy $0, payload: $1) }
        if batch.count < Self.partLimit { continue }
        parts.append(.advertisements(batch))
        batch.removeAll()
        continue
      }
      if !batch.isEmpty { parts.append(.advertisements(batch)) }
      batch.removeAll()
      parts.append(entries[index].part)
    }
    if !batch.isEmpty { parts.append(.advertisements(batch)) }
  }
}

extension EntryOrder.Part {
  fileprivate var count: Int {
    if case .advertisements(let batch) = self { batch.count } else { 1 }
  }

  fileprivate var last: WallTime? {
    switch self {
    case .advertisements(let batch): batch[batch.count - 1].wallTime
    case .event(let step): step.wallTime
    }
  }

  fileprivate func forEachTime(_ body: (WallTime) -> Void) {
    switch self {
    case .advertisements(let batch): for index in 0..<batch.count { body(batch[index].wallTime) }
    case .event(let step): step.wallTime.map(body)
    }
  }

  fileprivate func forEachEntry(_ body: (WallTime, Self) -> Void) {
    switch self {
    case .advertisements(let batch):
      batch.forEach { advertisement, payload in
        var one = AdvertisementBatch()
        one.append(copy advertisement, payload: payload)
        body(advertisement.wallTime, .advertisements(one))
      }
    case .event(let step): if let time = step.wallTime { body(time, self) }
    }
  }
}

extension CaptureDecoder.Step {
  /// nil: advertisements have their own.
  fileprivate var wallTime: WallTime? {
    switch self {
    case .observation(let observation): observation.wallTime
    case .health(let change): change.wallTime
    case .report(let report): report.wallTime
    case .advertisements, .end: nil
    }
  }
}
