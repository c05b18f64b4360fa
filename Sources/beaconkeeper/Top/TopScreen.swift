import Core
import Glibc
import Synchronization

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

/// The live overview on the terminal, until q.
final class TopWatch: Sendable {
  private let feed: TopFeed
  private let isColoured: Bool
  private let isOver = Mutex(false)

  /// The delay of reactions to keys, resizing and news, in milliseconds.
  private static let pause: Int32 = 100

  init(_ feed: TopFeed) {
    self.feed = feed
    // https://no-color.org
    isColoured = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  func run(_ terminal: KeyTerminal) async {
    let following = Task { [feed] in await feed.run() }
    await terminal.follow(onSignal: { [self] in isOver.withLock { $0 = true } }, follow)
    following.cancel()
  }

  private func follow(_ terminal: KeyTerminal) {
    var screen = TopScreen()
    var drawn: (version: Int, second: Int64, width: Int, height: Int)?
    while !isOver.withLock({ $0 }) {
      let (state, now, size) = (feed.current, LiveClock.now, terminal.size)
      let next = (state.version, now.nanoseconds / 1_000_000_000, size.width, size.height)
      // Ages and remaining times change between two overviews.
      if drawn.map({ $0 != next }) ?? true {
        let tables = TopTables(picture: state.picture, trails: state.trails, now: state.now(at: now))
        let lines = screen.lines(
          tables, fault: state.fault, age: (now - state.arrived).seconds, height: size.height)
        terminal.draw(
          ready: lines.map { $0.text(width: size.width, isColoured: isColoured) }, height: size.height)
        drawn = next
      }
      switch terminal.press(within: Self.pause) {
      case .nothing: continue
      case let press:
        if screen.press(press) { return }
        drawn = nil
      }
    }
  }
}
