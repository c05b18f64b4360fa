import Beacons
import Glibc
import Synchronization

/// The terminal, key by key and drawn as a whole. It is as it was before when `close` was called, and also if the program ends
/// otherwise, short of SIGKILL.
final class KeyTerminal {
  private let descriptor: Int32
  /// Keys that arrived together and are still to be returned, the last first.
  private var typed: [Character] = []

  /// What to restore at the end of the program.
  private static let usual = Mutex<(descriptor: Int32, settings: termios)?>(nil)

  /// nil: there is no terminal.
  ///
  /// The terminal itself, not standard input, which may be a recording.
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

  enum Press {
    case key(Character)
    case nothing
    /// The terminal is gone.
    case ended
  }

  /// The next key, or nothing after a while. Keys that send several characters, such as arrows, are no keys here.
  func press(within milliseconds: Int32) -> Press {
    if let key = typed.popLast() { return .key(key) }
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, milliseconds) > 0 else { return .nothing }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    guard count > 0 else { return .ended }
    // An escape begins what such a key sends, and it comes at once.
    let keys = bytes.prefix(count).prefix { $0 != 0x1B }.filter { $0 < 0x80 }
    typed = keys.reversed().map { Character(Unicode.Scalar($0)) }
    return typed.popLast().map { .key($0) } ?? .nothing
  }

  /// Columns and lines.
  var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws over what is there.
  func draw(_ lines: [String]) {
    let (width, height) = size
    let shown = lines.prefix(height).map { String($0.printable.prefix(width)) + "\u{1B}[K" }
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
