import Beacons
import Contract
import Core

/// Encrypted readings. If a beacon has a bind key, only readings that the key authenticates count, because anybody
/// can send plain readings from its address.
struct SealedReadings: Sendable {
  /// Why a frame's readings were refused.
  enum Refusal: UInt8, StateCoded, Sendable {
    case noKey
    case wrongKey
    case replayed
    case unencrypted

    init(_ decline: Decline) {
      self = if case .replayed = decline { .replayed } else { .wrongKey }
    }
  }

  struct Told: Hashable, Comparable, StateElement {
    var beacon = ""
    var refusal = Refusal.noKey

    static func < (a: Self, b: Self) -> Bool {
      (a.beacon, a.refusal.rawValue) < (b.beacon, b.refusal.rawValue)
    }

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("beacon", &beacon)
      try coder("refusal", &refusal)
    }
  }

  /// The limit of different notices. A region may have many members.
  private static let noticeLimit = 100

  var counts = HealthMessage.RefusedReadings()
  /// Notices for the user.
  var notices: [String] = []
  var told: Set<Told> = []
  var decryptors: [BeaconIndex: FrameDecryptor] = [:]
  var ledger = CounterLedger()

  /// - Parameter counters: the last counter of each beacon in an earlier run, by the beacon's key.
  mutating func restore(_ counters: [String: UInt32]) { ledger.restore(counters) }

  func knows(_ beacon: BeaconIndex) -> Bool { decryptors[beacon] != nil }

  /// - Parameter key: a text that identifies the beacon in every run.
  mutating func meet(_ beacon: BeaconIndex, _ bindKey: SecretKey, key: String) {
    decryptors[beacon] = FrameDecryptor(key: bindKey, lastCounter: ledger.earlier(key))
  }

  /// Calls `body` for each reading of an encrypted frame, if the key fits and the frame is no replay.
  mutating func open(
    _ frame: Frame, in data: Span<UInt8>, of beacon: BeaconIndex, called name: String,
    _ advertisement: Advertisement, _ body: (Reading) -> Void
  ) {
    let counter = decryptors[beacon]?.lastCounter
    do throws(Decline) {
      let opening = try decryptors[beacon]?.open(
        frame, in: data, from: advertisement.address, at: advertisement.time
      ) { $0.forEachReading(in: $1, body) }
      if decryptors[beacon]?.lastCounter != counter { ledger.note(beacon) }
      if opening == .restarted {
        notices.append(
          "\(name): the counter of its encrypted readings restarted, as it does after a change of battery")
      }
    } catch {
      refuse(name, Refusal(error))
    }
  }

  /// Forgets a beacon. Its index will be reused.
  mutating func retire(_ beacon: BeaconIndex) {
    guard decryptors.removeValue(forKey: beacon) != nil else { return }
    ledger.forget(beacon)
  }

  mutating func refuse(_ beacon: String, _ refusal: Refusal) {
    switch refusal {
    case .noKey: counts.noKey += 1
    case .wrongKey: counts.wrongKey += 1
    case .replayed: counts.replayed += 1
    case .unencrypted: counts.unencrypted += 1
    }
    guard told.count < Self.noticeLimit,
      told.insert(Told(beacon: beacon, refusal: refusal)).inserted
    else { return }
    notices.append("\(beacon): \(refusal.words)")
  }

  var hasNotices: Bool { !notices.isEmpty }

  mutating func takeNotices() -> [String] {
    defer { notices.removeAll() }
    return notices
  }

  /// Adopts the state of a beacon whose key is unchanged.
  mutating func adopt(_ known: BeaconIndex, of other: SealedReadings, as beacon: BeaconIndex, key: SecretKey?)
  {
    guard let key, let decryptor = other.decryptors[known], decryptor.isFor(key) else { return }
    decryptors[beacon] = decryptor
    ledger.note(beacon)
  }

  /// Adopts the counts, and the counters of an earlier run.
  mutating func adopt(_ other: SealedReadings) {
    counts = other.counts
    ledger.adopt(other.ledger)
  }

  var hasUnsavedCounters: Bool { !ledger.isSaved }

  /// The counters that should be saved now for the next run.
  ///
  /// - Parameter isLast: whether the run ends. Then all unsaved counters are returned.
  mutating func takeCounters(at time: MonotonicTime, isLast: Bool) -> [(beacon: BeaconIndex, counter: UInt32)]
  {
    ledger.take(at: time, isLast: isLast).compactMap { beacon in
      decryptors[beacon]?.lastCounter.map { (beacon, $0) }
    }
  }
}

