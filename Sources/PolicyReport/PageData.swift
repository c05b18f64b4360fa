import JSON
import Pages
import RangingPolicy

/// What the script draws from: numbers only, and a table of the words that they stand for.
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

  /// In a script element nothing is escaped, so nothing may stand there that could end it.
  func write(into page: inout Markup) {
    page.element("script", ["type": "application/json", "id": "data"]) { $0.raw(Self.embedded(text)) }
  }

  /// JSON in ASCII without `<`, `>` and `&`: the same in HTML and in XML, whatever it says.
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

  /// Items beyond the limit are left out; `until` is where they begin.
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
    let facts = cut(result.history.facts, limit, \.time).map { "[\($0.time),\(word($0.what.rawValue))]" }
    let seeing = cut(result.seeingSpans, limit, \.lowerBound).map { "[\($0.lowerBound),\($0.upperBound)]" }
    let chart = TimelineChart(result, near: card.example.approach.near, id: card.id, points: budget.points)
    let lanes = chart.frame.lanes.map { lane in
      // The limit is for all rows together.
      let share = limit / max(1, min(lane.rows.count, 32))
      let rows = lane.rows.prefix(32).map { row in
        let spans = cut(row, share, \.from).map { span in
          "[\(span.from),\(span.to),\(word(span.label)),\(word(span.ending.rawValue))]"
        }
        return "[\(spans.joined(separator: ","))]"
      }
      let marks = cut(lane.marks, limit, \.time).map {
        "[\($0.time),\(word($0.sign)),\(word($0.words)),\($0.isVoid ? 1 : 0)]"
      }
      return "{\"k\":\(word(lane.kind.rawValue)),\"n\":\(word(lane.title)),"
        + "\"r\":[\(rows.joined(separator: ","))],\"m\":[\(marks.joined(separator: ","))]}"
    }
    let curve = chart.curve.map { "[\($0.time),\($0.metres.map { Figures.number($0, 2) } ?? "null")]" }
    let lines = chart.thresholds.map { line in
      "[\(word("\(line.name) \(Figures.metres(line.distance))")),\(Figures.number(Double(line.distance) / 1e6, 3)),"
        + "\(word(line.style))]"
    }
    let verdicts = zip(result.verdicts.prefix(limit), result.distances(ofFirst: limit)).map {
      verdict, distance in
      let outcome = Outcome(verdict.outcome, wasNear: true)
      return "[\(verdict.crossed),\(verdict.delivered ?? -1),\(word(outcome.sign)),\(word(outcome.style)),"
        + "\(distance.map { Figures.number($0, 2) } ?? "null")]"
    }
    func list(_ parts: [String]) -> String { "[\(parts.joined(separator: ","))]" }
    let remaining = chart.frame.remaining
    return "{\"id\":\"\(card.id)\",\"end\":\(result.end),\"until\":\(until),\"known\":\(result.knownUntil),"
      + "\"cut\":\(result.timeline.isCut ? result.timeline.end : -1),"
      + "\"period\":\(max(1, result.profile.os.tickPeriod.value)),\"far\":\(Figures.number(chart.frame.metres.to, 2)),"
      + "\"most\":\(result.profile.os.family == .iOS ? remaining?.most ?? 0 : -1),\"left\":\(word(remaining?.title ?? "")),"
      + "\"w\":\(list(windows)),\"f\":\(list(facts)),\"c\":\(list(seeing)),\"lanes\":\(list(lanes)),"
      + "\"d\":\(list(curve)),\"lines\":\(list(lines)),\"v\":\(list(verdicts))}"
  }
}
