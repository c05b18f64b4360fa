import Core
import Outbox
import Web

/// `diary` and `visits` of the API.
struct DiaryAnswers {
  static let query: Set<String> = ["since", "until", "beacon", "place", "kind", "before", "limit", "format"]
  static let visitQuery: Set<String> = ["since", "until", "beacon", "place", "format"]
  private static let usual = 200
  private static let most = 5_000
  /// In one answer, some 20 MB.
  private static let mostLines = 200_000
  /// More visits are not sent at once.
  private static let mostVisits = 20_000

  /// nil: there is no diary, for example while a recording is replayed.
  let diary: Diary?
  let now: WallTime
  /// The published names for a name that people use.
  var called: (String) -> [String] = { [$0] }

  private static let off = Response.error(404, "Nothing of what happens is kept.", remedy: "Set diary: on.")
  private static let noDiary = Response.error(404, "A recording has no diary.")
  private static let silent = Response.error(
    503, "The diary cannot be read at present.",
    remedy: "Try again. If that does not help, the gateway's log says what is wrong with the disk.")

  func entries(_ parameters: [String: String]) -> Response {
    guard let diary else { return Self.noDiary }
    guard diary.isOn else { return Self.off }
    do throws(Refusal) {
      var query = try query(parameters)
      let isCSV = try isCSV(parameters)
      let asked = try number("limit", parameters).map { Int(clamping: $0) }
      let limit = asked ?? (isCSV ? Self.most : Self.usual)
      guard (1...Self.most).contains(limit) else { throw Refusal("limit must be from 1 to \(Self.most).") }
      var lines = [DiaryEntry.csvHead]
      while true {
        let found = diary.read { [query] store, pending in
          // Entries that are not on disk yet have no number to continue from, so all of them are sent.
          let fresh = query.before == nil ? pending.reversed().filter(query.matches) : []
          return (fresh, try store.entries(query, limit: max(limit - fresh.count, 1) + 1))
        }
        guard let (fresh, stored) = found else { return Self.silent }
        let shown = fresh + stored.prefix(max(limit - fresh.count, 1))
        let hasMore = fresh.count + stored.count > shown.count
        guard isCSV else {
          return Response(
            JSONWriter.object {
              $0.objects("entries", shown) { $1.write(into: &$0) }
              $0.field("more", hasMore)
              $0.field("fault", diary.fault)
            })
        }
        lines += shown.map(\.csv)
        // CSV cannot say that there are more entries. They are read in pages, because the disk also writes.
        guard asked == nil, hasMore, lines.count < Self.mostLines, let last = shown.last else {
          return csv(lines, "diary.csv")
        }
        query.before = last.number
      }
    } catch {
      return .error(400, error.words)
    }
  }

  func visits(_ parameters: [String: String]) -> Response {
    guard let diary else { return Self.noDiary }
    guard diary.isOn else { return Self.off }
    do throws(Refusal) {
      var query = try query(parameters)
      let (since, until) = (query.since, query.until)
      // A visit may have begun before, and ended afterwards.
      (query.since, query.until) = (nil, nil)
      query.kinds = [.zone, .room]
      let visits = diary.read { [query] store, pending in
        // The gateway that answers is running.
        var book = VisitBook(since: since, until: until, pauses: try store.pauses(pending, isRunning: true))
        try store.forEach(query) { book.note($0) }
        for entry in pending where query.matches(entry) { book.note(entry) }
        return book.visits
      }
      guard let visits else { return Self.silent }
      if try isCSV(parameters) { return csv([Visit.csvHead] + visits.map { $0.csv(at: now) }, "visits.csv") }
      let shown = visits.suffix(Self.mostVisits)
      return Response(
        JSONWriter.object {
          $0.objects("visits", shown) { $1.write(into: &$0, at: now) }
          $0.field("more", visits.count > shown.count)
        })
    } catch {
      return .error(400, error.words)
    }
  }

  private struct Refusal: Error {
    var words: String
    init(_ words: String) { self.words = words }
  }

  private func query(_ parameters: [String: String]) throws(Refusal) -> DiaryQuery {
    var query = DiaryQuery()
    query.since = try time("since", parameters)
    query.until = try time("until", parameters)
    if let name = parameters["beacon"] {
      let called = called(name)
      guard called.count == 1 else {
        throw Refusal("\(name) is the name of \(called.joined(separator: ", ")).")
      }
      query.thing = called[0]
    }
    query.place = parameters["place"]
    query.before = try number("before", parameters)
    for word in (parameters["kind"] ?? "").split(separator: ",") {
      guard let kind = DiaryEntry.Kind(rawValue: String(word)) else {
        let kinds = DiaryEntry.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw Refusal("kind must be among \(kinds).")
      }
      query.kinds.insert(kind)
    }
    return query
  }

  private func time(_ name: String, _ parameters: [String: String]) throws(Refusal) -> WallTime? {
    guard let text = parameters[name] else { return nil }
    guard let time = WallTime(rfc3339: text) else {
      throw Refusal("\(name) must be a time such as 2026-11-28T08:00:00Z.")
    }
    return time
  }

  private func number(_ name: String, _ parameters: [String: String]) throws(Refusal) -> Int64? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int64(text), number > 0 else { throw Refusal("\(name) must be a number from 1 on.") }
    return number
  }

  private func isCSV(_ parameters: [String: String]) throws(Refusal) -> Bool {
    switch parameters["format"] {
    case nil, "json": false
    case "csv": true
    default: throw Refusal("format must be json or csv.")
    }
  }

  private func csv(_ lines: [String], _ name: String) -> Response {
    Response(
      contentType: "text/csv; charset=utf-8", Array((lines.joined(separator: "\r\n") + "\r\n").utf8),
      headers: [("Content-Disposition", "attachment; filename=\"\(name)\"")])
  }
}
