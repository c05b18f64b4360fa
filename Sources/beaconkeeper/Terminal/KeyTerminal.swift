import Core
import Dispatch
import Glibc
import Synchronization

/// A terminal that reads single keys and draws whole screens. `close` restores it, and so does every other end of the program
/// except SIGKILL.
final class KeyTerminal {
  private let descriptor: Int32
  /// Keys that arrived together and were not returned yet, the last first.
  private var typed: [Press] = []

  /// The terminal's settings, to restore at the end of the program.
  private static let usual = Mutex<(descriptor: Int32, settings: termios)?>(nil)

  /// nil: there is no terminal.
  ///
  /// It opens the terminal itself, not standard input, which may be a recording.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      Glibc.close(descriptor)
      return nil
    }
    let (usual, number) = (settings, descriptor)
    Self.usual.withLock { $0 = (number, usual) }
    atexit { KeyTerminal.restore() }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON)
    tcsetattr(descriptor, TCSADRAIN, &settings)
    // The alternate screen, without cursor: the terminal's content returns at the end.
    write("\u{1B}[?1049h\u{1B}[?25l")
  }

  func close() {
    Self.restore()
    Glibc.close(descriptor)
  }

  private static func restore() {
    usual.withLock { usual in
      guard var known = usual else { return }
      usual = nil
      let text = Array("\u{1B}[?25h\u{1B}[?1049l".utf8)
      _ = text.withUnsafeBytes { Glibc.write(known.descriptor, $0.baseAddress, $0.count) }
      tcsetattr(known.descriptor, TCSANOW, &known.settings)
    }
  }

  enum Press: Equatable {
    case key(Character)
    case arrow(Arrow)
    case nothing
    /// The terminal is gone.
    case ended
  }

  enum Arrow {
    case up, down, pageUp, pageDown, home, end
  }

  /// The next key, or nothing after a while.
  func press(within milliseconds: Int32) -> Press {
    if let press = typed.popLast() { return press }
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, milliseconds) > 0 else { return .nothing }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    guard count > 0 else { return .ended }
    typed = Self.presses(bytes.prefix(count)).reversed()
    return typed.popLast() ?? .nothing
  }

  /// The keys in what was read. Arrow keys and the like send an escape and more bytes at once (ECMA-48, section 5.4). Unknown
  /// ones, and characters beyond ASCII, are ignored.
  static func presses(_ bytes: some Collection<UInt8>) -> [Press] {
    var presses: [Press] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1B else {
        if byte < 0x80 { presses.append(.key(Character(Unicode.Scalar(byte)))) }
        continue
      }
      guard let start = rest.first, start == UInt8(ascii: "[") || start == UInt8(ascii: "O") else { continue }
      rest.removeFirst()
      let numbers = rest.prefix { (0x20..<0x40).contains($0) }
      rest = rest.dropFirst(numbers.count)
      guard let last = rest.popFirst() else { continue }
      if let arrow = arrow(String(decoding: numbers, as: UTF8.self), last) { presses.append(.arrow(arrow)) }
    }
    return presses
  }

  private static func arrow(_ numbers: String, _ last: UInt8) -> Arrow? {
    switch (last, numbers) {
    case (UInt8(ascii: "A"), _): .up
    case (UInt8(ascii: "B"), _): .down
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): .end
    case (UInt8(ascii: "~"), "5"): .pageUp
    case (UInt8(ascii: "~"), "6"): .pageDown
    default: nil
    }
  }

  /// Columns and lines.
  var size: (width: Int, height: Int) { Self.size(of: descriptor) ?? (80, 24) }

  /// nil: it is no terminal, or one that does not know.
  static func size(of descriptor: Int32) -> (width: Int, height: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws over the previous content.
  func draw(_ lines: [String]) {
    let size = size
    draw(ready: lines.map { $0.printable.cut(to: size.width) }, height: size.height)
  }

  /// Draws lines that are already cut and printable, perhaps with colours.
  func draw(ready lines: [String], height: Int) {
    let shown = lines.prefix(height).map { $0 + "\u{1B}[K" }
    write("\u{1B}[H" + shown.joined(separator: "\r\n") + "\u{1B}[J")
  }

  private func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

extension KeyTerminal {
  /// Lends the terminal to `body`, and closes it when `body` returns.
  ///
  /// - Parameters:
  ///   - end: called, on any thread, at each signal that would end the program (SIGINT, SIGTERM, SIGHUP); `body` should return
  ///     soon after that.
  ///   - body: has its own thread, because it waits for keys.
  func follow<Result: Sendable>(
    onSignal end: @escaping @Sendable () -> Void, _ body: @escaping @Sendable (KeyTerminal) -> Result
  ) async -> Result {
    let signals = SignalWatch(SIGINT, SIGTERM, SIGHUP, handler: end)
    let result = await withCheckedContinuation { done in
      let box = Box(terminal: self)
      DispatchQueue(label: "keys").async { done.resume(returning: body(box.terminal)) }
    }
    close()
    signals.end()
    return result
  }

  /// Passes the terminal to the thread that uses it.
  private struct Box: @unchecked Sendable {
    let terminal: KeyTerminal
  }
}

/// Catches signals that would end the program, until `end`.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]
  private let numbers: [Int32]

  /// - Parameter handler: called, on any thread, at each of the signals.
  init(_ numbers: Int32..., handler: @escaping @Sendable () -> Void) {
    self.numbers = numbers
    sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      source.activate()
      return source
    }
  }

  /// From now on the signals end the program again.
  func end() {
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
  }
}
