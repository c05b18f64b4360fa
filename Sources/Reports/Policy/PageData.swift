import Core
import Phones

/// The data for the script: numbers, and a table of the words that they stand for.
struct PageData {
  private var words: [String] = []
  private var places: [String: Int] = [:]
  private var text = ""

  init(_ cards: [Card], budget: Budget) {
    var parts: [String] = []
    for card in cards { parts.append(object(card, budget)) }
    var table = JSONWriter()
    table.array(words) { $0.value($1) }
    let span = cards.map(\.result.end).max() ?? 0
    let states = Window.State.allCases.map { "[\"\($0.rawValue)\",\"\($0.label)\",\"\($0.words)\"]" }
    text =
      "{\"end\":\(span),\"states\":[\(states.joined(separator: ","))],\"words\":\(table.text),"
      + "\"cards\":[\(parts.joined(separator: ",\n"))]}"
  }

  /// Text in a script element is not escaped, so it must not contain anything that could end the element.
  func write(into page: inout Markup) {
    page.element("script", ["type": "application/json", "id": "data"]) { $0.raw(Self.embedded(text)) }
  }

  /// JSON in ASCII without `<`, `>` and `&`, so that it means the same in HTML and in XML.
  static func embedded(_ json: String) -> String {
    var text = ""
    text.reserveCapacity(json.utf8.count)
    for unit in json.utf16 {
      if unit == 10 || (unit >= 32 && unit < 127 && unit != 38 && unit != 60 && unit != 62) {
        text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }

  private mutating func word(_ word: String) -> Int {
    if let place = places[word] { return place }
    places[word] = words.count
    words.append(word)
    return words.count - 1
  }

  /// Items beyond the limit are left out; `until` is where these begin.
  private mutating func object(_ card: Card, _ budget: Budget) -> String {
    let limit = budget.entries
    let result = card.result
    var until = result.end
    func cut<Item>(_ items: [Item], _ limit: Int, _ time: (Item) -> Milliseconds) -> ArraySlice<Item> {
      if items.count > limit { until = min(until, time(items[limit])) }
      return items.prefix(limit)
    }
    let states = Window.State.allCases
    let windows = cut(result.windows, limit, \.time).map { window in
      let why = window.why.map { word("\($0.rawValue): \($0.words)") } ?? -1
      return "[\(window.time),\(states.firstIndex(of: window.state) ?? 0),\(window.expires ?? -1),\(why)]"
    }
    let facts = cut(result.history.facts, limit, \.time).map { "[\($0.time),\(word(result.words(of: $0)))]" }
    let chart = TimelineChart(result, near: card.example.approach.near, id: card.id, budget: budget)
    let lanes = chart.lanes.map { lane in
      // The limit is for all rows together.
      let share = limit / max(1, min(lane.rows.count, 32))
      let rows = lane.rows.prefix(32).map { row in
        let spans = cut(row, share, \.from).map { span in
          "[\(span.from),\(span.to),\(word(span.label))]"
        }
        return "[\(spans.joined(separator: ","))]"
      }
      return
        "{\"k\":\(word(lane.kind.rawValue)),\"n\":\(word(lane.title)),\"r\":[\(rows.joined(separator: ","))]}"
    }
    func list(_ parts: [String]) -> String { "[\(parts.joined(separator: ","))]" }
    let curves = chart.curves.enumerated().map { beacon, curve in
      let points = curve.map { "[\($0.time),\($0.metres.map { Figures.number($0, 2) } ?? "null")]" }
      return "[\(result.timeline.name(of: beacon).map { word($0) } ?? -1),\(list(points))]"
    }
    return "{\"id\":\"\(card.id)\",\"end\":\(result.end),\"until\":\(until),\"known\":\(result.knownUntil),"
      + "\"near\":\(result.verdicts.first?.crossed ?? -1),\"counts\":\(result.profile.os.family == .iOS),"
      + "\"w\":\(list(windows)),\"f\":\(list(facts)),\"lanes\":\(list(lanes)),\"d\":\(list(curves))}"
  }
}
