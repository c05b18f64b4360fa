import Beacons

/// The content of `top` on a terminal, and its keys.
struct TopScreen {
  private(set) var order = TopTables.Order.name
  /// How many lines are scrolled off at the top.
  private(set) var offset = 0
  private var length = 0
  private var room = 0

  /// Returns whether it ends.
  mutating func press(_ press: KeyTerminal.Press) -> Bool {
    switch press {
    case .key("q"), .key("\u{3}"), .ended: return true
    case .key("s"): order = order.next
    case .key("j"), .arrow(.down): offset += 1
    case .key("k"), .arrow(.up): offset -= 1
    case .key(" "), .arrow(.pageDown): offset += max(1, room - 1)
    case .key("b"), .arrow(.pageUp): offset -= max(1, room - 1)
    case .key("g"), .arrow(.home): offset = 0
    case .key("G"), .arrow(.end): offset = length
    case .key, .arrow, .nothing: break
    }
    offset = max(0, min(offset, length - room))
    return false
  }

  /// - Parameters:
  ///   - fault: why there is no newer overview; nil: there is one.
  ///   - age: how old the overview is, in seconds.
  mutating func lines(_ tables: TopTables, fault: String?, age: Double, height: Int) -> [StyledLine] {
    var tables = tables
    tables.order = order
    var head = [tables.head]
    if let fault { head.append(StyledLine("\(fault); as of \(Int(age)) s ago; trying again", .bad)) }
    let body = tables.lines
    length = body.count
    room = max(1, height - head.count - 2)
    offset = max(0, min(offset, length - room))
    var foot = StyledLine(" q quit   ↑↓ scroll   s sorted by \(order.rawValue) ", .title)
    let below = length - room - offset
    if below > 0 { foot.add("  \(below) more \(below == 1 ? "line" : "lines") below", .dim) }
    let shown = Array(body.dropFirst(offset).prefix(room))
    let gap = Array(repeating: StyledLine(), count: max(0, room - shown.count))
    return head + [StyledLine()] + shown + gap + [foot]
  }
}
