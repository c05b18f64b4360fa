import BeaconKeys
import Beacons
import Messages

/// Encrypted readings. If a beacon has a bind key, only readings that the key authenticates count: anybody can send plain
/// readings from its address.
struct SealedReadings: Sendable {
  /// Why a frame's readings were not taken.
  enum Refusal: Hashable, Sendable {
    case noKey
    case wrongKey
    case replayed
    case unencrypted

    init(_ decline: Decline) {
      self = if case .replayed = decline { .replayed } else { .wrongKey }
    }
  }

  struct Told: Hashable {
    var beacon: String
    var refusal: Refusal
  }

  /// Different notices at most: a region has many members.
  private static let noticeLimit = 100

  var counts = HealthMessage.RefusedReadings()
  /// What a person should know, in words.
  var notices: [String] = []
  var told: Set<Told> = []
  var decryptors: [BeaconIndex: BTHomeDecryptor] = [:]
  var ledger = CounterLedger()

  /// - Parameter counters: the last of each beacon that an earlier run opened, by the beacon's key.
  mutating func restore(_ counters: [String: UInt32]) { ledger.restore(counters) }

  func knows(_ beacon: BeaconIndex) -> Bool { decryptors[beacon] != nil }

  /// - Parameter key: a text that identifies the beacon in every run.
  mutating func meet(_ beacon: BeaconIndex, _ bindKey: SecretKey, key: String) {
    decryptors[beacon] = BTHomeDecryptor(key: bindKey, lastCounter: ledger.earlier(key))
  }

  /// Visits the readings of a known beacon's encrypted frame, if the key fits and it is no replay.
  mutating func open(
    _ frame: BTHome, in data: Span<UInt8>, of beacon: BeaconIndex, called name: String,
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

  /// The beacon's index serves another from now on.
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

  /// Takes over an earlier state of beacons whose key is unchanged.
  mutating func adopt(_ known: BeaconIndex, of other: SealedReadings, as beacon: BeaconIndex, key: SecretKey?)
  {
    guard let key, let decryptor = other.decryptors[known], decryptor.isFor(key) else { return }
    decryptors[beacon] = decryptor
    ledger.note(beacon)
  }

  /// Takes over the counts, and the counters of an earlier run.
  mutating func adopt(_ other: SealedReadings) {
    counts = other.counts
    ledger.adopt(other.ledger)
  }

  var hasUnsavedCounters: Bool { !ledger.isSaved }

  /// The counters to be kept for the next run that are worth a write now.
  ///
  /// - Parameter isLast: the run ends; all that are not kept yet.
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
  func snapshot(into writer: inout StateWriter) {
    for count in [counts.noKey, counts.wrongKey, counts.replayed, counts.unencrypted] { writer.write(count) }
    writer.write(notices)
    writer.count(told.count)
    for told in told.sorted(by: { ($0.beacon, $0.refusal.code) < ($1.beacon, $1.refusal.code) }) {
      writer.write(told.beacon)
      writer.write(told.refusal.code)
    }
    writer.count(decryptors.count)
    for (beacon, decryptor) in decryptors.sorted(by: { $0.key < $1.key }) {
      writer.write(beacon)
      decryptor.snapshot(into: &writer)
    }
    ledger.snapshot(into: &writer)
  }

  /// - Parameter key: the bind key of a beacon.
  mutating func restore(from reader: inout StateReader, key: (BeaconIndex) -> SecretKey?) throws(StateError) {
    reader.part = "encrypted readings"
    counts.noKey = try reader.tally()
    counts.wrongKey = try reader.tally()
    counts.replayed = try reader.tally()
    counts.unencrypted = try reader.tally()
    notices = try reader.read()
    for _ in 0..<(try reader.count()) {
      let (beacon, code): (String, UInt8) = (try reader.read(), try reader.read())
      guard let refusal = Refusal(code: code) else { throw reader.damaged }
      told.insert(Told(beacon: beacon, refusal: refusal))
    }
    for _ in 0..<(try reader.count()) {
      let beacon: BeaconIndex = try reader.read()
      guard let key = key(beacon), decryptors[beacon] == nil else { throw reader.damaged }
      var decryptor = BTHomeDecryptor(key: key)
      try decryptor.restore(from: &reader)
      decryptors[beacon] = decryptor
    }
    try ledger.restore(from: &reader)
  }
}

extension SealedReadings.Refusal {
  fileprivate static let all: [Self] = [.noKey, .wrongKey, .replayed, .unencrypted]
  fileprivate var code: UInt8 { UInt8(Self.all.firstIndex(of: self) ?? 0) }
  fileprivate init?(code: UInt8) {
    guard Self.all.indices.contains(Int(code)) else { return nil }
    self = Self.all[Int(code)]
  }
}
