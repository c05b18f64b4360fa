import Configuration
import Core
import Glibc
import Synchronization

/// Asks on standard error and reads answers from standard input, if that is a terminal.
final class Conversation: Sendable {
  let isAnswered: Bool
  private let lines = Mutex(StandardInputLines())

  /// - Parameter isAllowed: false: asks nothing.
  init(isAllowed: Bool) { isAnswered = isAllowed && isatty(0) == 1 }

  func ask(_ question: Question) -> Reply {
    guard isAnswered else { return .nobody }
    let usual = question.usual.flatMap { $0.isEmpty ? nil : " [\($0)]" } ?? ""
    let prompt = question.text + usual
    let words = prompt.printable + (prompt.hasSuffix("?") ? " " : ": ")
    let text = question.isSecret ? secretLine(after: words) : line(after: words)
    // If no line end was typed or shown, the cursor is still behind the question.
    if text == nil || question.isSecret { _ = StandardStream.error.write("\n".utf8) }
    return text.map { .text($0) } ?? .ended
  }

  /// nil at the end of the input.
  private func line(after prompt: String) -> String? {
    _ = StandardStream.error.write(prompt.utf8)
    return lines.withLock { lines in
      switch try? lines.next() {
      case .text(let text)?: text
      case .tooLong?: ""
      case nil: nil
      }
    }
  }

  /// Reads a line without showing it. The keys that would end the program are read as well, because the terminal does not
  /// handle them in this mode.
  private func secretLine(after prompt: String) -> String? {
    var usual = termios()
    guard tcgetattr(0, &usual) == 0 else { return line(after: prompt) }
    var silent = usual
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard tcsetattr(0, TCSADRAIN, &silent) == 0 else { return line(after: prompt) }
    defer { tcsetattr(0, TCSADRAIN, &usual) }
    // The question comes only after the terminal shows no input any more: the user may type as soon as it appears.
    _ = StandardStream.error.write(prompt.utf8)
    var typed: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = read(0, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return nil }
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return String(decoding: typed, as: UTF8.self)
      // Ctrl-C, and Ctrl-D on an empty line.
      case 3: return nil
      case 4: if typed.isEmpty { return nil }
      // Backspace deletes a whole character of UTF-8.
      case 8, 127: while let last = typed.popLast(), last & 0xC0 == 0x80 {}
      // Ctrl-U deletes the line.
      case 21: typed = []
      default: if byte >= 32 { typed.append(byte) }
      }
    }
  }
}
