import Core
import DequeModule

/// Decides which batches of observations are sent, written to disk and deleted, and when. A function of events and of the time.
///
/// While the broker acknowledges them, batches stay in memory, to spare SD cards. Once one has waited for `patience`, or at the
/// end, all go to disk, and from there to the broker. They are always sent in the order in which they were made.
package struct ObservationQueue: Sendable {
  /// Batches that are sent and not yet acknowledged.
  static let window = 64
  /// How long a batch waits in memory. A crash loses this much.
  static let patience = TimeSpan.seconds(5)
  /// The least time between two transactions.
  static let pace = TimeSpan.seconds(2)
  /// The wait after a failure.
  static let retry = TimeSpan.seconds(10)
  /// Octets in memory, while the disk fails or is slow.
  static let memoryLimit = 8 << 20
  /// Rows per read.
  static let pageSize = 256

  /// Work for the disk.
  package struct Work: Equatable, Sendable {
    package var added: [WaitingBatch] = []
    /// Rows that the broker has acknowledged.
    package var removed: [Int64] = []
    /// Rows up to this one are being sent, and must not be dropped to make room.
    package var kept: Int64 = 0
    /// Whether nothing is on disk afterwards.
    package var isLastOfAll = false

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty }
  }

  /// The rows on disk.
  package struct Extent: Sendable, Equatable {
    package var count = 0
    /// The highest number ever used.
    package var last: Int64 = 0
  }

  /// Sent, and not acknowledged; by number.
  private var underWay: [Int64: WaitingBatch] = [:]
  /// The rows of `underWay` that are also on disk.
  private var storedUnderWay: Set<Int64> = []
  /// Fetched from disk, to be sent next.
  private var page: Deque<WaitingBatch> = []
  /// The number of the last batch in `page`, or of the one before `page`.
  private var fetched: Int64 = 0
  private var onDisk: Extent
  /// Not on disk; sent once everything on disk is.
  private var memory: Deque<WaitingBatch> = []
  private var memoryOctets = 0
  /// Acknowledged, and still on disk.
  private var finished: [Int64] = []
  private var nextNumber: Int64
  private var isConnected = false
  private var lastWork: MonotonicTime?
  private var lastFetch: MonotonicTime?
  private var isWriting = false
  private var isFetching = false
  private var writeFault: String?
  private var readFault: String?
  /// Why the disk cannot be used; nil: it can.
  package var fault: String? { writeFault ?? readFault }
  /// Observations that were dropped, the oldest first, because too many waited.
  package private(set) var lost: UInt64 = 0

  /// - Parameter extent: what an earlier run left.
  package init(_ extent: Extent = Extent()) {
    onDisk = extent
    nextNumber = extent.last + 1
  }

  /// Batches that the broker does not have.
  package var count: Int {
    onDisk.count - finished.count + memory.count + underWay.count - storedUnderWay.count
  }

  package mutating func add(
    topic: String, payload: [UInt8], observations: Int, at time: MonotonicTime
  ) {
    let batch = WaitingBatch(
      number: nextNumber, topic: topic, payload: payload, observations: observations, made: time)
    nextNumber += 1
    memory.append(batch)
    memoryOctets += batch.octets
    while memoryOctets > Self.memoryLimit, let oldest = memory.popFirst() {
      memoryOctets -= oldest.octets
      lost += UInt64(oldest.observations)
    }
  }

  package mutating func connected() { isConnected = true }
  package mutating func disconnected() { isConnected = false }

  /// The next batch to send; it counts as under way. nil: there is none now, or it has to be fetched.
  package mutating func next() -> WaitingBatch? {
    guard isConnected, underWay.count < Self.window else { return nil }
    if let batch = page.popFirst() {
      underWay[batch.number] = batch
      storedUnderWay.insert(batch.number)
      return batch
    }
    guard fetched >= onDisk.last, !isWriting, let batch = memory.popFirst() else { return nil }
    memoryOctets -= batch.octets
    underWay[batch.number] = batch
    return batch
  }

  /// Returns a batch that could not be sent.
  package mutating func takeBack(_ batch: WaitingBatch) {
    underWay[batch.number] = nil
    if storedUnderWay.remove(batch.number) != nil {
      page.prepend(batch)
    } else {
      memory.prepend(batch)
      memoryOctets += batch.octets
    }
  }

  /// The row after which to fetch a page from disk; nil: none is needed now. `take(page:)` or `failed(reading:)` must follow.
  package mutating func wantsPage(at time: MonotonicTime) -> Int64? {
    guard isConnected, !isFetching, page.isEmpty, fetched < onDisk.last else { return nil }
    if readFault != nil, let lastFetch, time - lastFetch < Self.retry { return nil }
    lastFetch = time
    isFetching = true
    return fetched
  }

  /// Call it with the rows of a page; empty if the rest of the rows is gone.
  package mutating func take(page rows: [WaitingBatch]) {
    // Rows may have been dropped to make room since they were read.
    page.append(contentsOf: rows.filter { $0.number > fetched })
    fetched = max(fetched, rows.last?.number ?? onDisk.last)
    readFault = nil
    isFetching = false
  }

  package mutating func acknowledged(_ number: Int64) {
    guard underWay.removeValue(forKey: number) != nil else { return }
    if storedUnderWay.remove(number) != nil { finished.append(number) }
  }

  /// The broker refused a batch for good.
  package mutating func refused(_ number: Int64) {
    if let batch = underWay[number] { lost += UInt64(batch.observations) }
    acknowledged(number)
  }

  /// The next work for the disk; nil: none. `finished` or `failed` must follow.
  ///
  /// - Parameter isLast: whether the run ends: then everything goes to disk.
  package mutating func takeWork(at time: MonotonicTime, isLast: Bool = false) -> Work? {
    guard !isWriting else { return nil }
    let wait = writeFault == nil ? Self.pace : Self.retry
    guard isLast || lastWork.map({ time - $0 >= wait }) ?? true else { return nil }
    var work = Work()
    let oldest =
      underWay.values.filter { !storedUnderWay.contains($0.number) }.compactMap(\.made).min()
      ?? memory.first?.made
    if isLast || oldest.map({ time - $0 >= Self.patience }) ?? false {
      work.added =
        underWay.values.filter { !storedUnderWay.contains($0.number) }.sorted { $0.number < $1.number }
        + memory
    }
    work.removed = finished
    work.kept = underWay.keys.max() ?? 0
    work.isLastOfAll = work.added.isEmpty && finished.count == onDisk.count
    guard !work.isEmpty else {
      // Nothing waits in memory only.
      if count == 0 { writeFault = nil }
      return nil
    }
    lastWork = time
    isWriting = true
    return work
  }

  /// The work is done.
  ///
  /// - Parameter dropped: rows that were dropped because the file reached its limit: how many rows and observations, and the last
  ///   row.
  package mutating func done(_ work: Work, dropped: ObservationStore.Dropped) {
    isWriting = false
    writeFault = nil
    finished.removeFirst(work.removed.count)
    onDisk.count += work.added.count - work.removed.count - dropped.rows
    lost += UInt64(clamping: dropped.observations)
    page.removeAll { $0.number <= dropped.last }
    fetched = max(fetched, dropped.last)
    guard let last = work.added.last?.number else { return }
    let wasAllFetched = fetched >= onDisk.last && page.isEmpty
    for batch in work.added {
      if memory.first?.number == batch.number {
        memory.removeFirst()
        memoryOctets -= batch.octets
      } else if underWay[batch.number] != nil {
        storedUnderWay.insert(batch.number)
      } else {
        // The broker acknowledged it meanwhile.
        finished.append(batch.number)
      }
    }
    // The batches being sent are on disk now, and must not be read and sent again.
    if wasAllFetched { fetched = max(fetched, work.kept) }
    onDisk.last = last
  }

  package mutating func failed(_ work: Work, _ reason: String) {
    isWriting = false
    writeFault = reason
  }

  package mutating func failed(reading reason: String) {
    readFault = reason
    isFetching = false
  }
}

/// A batch of observations that the broker does not have yet.
package struct WaitingBatch: Hashable, Sendable {
  /// Counts all batches from 1 on, through restarts. Batches are sent in this order.
  package var number: Int64
  package var topic: String
  package var payload: [UInt8]
  package var observations: Int
  /// When it was made, on the monotonic clock; nil: before the last boot.
  package var made: MonotonicTime?

  /// Its approximate size in memory or on disk.
  var octets: Int { payload.count + topic.utf8.count + 40 }
}
