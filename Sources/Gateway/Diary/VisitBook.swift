import Contract
import Core
import Outbox

/// How long a beacon was somewhere.
package struct Visit: Hashable, Sendable {
  package var beacon: String
  package var kind: PlaceKind
  package var place: String
  /// nil: before the diary begins, or before the machine's clock was set.
  package var from: WallTime?
  package var near: WallTime?
  /// nil: it is still there, or `isEndUnknown`.
  package var to: WallTime?
  /// The diary has the next visit but not the end of this one, or the gateway stopped meanwhile.
  package var isEndUnknown = false
  /// If the end is unknown: the last time at which the beacon is known to have been there; nil: unknown.
  package var lastKnown: WallTime?
  /// How long of it no gateway ran; nil: it ran all the time.
  package var unwatched: TimeSpan?
  /// The diary's number of its first entry.
  fileprivate var number = Int64.max

  package init(
    beacon: String, kind: PlaceKind, place: String, from: WallTime? = nil, number: Int64 = .max
  ) {
    (self.beacon, self.kind, self.place, self.from, self.number) = (beacon, kind, place, from, number)
  }

  package var isOpen: Bool { to == nil && !isEndUnknown }

  /// nil: unknown.
  package func length(at now: WallTime) -> TimeSpan? {
    guard let from, let end = isOpen ? now : to else { return nil }
    // A clock that was set back must not give a negative length.
    return max(.zero, end - from)
  }
}

/// A time in which no gateway wrote the diary: it was stopped or killed, or had no power.
package struct DiaryPause: Hashable, Sendable {
  /// The number of the last entry before.
  package var number: Int64
  package var from: WallTime
  /// nil: no gateway has run since.
  package var to: WallTime?

  fileprivate var length: TimeSpan {
    guard let to, from >= TransitionMessage.trusted else { return .zero }
    return max(.zero, to - from)
  }
}

extension DiaryStore {
  /// The pauses, the oldest first.
  ///
  /// - Parameters:
  ///   - pending: entries that are not in the file yet.
  ///   - isRunning: whether a gateway runs; nil: unknown, and then the diary decides.
  package func pauses(_ pending: [DiaryEntry] = [], isRunning: Bool?) throws -> [DiaryPause] {
    var starts = DiaryQuery()
    starts.kinds = [.gateway]
    var gateway: [DiaryEntry] = []
    try forEach(starts) { gateway.append($0) }
    gateway += pending.filter { $0.kind == .gateway }
    var pauses: [DiaryPause] = []
    func add(before number: Int64?, to time: WallTime?) throws {
      var earlier = DiaryQuery()
      earlier.before = number
      guard let last = try entries(earlier, limit: 1).first else { return }
      pauses.append(DiaryPause(number: last.number, from: last.time, to: time))
    }
    for start in gateway where start.word == "start" {
      try add(before: start.number > 0 ? start.number : nil, to: start.time)
    }
    if !(isRunning ?? (gateway.last?.word != "stop")) { try add(before: nil, to: nil) }
    return pauses
  }
}

