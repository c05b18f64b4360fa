import Beacons
import Glibc
import Synchronization

/// Lines for people, written by a task of its own: a terminal that is held (Ctrl-S), or a pipe that nobody
/// reads, must not hold up the gateway. What does not fit is left out, oldest first.
final class Console: Sendable {
  private enum Line: Sendable {
    /// Standard output: what the gateway does.
    case told(String)
    /// Standard error: what a person should know besides.
    case said(String)
  }

  private let lines: AsyncStream<Line>.Continuation
  private let isDone = Atomic(false)

  init() {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Line.self, bufferingPolicy: .bufferingNewest(1000))
    lines = continuation
    Task.detached { [self] in
      for await line in stream {
        switch line {
        case .told(let text):
          // Who reads along and then goes away, as `head` does, has seen enough: it ends as on Ctrl-C.
          if StandardStream.output.write((text.printable + "\n").utf8) == EPIPE { kill(getpid(), SIGTERM) }
        case .said(let text): beaconkeeper.say(text)
        }
      }
      isDone.store(true, ordering: .releasing)
    }
  }

  func tell(_ line: String) { lines.yield(.told(line)) }

  func say(_ line: String) { lines.yield(.said(line)) }

  /// Writes what still waits, if that is possible within half a second.
  func finish() async {
    lines.finish()
    for _ in 0..<50 where !isDone.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(10)) }
  }
}