extension SealedReadings.Refusal {
  fileprivate var words: String {
    switch self {
    case .noKey:
      "its readings are encrypted and are ignored; give it a bind_key"
    case .wrongKey:
      "its encrypted readings do not match its bind_key and are ignored; check that the key is the device's own, "
        + "unless somebody else sends from its address"
    case .replayed:
      "rejected encrypted readings with an old counter: possibly a replay"
    case .unencrypted:
      "it has a bind_key, so unencrypted readings from its address are ignored; "
        + "leave out the bind_key if the device does not encrypt"
    }
  }
}

extension SealedReadings {
  /// - Parameter key: returns the bind key of a beacon with encrypted readings.
  mutating func fields(_ coder: inout StateCoder, key: (BeaconIndex) -> SecretKey?) throws(StateError) {
    try coder(tally: "no_key", &counts.noKey)
    try coder(tally: "wrong_key", &counts.wrongKey)
    try coder(tally: "replayed", &counts.replayed)
    try coder(tally: "unencrypted", &counts.unencrypted)
    try coder("notices", &notices)
    try coder("told", &told)
    var beacons = Set(decryptors.keys)
    try coder("opened", &beacons)
    for beacon in beacons.sorted() {
      guard var decryptor = decryptors[beacon] ?? key(beacon).map({ FrameDecryptor(key: $0) }) else {
        throw coder.damaged
      }
      try coder("decryptor", &decryptor)
      if coder.isReading { decryptors[beacon] = decryptor }
    }
    try coder("ledger", &ledger)
  }
}

/// Which replay counters must be saved for the next run, and when.
///
/// A sensor increments its counter with every measurement. To spare SD cards, a burst of counters is written at once,
/// then one write per `interval`. An orderly shutdown writes all. After a power cut, frames of the last interval can
/// be replayed until the device itself is heard.
struct CounterLedger: Sendable {
  private static let interval = TimeSpan.seconds(300)
  /// How many writes may follow each other at once.
  private static let burst = 8

  /// Counters of an earlier run, by the beacon's key.
  private var restored: [String: UInt32] = [:]
  private var unsaved: Set<BeaconIndex> = []
  /// When a full burst of writes is possible again.
  private var rested = MonotonicTime(nanoseconds: .min)

  mutating func restore(_ counters: [String: UInt32]) { restored = counters }

  /// The counter that an earlier run saved.
  func earlier(_ key: String) -> UInt32? { restored.isEmpty ? nil : restored[key] }

  mutating func note(_ beacon: BeaconIndex) { unsaved.insert(beacon) }

  mutating func forget(_ beacon: BeaconIndex) { unsaved.remove(beacon) }

  mutating func adopt(_ other: CounterLedger) {
    restored = other.restored
    rested = other.rested
  }

  var isSaved: Bool { unsaved.isEmpty }

  /// The counters to write now.
  mutating func take(at time: MonotonicTime, isLast: Bool) -> Set<BeaconIndex> {
    guard !unsaved.isEmpty else { return [] }
    let next = max(rested, time) + Self.interval
    guard isLast || next - time <= Self.interval * Double(Self.burst) else { return [] }
    rested = next
    defer { unsaved.removeAll() }
    return unsaved
  }
}

extension CounterLedger: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("restored", &restored)
    try coder("unsaved", &unsaved)
    try coder("rested", &rested)
  }
}