/// Makes visits from a diary's transitions, which must come in the order in which they happened.
package struct VisitBook: Sendable {
  private struct Key: Hashable {
    var beacon: String
    var kind: PlaceKind
    var place: String
  }

  private let since: WallTime?
  private let until: WallTime?
  private let pauses: [DiaryPause]
  private var open: [Key: Visit] = [:]
  private var closed: [Visit] = []

  /// - Parameter since: visits that ended before are left out, as are those that began at `until` or later.
  package init(since: WallTime? = nil, until: WallTime? = nil, pauses: [DiaryPause] = []) {
    self.since = since
    self.until = until
    self.pauses = pauses
  }

  package mutating func note(_ entry: DiaryEntry) {
    let kind: PlaceKind
    switch entry.kind {
    case .zone: kind = .zone
    case .room: kind = .room
    case .event, .verdict, .receiver, .gateway: return
    }
    let key = Key(beacon: entry.thing, kind: kind, place: entry.place)
    let earlier = open.removeValue(forKey: key)
    let time = entry.time < TransitionMessage.trusted ? nil : entry.time
    // An entry that is not in the file yet has no number, and comes after all.
    let number = entry.number > 0 ? entry.number : .max
    var visit = earlier ?? Visit(beacon: key.beacon, kind: kind, place: key.place, number: number)
    switch entry.word {
    case "enter":
      if var unended = earlier {
        unended.isEndUnknown = true
        keep(watched(unended, until: number))
      }
      visit = Visit(beacon: key.beacon, kind: kind, place: key.place, from: time, number: number)
    case "near": visit.near = visit.near ?? time
    default:
      visit.to = time
      visit.isEndUnknown = time == nil
      return keep(watched(visit, until: number))
    }
    open[key] = visit
  }

  /// A visit with what its pauses say about it.
  private func watched(_ visit: Visit, until number: Int64) -> Visit {
    var visit = visit
    for pause in pauses where visit.number <= pause.number && pause.number < number {
      if visit.to == nil, visit.isEndUnknown || pause.to == nil {
        // Nobody saw it after the first pause.
        visit.isEndUnknown = true
        visit.lastKnown = pause.from < TransitionMessage.trusted ? nil : pause.from
        break
      }
      visit.unwatched = (visit.unwatched ?? .zero) + pause.length
    }
    return visit
  }

  private mutating func keep(_ visit: Visit) {
    if let since, let end = visit.to ?? visit.lastKnown ?? visit.near ?? visit.from, end < since { return }
    if let until, let start = visit.from ?? visit.near ?? visit.to, start >= until { return }
    closed.append(visit)
  }

  /// All visits, ended or not, by when they began.
  package var visits: [Visit] {
    var all = self
    for var visit in open.values {
      // `since` leaves out only visits that have ended.
      if let until, let start = visit.from ?? visit.near, start >= until { continue }
      visit = watched(visit, until: .max)
      all.closed.append(visit)
    }
    return all.closed.sorted { a, b in
      // A visit without any known time comes first.
      let none = WallTime(nanoseconds: .min)
      let (begin, other) = (a.from ?? a.near ?? a.to ?? none, b.from ?? b.near ?? b.to ?? none)
      return (begin, a.beacon, a.place) < (other, b.beacon, b.place)
    }
  }
}

extension Visit {
  /// The members of an object.
  package func write(into json: inout JSONWriter, at now: WallTime) {
    json.field("beacon", beacon)
    json.field(kind == .zone ? "zone" : "room", place)
    json.field("from", from)
    json.field("near_at", near)
    json.field("to", to)
    json.field("seconds", length(at: now)?.seconds, decimals: 0)
    json.field("open", isOpen)
    json.field("last_known", lastKnown)
    json.field("unwatched_s", unwatched?.seconds ?? 0, decimals: 0)
  }

  package static let csvHead = "beacon,kind,place,from,near,to,seconds,open,last_known,unwatched_s"

  package func csv(at now: WallTime) -> String {
    [
      beacon, kind.rawValue, place, from?.rfc3339 ?? "", near?.rfc3339 ?? "", to?.rfc3339 ?? "",
      length(at: now).map { "\(Int($0.seconds.rounded()))" } ?? "", "\(isOpen)", lastKnown?.rfc3339 ?? "",
      "\(Int((unwatched?.seconds ?? 0).rounded()))",
    ].map(csvField).joined(separator: ",")
  }
}

extension DiaryEntry {
  package static let csvHead = "time,kind,thing,place,event,because"

  package var because: String { transition.map { TransitionLine($0).because } ?? detail }

  package var csv: String {
    [time.rfc3339, kind.rawValue, thing, place, word, because].map(csvField).joined(separator: ",")
  }

  /// The members of an object.
  func write(into json: inout JSONWriter) {
    // An entry that is not on disk yet has no number.
    if number > 0 { json.field("n", number) }
    json.field("time", time)
    json.field("kind", kind.rawValue)
    json.field("thing", thing)
    json.field("place", place)
    json.field("event", word)
    json.field("because", because)
  }
}

/// A field of CSV (RFC 4180). Spreadsheets take a field that begins with one of `=+-@` for a formula.
private func csvField(_ text: String) -> String {
  let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
  let text = isFormula ? "'" + text : text
  // By octets: for Swift a line break of two octets is one character, and so is a quotation mark with an accent.
  guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return text }
  let mark = UInt8(ascii: "\"")
  return "\"\(String(decoding: text.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }, as: UTF8.self))\""
}
