import Beacons
import Glibc
import Machine
import Synchronization

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
