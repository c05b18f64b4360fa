import Beacons
import Dispatch
import Glibc
import Machine
import Synchronization

/// The live picture on the terminal, until q.
final class TopWatch: Sendable {
  private let feed: TopFeed
  private let isColoured: Bool
  private let isOver = Mutex(false)

  /// How soon keys, another size of the terminal and news show, in milliseconds.
  private static let pause: Int32 = 100
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  init(_ feed: TopFeed) {
    self.feed = feed
    // https://no-color.org
    isColoured = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  /// The terminal on its way to the thread that has it alone.
  private struct TerminalBox: @unchecked Sendable {
    let terminal: KeyTerminal
    init(_ terminal: KeyTerminal) { self.terminal = terminal }
  }

  func run(_ terminal: KeyTerminal) async {
    let following = Task { [feed] in await feed.run() }
    let signals = Self.signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in isOver.withLock { $0 = true } }
      source.activate()
      return source
    }
    await withCheckedContinuation { done in
      // It waits for keys, so it has a thread of its own.
      let box = TerminalBox(terminal)
      DispatchQueue(label: "keys").async {
        self.follow(box.terminal)
        done.resume()
      }
    }
    terminal.close()
    following.cancel()
    for source in signals { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  private func follow(_ terminal: KeyTerminal) {
    var screen = TopScreen()
    var drawn: (version: Int, second: Int64, width: Int, height: Int)?
    while !isOver.withLock({ $0 }) {
      let (state, now, size) = (feed.current, LiveClock.now, terminal.size)
      let next = (state.version, now.nanoseconds / 1_000_000_000, size.width, size.height)
      // Ages and remaining times go on between two pictures.
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
