import Configuration
import Contract
import Core
import Dispatch
import Logging
import Outbox
import ServiceLifecycle
import Synchronization
import Web

/// Keeps for weeks what happened: transitions, events, verdicts, blind receivers, restarts, changes of the configuration. It has
/// nothing about strangers, because only configured beacons have transitions.
///
/// To spare SD cards, entries are gathered for `patience` before they are written. A power cut loses these, and no transition
/// for the broker. No decision waits for this disk: it has a thread of its own.
package final class Diary: Feature {
  /// How long the first entry waits for others.
  private static let patience = TimeSpan.seconds(120)
  /// If this many entries wait, they are written at once.
  private static let batch = 64
  /// The time between two checks for things to forget, and between two attempts to use a disk that fails.
  private static let tending = TimeSpan.seconds(60)
  /// The time between two deletions of old entries.
  private static let trimming = TimeSpan.seconds(3600)
  /// Maximum number of entries in memory while the disk fails.
  private static let limit = 4_096
  /// How long a reader waits for the disk, and how long the start of the gateway does.
  private static let readPatience = TimeSpan.seconds(10)
  private static let startPatience = TimeSpan.seconds(2)
  /// How far back the start looks for what was not written when it happened.
  private static let madeUp = TimeSpan.seconds(7 * 86_400)
  /// How long the disk may take at the end.
  private static let endPatience = TimeSpan.seconds(1)

  private struct State {
    /// nil: it is off.
    var settings: DiarySettings?
    var configuration: Configuration
    /// Entries that are not on disk yet, the oldest first.
    var pending: [DiaryEntry] = []
    /// How many entries there were before them.
    var before = 0
    /// Since when the first of them waits.
    var since: MonotonicTime?
    /// Whether the receivers are blind, by name.
    var blind: [String: Bool] = [:]
    /// Why the disk cannot be used; nil: it can.
    var fault: String?
    /// When old entries were last deleted.
    var trimmed: MonotonicTime?
  }

  private let state: Mutex<State>
  private let gateway: String
  /// nil: it is kept in memory.
  private let directory: StateDirectory?
  private let logger: Logger
  /// The file is opened when it is first needed.
  private let disk: BlockingThread<Shelf>
  private let alarm = Alarm()
  /// Called with the names that were forgotten.
  private let onForgotten = Mutex<(@Sendable (Set<String>) -> Void)?>(nil)

  /// The open file. Only its thread uses it.
  private final class Shelf {
    var store: DiaryStore?
  }

  /// The members of zones and rooms at the start, from the outbox; and the transitions of this run that
  /// concern them.
  private let present: [OccupancyMessage]
  private let told: [TransitionMessage]

  package init(
    _ configuration: Configuration, _ directory: StateDirectory?, present: [OccupancyMessage] = [],
    told: [TransitionMessage] = [], _ logger: Logger
  ) throws(SystemError) {
    (self.present, self.told) = (present, told)
    state = Mutex(State(settings: configuration.diary, configuration: configuration))
    gateway = configuration.gatewayName
    self.directory = directory
    self.logger = logger
    disk = try BlockingThread(owning: Shelf())
  }

  func whenForgotten(_ body: @escaping @Sendable (Set<String>) -> Void) { onForgotten.withLock { $0 = body } }

  // MARK: What happens

  package func note(_ entry: @autoclosure () -> DiaryEntry) {
    guard isOn else { return }
    let entry = entry()
    let isFull = state.withLock { state in
      if state.pending.isEmpty { state.since = LiveClock.now }
      state.pending.append(entry)
      if state.pending.count > Self.limit {
        state.pending.removeFirst()
        state.before += 1
      }
      return state.pending.count == Self.batch
    }
    if isFull { alarm.ring() }
  }

  /// Transitions that got other numbers before they were published get them here, too, so that the page shows the same numbers
  /// after a restart.
  func renumber(_ new: [RecentDecisions.Number: RecentDecisions.Number]) {
    state.withLock { state in
      for index in state.pending.indices {
        guard var message = state.pending[index].transition, let number = new[RecentDecisions.Number(message)]
        else { continue }
        (message.epoch, message.sequence) = (number.epoch, number.sequence)
        state.pending[index].transition = message
      }
    }
  }

  /// Records a receiver's health if it says something new.
  func note(receiver: String, isBlind: Bool, reason: String, at time: WallTime) {
    let was = state.withLock { state in
      defer { state.blind[receiver] = isBlind }
      return state.blind[receiver]
    }
    // A receiver that hears from the start on is no event.
    guard isBlind != (was ?? false) else { return }
    note(
      DiaryEntry(
        time: time, kind: .receiver, thing: receiver, word: isBlind ? "blind" : "hears",
        detail: isBlind ? reason : ""))
  }

  /// The clock was set: entries of this run get the right time if theirs was wrong.
  func correct(_ step: ClockStep) {
    state.withLock { state in
      for index in state.pending.indices {
        state.pending[index].time = step.corrected(state.pending[index].time)
      }
    }
    // A batch that is being written now is on disk when this runs, with its old times. The entries corrected
    // above are not.
    disk.perform { [self] shelf in
      do { try store(shelf)?.correct(step) } catch { tell(error) }
    }
  }

  func configure(_ new: Configuration) {
    let changes = state.withLock { state in
      defer { (state.settings, state.configuration) = (new.diary, new) }
      return changedWords(from: state.configuration, to: new)
    }
    note(DiaryEntry(time: LiveClock.wallNow, kind: .gateway, word: "changed", detail: changes))
  }

  // MARK: Writing

  package func run() async throws {
    let start = DiaryEntry(time: LiveClock.wallNow, kind: .gateway, word: "start", detail: version)
    await perform { self.makeUp($0, since: start.time) }
    note(start)
    // At once: until it is on disk, nobody sees that no gateway ran before it.
    state.withLock { $0.since = LiveClock.now - Self.patience }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.alarm.wait(for: self.pause)
        await self.perform { self.tend($0) }
      }
    }
    note(DiaryEntry(time: LiveClock.wallNow, kind: .gateway, word: "stop"))
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.perform { self.close($0) } }
      group.addTask { try? await Task.sleep(for: .nanoseconds(Self.endPatience.nanoseconds)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Until there is something to do.
  private var pause: Duration {
    let until = state.withLock { state in
      state.fault == nil ? state.since.map { $0 + Self.patience - LiveClock.now } : nil
    }
    return .nanoseconds(max(.zero, min(until ?? Self.tending, Self.tending)).nanoseconds)
  }

  /// Waits for the disk's thread, at most until the task is cancelled.
  private func perform(_ job: @escaping @Sendable (Shelf) -> Void) async {
    let done = Alarm()
    disk.perform { shelf in
      job(shelf)
      done.ring()
    }
    await done.wait()
  }

  /// The open file; nil: it is off, or cannot be opened.
  private func store(_ shelf: Shelf) -> DiaryStore? {
    if let store = shelf.store { return store }
    guard state.withLock({ $0.settings != nil }) else { return nil }
    do {
      if let directory {
        let opened = try DiaryStore.open(gateway: gateway, directory: directory)
        if let notice = opened.notice { logger.warning("\(notice); starting a new one") }
        shelf.store = opened.store
      } else {
        shelf.store = try DiaryStore(path: nil)
      }
    } catch { tell(error) }
    return shelf.store
  }

  private func tend(_ shelf: Shelf, isLast: Bool = false) {
    guard let store = store(shelf) else { return }
    // If one of these steps fails, the others can still make room.
    var failure: (any Error)?
    func attempt(_ body: () throws -> Void) { do { try body() } catch { failure = error } }
    attempt { try forget(store) }
    let (entries, end, settings, isTrimming) = state.withLock { state in
      let now = LiveClock.now
      let isTrimming = state.trimmed.map { now - $0 >= Self.trimming } ?? true
      let isDue =
        isLast || state.pending.count >= Self.batch || state.since.map { now - $0 >= Self.patience } ?? false
      return (
        isDue ? state.pending : [], state.before + state.pending.count, state.settings, isTrimming
      )
    }
    if isTrimming, let settings {
      attempt {
        try store.trim(
          before: LiveClock.wallNow - .seconds(Double(settings.days) * 86_400), size: settings.size)
        state.withLock { $0.trimmed = LiveClock.now }
      }
    }
    if !entries.isEmpty {
      attempt {
        try store.add(entries)
        state.withLock { state in
          // While the disk was busy, the oldest may have been dropped.
          let written = max(0, end - state.before)
          state.pending.removeFirst(min(written, state.pending.count))
          state.before += written
          state.since = state.pending.isEmpty ? nil : LiveClock.now
        }
      }
    }
    if let failure { return failed(failure, shelf) }
    let wasFailing = state.withLock { state in
      defer { state.fault = nil }
      return state.fault != nil
    }
    if wasFailing { logger.notice("the diary is written again") }
  }

  /// Waiting entries go to a new file if this one is damaged or gone.
  private func failed(_ failure: any Error, _ shelf: Shelf) {
    if failure is DiaryRemoved {
      shelf.store?.close()
      shelf.store = nil
      logger.warning("the diary was removed or replaced; starting a new one")
      return
    }
    guard let directory, DiaryStore.isDamage(failure) else { return tell(failure) }
    shelf.store?.close()
    shelf.store = nil
    logger.warning("\(DiaryStore.setAside(gateway: gateway, directory: directory)); starting a new one")
  }

  /// Deletes in memory what another process has deleted on disk.
  private func forget(_ store: DiaryStore) throws {
    let forgotten = try store.forgotten()
    guard !forgotten.until.isEmpty else { return }
    state.withLock { state in
      let count = state.pending.count
      state.pending.removeAll(where: forgotten.covers)
      state.before += count - state.pending.count
    }
    onForgotten.withLock { $0 }?(Set(forgotten.until.keys))
    try store.clear(forgotten)
  }

  /// Writes what was not written when it happened, because of a kill or a power cut or because the diary was off: enters
  /// of beacons that are still there, and exits of those that are not.
  private func makeUp(_ shelf: Shelf, since start: WallTime) {
    guard let store = store(shelf) else { return }
    struct Stay: Hashable {
      var kind: DiaryEntry.Kind
      var place: String
      var beacon: String
    }
    var missing: [Stay: WallTime] = [:]
    for occupancy in present {
      let kind: DiaryEntry.Kind = occupancy.kind == .zone ? .zone : .room
      for member in occupancy.members {
        missing[Stay(kind: kind, place: occupancy.place, beacon: member.beacon)] = member.since
      }
    }
    var told: Set<Stay> = []
    for message in self.told {
      let entry = DiaryEntry(message)
      told.insert(Stay(kind: entry.kind, place: entry.place, beacon: entry.thing))
    }
    var query = DiaryQuery()
    // What is older was written long ago, by that run or by an earlier start.
    let oldest = start - Self.madeUp
    (query.kinds, query.since) = ([.zone, .room], oldest)
    // Visits that have ended are not kept.
    var book = VisitBook(since: start)
    do { try store.forEach(query) { book.note($0) } } catch { return tell(error) }
    func add(_ word: String, _ stay: Stay, at time: WallTime) {
      guard !told.contains(stay) else { return }
      note(
        DiaryEntry(
          time: time, kind: stay.kind, thing: stay.beacon, place: stay.place, word: word,
          detail: "found at the start: it was not written when it happened"))
    }
    for visit in book.visits where visit.isOpen {
      let stay = Stay(kind: visit.kind == .zone ? .zone : .room, place: visit.place, beacon: visit.beacon)
      if missing.removeValue(forKey: stay) == nil { add("exit", stay, at: start) }
    }
    for (stay, since) in missing.sorted(by: { ($0.value, $0.key.beacon) < ($1.value, $1.key.beacon) })
    where since >= oldest {
      add("enter", stay, at: since)
    }
  }

  private func close(_ shelf: Shelf) {
    tend(shelf, isLast: true)
    shelf.store?.close()
    shelf.store = nil
  }

  private func tell(_ error: any Error) {
    let fault = words(error)
    let isNew = state.withLock { state in
      defer { state.fault = fault }
      return state.fault != fault
    }
    if isNew {
      logger.warning(
        "the diary is not written: \(fault); up to \(Self.limit) entries are kept in memory meanwhile")
    }
  }

  var isOn: Bool { state.withLock { $0.settings != nil } }

  var fault: String? { state.withLock { $0.fault } }

  // MARK: Reading

  /// Calls `body` on the disk's thread with the file and the entries that are not in it yet, and waits; nil: the diary is off, or
  /// the disk does not respond.
  func read<Result: Sendable>(
    within patience: TimeSpan = readPatience,
    _ body: @escaping @Sendable (DiaryStore, [DiaryEntry]) throws -> Result
  ) -> Result? {
    let result = Mutex<Result?>(nil)
    let isAwaited = Mutex(true)
    let end = DispatchSemaphore(value: 0)
    disk.perform { [self] shelf in
      if isAwaited.withLock({ $0 }), let store = store(shelf) {
        do {
          try forget(store)
          let found = try body(store, state.withLock { $0.pending })
          result.withLock { $0 = found }
        } catch {
          logger.warning("the diary cannot be read: \(words(error))")
          if DiaryStore.isDamage(error) { failed(error, shelf) }
        }
      }
      end.signal()
    }
    _ = end.wait(timeout: .now() + .nanoseconds(Int(patience.nanoseconds)))
    isAwaited.withLock { $0 = false }
    return result.withLock { $0 }
  }
}

extension Diary {
  /// All transitions since a time, the newest first; nil: unknown, or there are too many.
  func transitions(since time: WallTime) -> [TransitionMessage]? {
    var query = DiaryQuery()
    (query.kinds, query.since) = ([.zone, .room], time)
    let limit = 20_000
    let found = read(within: Self.startPatience) { [query] store, pending in
      try pending.reversed().filter(query.matches) + store.entries(query, limit: limit)
    }
    return found.flatMap { $0.count < limit ? $0.compactMap(\.transition) : nil }
  }

  /// The latest transitions of earlier runs, the oldest first.
  func latest(_ limit: Int) -> [TransitionMessage] {
    var query = DiaryQuery()
    query.kinds = [.zone, .room]
    let found =
      read(within: Self.startPatience) { [query] store, _ in try store.entries(query, limit: limit) } ?? []
    return found.reversed().compactMap(\.transition)
  }
}

/// What differs between two configurations, in words. Beacons and phones are only counted: their names stand for people, and
/// `forget` would have to delete them here, too.
private func changedWords(from old: Configuration, to new: Configuration) -> String {
  func differences<Item: Equatable>(
    _ kind: String, isNamed: Bool = true, _ old: [Item], _ new: [Item], _ name: (Item) -> String
  ) -> [String] {
    // By name: comparing 10,000 beacons each with each took most of a reload's time.
    let (before, after) = (first(old, by: name), first(new, by: name))
    let changes: [(word: String, names: [String])] = [
      ("removed", old.map(name).filter { after[$0] == nil }),
      ("new", new.map(name).filter { before[$0] == nil }),
      ("changed", new.filter { item in before[name(item)].map { $0 != item } ?? false }.map(name)),
    ]
    return changes.filter { !$0.names.isEmpty }.map { word, names -> String in
      let more = names.count > 8 ? " and \(names.count - 8) more" : ""
      let list = isNamed ? ": " + names.prefix(8).joined(separator: ", ") + more : ": \(names.count)"
      return "\(kind) \(word)\(list)"
    }
  }
  func first<Item>(_ items: [Item], by name: (Item) -> String) -> [String: Item] {
    Dictionary(items.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
  }
  let found =
    differences("beacons", isNamed: false, old.beacons, new.beacons, \.name)
    + differences("zones", old.zones, new.zones, \.name)
    + differences("rooms", old.rooms, new.rooms, \.name)
    + differences("receivers", old.receivers, new.receivers, \.name)
    + differences("phones", isNamed: false, old.phones, new.phones, \.name)
  return found.isEmpty ? "other settings" : found.joined(separator: "; ")
}
