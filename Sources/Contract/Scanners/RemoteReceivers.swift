import Beacons
import Core

/// The receivers of scanners: their names, and whether they work. A receiver is blind if it says so itself, but never because it is
/// silent. One that falls silent may have failed, see `SignsOfLife`. While our connection to the broker is lost, all are in doubt.
struct RemoteReceivers: Sendable {
  private struct Entry: StateElement {
    /// Whether it has sent anything, or anything was reported about it.
    var isKnown = false
    /// Which scanner of the configuration it belongs to.
    var scanner = 0
    /// Whether its own last status was `offline`.
    var isOffline = false
    /// Why another gateway reports this radio as blind.
    var fault: String?
    /// Whether another gateway has reported this radio's health since the broker connected. Then its silence proves nothing: a
    /// gateway may receive none of the configured beacons, and report its health less often than once a minute.
    var isReported = false
    var lastNews = MonotonicTime(nanoseconds: .min)
    /// Its last reported health.
    var health: ReceiverHealth?
    /// Whether the configuration names it. Such a receiver never makes room for another.
    var isNamed = false
    var pace = SpeakingPace()
    var life = SignsOfLife()
    /// How many times in a row it went offline, each within a minute of the time before; and when it last
    /// did.
    var offlines: UInt8 = 0
    var lastOffline = MonotonicTime(nanoseconds: .min)
    /// Whether it reported that it is offline, but has done so too often to be believed at once; see
    /// `offlineLimit`.
    var mayBeOffline = false
    /// Whether nothing has come from it since our connection to the broker was lost.
    var isCutOff = false

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("is_known", &isKnown)
      try coder("scanner", &scanner)
      try coder("is_offline", &isOffline)
      try coder("fault", &fault)
      try coder("is_reported", &isReported)
      try coder("last_news", &lastNews)
      try coder("health", &health)
      try coder("is_named", &isNamed)
      try coder("pace", &pace)
      try coder("life", &life)
      try coder("offlines", &offlines)
      try coder("last_offline", &lastOffline)
      try coder("may_be_offline", &mayBeOffline)
      try coder("is_cut_off", &isCutOff)
    }
  }

  /// A receiver that was silent for this long makes room for another if there are too many.
  static let evictable = TimeSpan.seconds(10)
  /// A receiver that has been silent for this long is quiet.
  private static let silence = TimeSpan.seconds(60)
  /// How long a receiver may take, once we are connected again, to report that it is offline. It may have lost the broker when we
  /// did.
  private static let patience = TimeSpan.seconds(5)

  private(set) var table = ReceiverTable()
  private var indices: [String: ReceiverIndex] = [:]
  /// By `ReceiverIndex`.
  private var entries: [Entry] = []
  /// Since when we are connected to the broker; nil: we are not.
  private var connected: MonotonicTime?
  /// When the connection was lost; nil: we are connected, or were never.
  private var disconnected: MonotonicTime?
  /// How many names scanners have added; configured ones do not count.
  private var invented = 0
  /// Before this time no receiver makes room for another.
  private var nextEviction = MonotonicTime(nanoseconds: .min)

  /// Reserves room for receivers that may report.
  ///
  /// - Parameter named: those in the configuration.
  mutating func expect(_ names: [String], named: Set<String>) {
    for name in names where indices[name] == nil { indices[name] = table.index(of: name) }
    while entries.count < table.names.count { entries.append(Entry()) }
    for index in table.indices {
      entries[Int(index.rawValue)].isNamed = named.contains(table.name(of: index))
    }
  }

  /// Whether the configuration names a receiver that begins with this prefix.
  func names(anyOf prefix: String) -> Bool {
    table.indices.contains { entries[Int($0.rawValue)].isNamed && table.name(of: $0).hasPrefix(prefix) }
  }

  /// Receivers that have reported or that the configuration names.
  func index(ofKnown name: String) -> ReceiverIndex? { indices[name] }

  /// All names so far with their indices.
  var all: [(name: String, index: ReceiverIndex)] { table.indices.map { (table.name(of: $0), $0) } }

  /// The index of a receiver that sent an observation.
  ///
  /// - Parameters:
  ///   - limit: how many names scanners may add. Beyond it, the receiver that was unheard for longest makes room.
  ///   - renamings: gets the index of the receiver that made room.
  mutating func index(
    of name: String, limit: Int, at time: MonotonicTime, into renamings: inout [ReceiverRenaming]
  ) throws(ScannerRefusal) -> ReceiverIndex {
    if let known = indices[name] { return known }
    guard ScannedValue.isName(name) else { throw .receiver }
    if invented < limit, let index = table.index(of: name) {
      invented += 1
      indices[name] = index
      while entries.count <= Int(index.rawValue) { entries.append(Entry()) }
      return index
    }
    guard let index = unheardLongest(at: time) else { throw .receivers }
    indices[table.name(of: index)] = nil
    table.rename(index, to: name)
    indices[name] = index
    entries[Int(index.rawValue)] = Entry()
    renamings.append(ReceiverRenaming(receiver: index, name: name))
    return index
  }

  /// The receiver that makes room for another: the one unheard for longest that the configuration does not name. Anybody can
  /// invent receivers, so there must be room again for a true one.
  private mutating func unheardLongest(at time: MonotonicTime) -> ReceiverIndex? {
    guard time >= nextEviction else { return nil }
    var unheard: Int?
    for place in entries.indices where !entries[place].isNamed {
      if unheard.map({ entries[place].lastNews < entries[$0].lastNews }) ?? true { unheard = place }
    }
    guard let place = unheard else { return nil }
    let silent = entries[place].lastNews
    // Subtracting the earliest time would overflow.
    guard silent.nanoseconds == .min || time - silent >= Self.evictable else {
      nextEviction = silent + Self.evictable
      return nil
    }
    return ReceiverIndex(rawValue: UInt16(place))
  }

  /// See `SpeakingPace`.
  mutating func note(_ device: UInt64, by receiver: ReceiverIndex, at time: MonotonicTime) -> String? {
    entries[Int(receiver.rawValue)].pace.note(device, at: time)
  }

  mutating func noteSilence(of receiver: ReceiverIndex, at time: MonotonicTime) -> String? {
    entries[Int(receiver.rawValue)].pace.noteSilence(at: time)
  }

  /// - Parameters:
  ///   - isNothing: the receiver reports that it hears nothing more.
  ///   - saysEnd: the receiver will report when it hears nothing more.
  mutating func heard(
    _ receiver: ReceiverIndex, scanner: Int, isNothing: Bool = false, saysEnd: Bool = false,
    at time: MonotonicTime, _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    let place = position(of: receiver)
    entries[place].scanner = scanner
    entries[place].lastNews = time
    (entries[place].isOffline, entries[place].mayBeOffline) = (false, false)
    if isNothing { entries[place].life.hearNothing(at: time) } else { entries[place].life.hear(at: time) }
    if saysEnd { entries[place].life.areUsual = true }
    if entries[place].fault == nil { set(receiver, .ok, "", at: time, wallTime, into: &changes) }
  }

  var judgesSilence: Bool { entries.contains { $0.life.mayChange || $0.pace.isDense } }

  /// Reports which receivers may have failed since they last heard something, and which have shown that they
  /// did not.
  private mutating func judgeSilence(
    at time: MonotonicTime, _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    guard let connected else { return }
    for place in entries.indices where entries[place].health?.isBlind != true {
      let isDense = entries[place].pace.isDense
      guard entries[place].life.changes(at: time, connected: connected, isDense: isDense) else { continue }
      let receiver = ReceiverIndex(rawValue: UInt16(place))
      if entries[place].life.isDoubted {
        let reason = entries[place].lastNews.nanoseconds == .min ? Self.unheard : Self.silent
        set(receiver, .doubted, reason, at: time, wallTime, into: &changes)
      } else if entries[place].life.isGivenUp(at: time, connected: connected) {
        set(receiver, .quiet, Self.givenUp, at: time, wallTime, into: &changes)
      } else {
        set(receiver, .ok, "", at: time, wallTime, into: &changes)
      }
    }
  }

  private static let silent =
    "it fell silent and gives no sign of life; for 100 s at most nobody leaves because of that"
  static let givenUp = "it has given no sign of life for 100 s; it may have failed"
  private static let unheard =
    "it said earlier that it is online, and nothing has come from it yet; for 100 s at most nobody leaves because of that"

  /// Processes a message of a receiver that is not an observation.
  ///
  /// - Parameter isSign: the receiver sends this message whether it hears anything or not.
  mutating func lives(
    _ receiver: ReceiverIndex, scanner: Int, isSign: Bool, at time: MonotonicTime, _ wallTime: WallTime,
    into changes: inout [ReceiverHealthChange]
  ) {
    let place = position(of: receiver)
    if isSign { entries[place].life.sign(at: time) } else { entries[place].life.prove(at: time) }
    entries[place].scanner = scanner
    entries[place].mayBeOffline = false
    entries[place].lastNews = max(entries[place].lastNews, time)
    // A receiver that is offline or blind by its own report, or blind by its gateway's, stays so: only an
    // observation outweighs that.
    if entries[place].isOffline || entries[place].fault != nil { return }
    set(receiver, .ok, "", at: time, wallTime, into: &changes)
  }

  /// Two boards with one name end each other's connection again and again, and so does a loose plug. Beyond
  /// this number of reports in a row, each within a minute of the one before, `offline` counts only after a
  /// while without another report.
  private static let offlineLimit: UInt8 = 3
  private static let calm = TimeSpan.seconds(60)
  private static let confirmation = TimeSpan.seconds(5)
  private static let offline = "it says itself that it is offline"

  /// Processes a receiver's last will, or its report that it is back.
  ///
  /// - Parameter isRetained: it may be old.
  /// - Returns: whether this report is the first that shows that the receiver comes and goes all the time.
  mutating func setOffline(
    _ receiver: ReceiverIndex, _ isOffline: Bool, isRetained: Bool, scanner: Int, at time: MonotonicTime,
    _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) -> Bool {
    let place = position(of: receiver)
    entries[place].scanner = scanner
    if isOffline {
      if entries[place].isOffline || entries[place].mayBeOffline { return false }
      let last = entries[place].lastOffline
      if last.nanoseconds == .min || time - last > Self.calm { entries[place].offlines = 0 }
      entries[place].lastOffline = time
      entries[place].offlines = min(entries[place].offlines + 1, Self.offlineLimit + 2)
      guard entries[place].offlines > Self.offlineLimit else {
        entries[place].isOffline = true
        set(receiver, .gone, Self.offline, at: time, wallTime, into: &changes)
        return false
      }
      entries[place].mayBeOffline = true
      return entries[place].offlines == Self.offlineLimit + 1
    }
    (entries[place].isOffline, entries[place].mayBeOffline) = (false, false)
    if isRetained { entries[place].life.presume(at: time) }
    if entries[place].fault == nil { set(receiver, .ok, "", at: time, wallTime, into: &changes) }
    return false
  }

  /// Another gateway's report about one of its radios.
  mutating func setFault(
    _ receiver: ReceiverIndex, _ health: ReceiverHealth, _ reason: String, scanner: Int,
    at time: MonotonicTime, _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    let place = position(of: receiver)
    entries[place].scanner = scanner
    entries[place].fault = health.isBlind ? reason : nil
    entries[place].isReported = true
    entries[place].life.prove(at: time)
    if entries[place].isOffline || connected == nil { return }
    set(receiver, health, reason, at: time, wallTime, into: &changes)
  }

  /// From now on each receiver counts again as soon as something comes from it, and its beacons have time to be heard.
  mutating func brokerConnected(
    at time: MonotonicTime, _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    (connected, disconnected) = (time, nil)
    setCutOff(.gone, "nothing has come from it since the broker is back", at: time, wallTime, into: &changes)
  }

  /// Longer outages than a restart of the broker's machine are told as what they are.
  private static let outage = TimeSpan.seconds(600)
  private static let isAway = "the broker that brings what it hears is away"

  /// All receivers that work are in doubt now: it is our way to them that failed.
  mutating func brokerDisconnected(
    at time: MonotonicTime, _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    (connected, disconnected) = (nil, time)
    for index in table.indices where isKnown(index) {
      entries[Int(index.rawValue)].isReported = false
      entries[Int(index.rawValue)].isCutOff = entries[Int(index.rawValue)].health?.isBlind != true
    }
    setCutOff(
      .doubted, "\(Self.isAway); for ten minutes at most nobody leaves because of that", at: time, wallTime,
      into: &changes)
  }

  private mutating func setCutOff(
    _ health: ReceiverHealth, _ reason: String, at time: MonotonicTime, _ wallTime: WallTime,
    into changes: inout [ReceiverHealthChange]
  ) {
    for index in table.indices where isKnown(index) && entries[Int(index.rawValue)].isCutOff {
      set(index, health, reason, at: time, wallTime, into: &changes)
      entries[Int(index.rawValue)].isCutOff = true
    }
  }

  /// Time passes: marks receivers that may have failed as doubted; receivers whose `offline` was not believed
  /// yet as gone; and as quiet those that were silent for long, or that have reported no fault since the
  /// broker is back.
  mutating func look(
    at time: MonotonicTime, _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    judgeSilence(at: time, wallTime, into: &changes)
    if let disconnected, time - disconnected >= Self.outage {
      setCutOff(.gone, Self.isAway, at: time, wallTime, into: &changes)
      self.disconnected = nil
    }
    for place in entries.indices
    where entries[place].mayBeOffline && time - entries[place].lastOffline >= Self.confirmation {
      (entries[place].isOffline, entries[place].mayBeOffline) = (true, false)
      set(
        ReceiverIndex(rawValue: UInt16(place)), .gone, Self.offline, at: time, wallTime, into: &changes)
    }
    guard let connected, time - connected >= Self.patience else { return }
    for index in table.indices where isKnown(index) {
      let entry = entries[Int(index.rawValue)]
      let isSilent = !entry.isReported && time - max(entry.lastNews, connected) > Self.silence
      guard !entry.isOffline, entry.fault == nil, isSilent || entry.health == .gone else { continue }
      set(index, .quiet, "nothing came from it lately", at: time, wallTime, into: &changes)
    }
  }

  /// Gives receivers the names that scanners have for them now.
  ///
  /// - Parameter present: the name of a receiver of a scanner; nil: it has none.
  mutating func rename(_ present: (_ name: String, _ scanner: Int) -> String?) -> [ReceiverRenaming] {
    var renamings: [ReceiverRenaming] = []
    for index in table.indices where isKnown(index) {
      let old = table.name(of: index)
      guard let name = present(old, entries[Int(index.rawValue)].scanner), ScannedValue.isName(name),
        table.index(ofKnown: name) == nil
      else { continue }
      table.rename(index, to: name)
      (indices[old], indices[name]) = (nil, index)
      renamings.append(ReceiverRenaming(receiver: index, name: name))
    }
    return renamings
  }

  /// Scanners have changed their places in the configuration.
  ///
  /// - Parameter place: the new place; nil: the scanner was removed.
  mutating func reconfigure(
    _ place: (Int) -> Int?, at time: MonotonicTime, _ wallTime: WallTime,
    into changes: inout [ReceiverHealthChange]
  ) {
    for index in table.indices where isKnown(index) {
      if let next = place(entries[Int(index.rawValue)].scanner) {
        entries[Int(index.rawValue)].scanner = next
      } else {
        set(
          index, .gone, "the configuration has no scanner for it any more", at: time, wallTime, into: &changes
        )
        entries[Int(index.rawValue)].isKnown = false
      }
    }
  }

  private func isKnown(_ receiver: ReceiverIndex) -> Bool {
    entries.indices.contains(Int(receiver.rawValue)) && entries[Int(receiver.rawValue)].isKnown
  }

  private mutating func position(of receiver: ReceiverIndex) -> Int {
    let index = Int(receiver.rawValue)
    while entries.count <= index { entries.append(Entry()) }
    entries[index].isKnown = true
    return index
  }

  private mutating func set(
    _ receiver: ReceiverIndex, _ health: ReceiverHealth, _ reason: String, at time: MonotonicTime,
    _ wallTime: WallTime, into changes: inout [ReceiverHealthChange]
  ) {
    let index = Int(receiver.rawValue)
    let isCutOff = entries[index].isCutOff
    entries[index].isCutOff = false
    guard entries[index].health != health || isCutOff else { return }
    // A sign of life does not end a doubt yet: what the receiver heard may still be on its way.
    if entries[index].health == .doubted, entries[index].life.isDoubted, !health.isBlind, !isCutOff { return }
    if health.isBlind { entries[index].life.becomeBlind() }
    entries[index].health = health
    changes.append(
      ReceiverHealthChange(receiver: receiver, health: health, reason: reason, time: time, wallTime: wallTime)
    )
  }
}

extension RemoteReceivers {
  /// - Parameter scanners: how many the configuration has.
  mutating func fields(_ coder: inout StateCoder, scanners: Int) throws(StateError) {
    try coder("table", &table)
    try coder("entries", &entries, atMost: table.names.count)
    try coder("connected", &connected)
    try coder("disconnected", &disconnected)
    try coder("invented", &invented, in: 0...Int(UInt32.max))
    try coder.check(entries.allSatisfy { $0.scanner >= 0 && $0.scanner < max(scanners, 1) })
    guard coder.isReading else { return }
    while entries.count < table.names.count { entries.append(Entry()) }
    indices = [:]
    for index in table.indices { indices[table.name(of: index)] = index }
  }
}

extension ReceiverHealthChange {
  /// Whether a receiver was in doubt until nobody can wait for it any longer.
  package var isGivenUp: Bool { reason == RemoteReceivers.givenUp }
}
