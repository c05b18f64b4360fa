import Glibc

/// Shows the progress of long work: one line on a terminal, overwritten each time; nothing without a terminal.
struct ProgressLine {
  private let isShown = isatty(2) == 1
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var shown: ContinuousClock.Instant

  init() {
    start = clock.now
    shown = start
  }

  /// - Parameters:
  ///   - offset: bytes that are done, of `length` if that is known.
  ///   - count: how many items are done; `unit` is their name in the plural.
  mutating func show(offset: Int64, length: Int64?, count: UInt64, unit: String) {
    guard isShown, clock.now - shown > .milliseconds(200) else { return }
    shown = clock.now
    let elapsed = (shown - start) / .seconds(1)
    let rate = Double(count) / elapsed
    var line = "\(grouped(count)) \(unit), \(grouped(UInt64(rate)))/s"
    if let length, length > 0, offset > 0 {
      let share = min(1, Double(offset) / Double(length))
      line = "\(Int(share * 100)) %  " + line + ", \(spoken(elapsed / share - elapsed)) left"
    }
    write("\r\u{1B}[K" + line)
  }

  /// Shows the current step.
  mutating func show(_ text: String) {
    guard isShown else { return }
    shown = clock.now
    write("\r\u{1B}[K" + text)
  }

  /// Removes the line.
  func finish() { if isShown, shown != start { write("\r\u{1B}[K") } }

  private func write(_ text: String) { _ = StandardStream.error.write(text.utf8) }

  private func grouped(_ number: UInt64) -> String {
    var digits = Array(String(number))
    for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(" ", at: position) }
    return String(digits)
  }

  private func spoken(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
  }
}
