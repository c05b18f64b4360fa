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

  package var isOpen: Bool { to == nil && !isEndUnknown }

  /// nil: unknown.
  package func length(at now: WallTime) -> TimeSpan? {
    guard let from, let end = isOpen ? now : to else { return nil }
    // A clock that was set back must not give a negative length.
    return max(.zero, end - from)
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
  /// Whether the gateway has stopped, so that nobody sees the end of a visit.
  package var isStopped = false
  private var open: [Key: Visit] = [:]
  private var closed: [Visit] = []

  /// - Parameter since: visits that ended before are left out, as are those that began at `until` or later.
  package init(since: WallTime? = nil, until: WallTime? = nil) {
    self.since = since
    self.until = until
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
    var visit = earlier ?? Visit(beacon: key.beacon, kind: kind, place: key.place)
    switch entry.word {
    case "enter":
      if var unended = earlier {
        unended.isEndUnknown = true
        keep(unended)
      }
      visit = Visit(beacon: key.beacon, kind: kind, place: key.place, from: time)
    case "near": visit.near = visit.near ?? time
    default:
      visit.to = time
      visit.isEndUnknown = time == nil
      return keep(visit)
    }
    open[key] = visit
  }

  private mutating func keep(_ visit: Visit) {
    if let since, let end = visit.to ?? visit.near ?? visit.from, end < since { return }
    if let until, let start = visit.from ?? visit.near ?? visit.to, start >= until { return }
    closed.append(visit)
  }

  /// All visits, ended or not, by when they began.
  package var visits: [Visit] {
    var all = self
    for var visit in open.values {
      // `since` leaves out only visits that have ended.
      if let until, let start = visit.from ?? visit.near, start >= until { continue }
      visit.isEndUnknown = isStopped
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
  }

  package static let csvHead = "beacon,kind,place,from,near,to,seconds,open"

  package func csv(at now: WallTime) -> String {
    [
      beacon, kind.rawValue, place, from?.rfc3339 ?? "", near?.rfc3339 ?? "", to?.rfc3339 ?? "",
      length(at: now).map { "\(Int($0.seconds.rounded()))" } ?? "", "\(isOpen)",
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
