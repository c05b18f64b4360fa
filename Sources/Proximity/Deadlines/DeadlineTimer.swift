/// What a deadline is about. At equal times links come before presences, so a silence that ends a dwell is noticed before the
/// dwell counts as complete.
struct DeadlineTimer: Hashable, Comparable, Sendable {
  private let rawValue: UInt32
  private static let presenceBit: UInt32 = 1 << 31

  static func link(_ index: Int32) -> Self { Self(rawValue: UInt32(index)) }
  static func presence(_ index: Int32) -> Self { Self(rawValue: UInt32(index) | presenceBit) }

  var isPresence: Bool { rawValue & Self.presenceBit != 0 }
  var index: Int { Int(rawValue & ~Self.presenceBit) }
  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One element per timer.
struct TimerTable<Element: Sendable>: Sendable {
  var links: [Element] = []
  var presences: [Element] = []

  subscript(timer: DeadlineTimer) -> Element {
    get { timer.isPresence ? presences[timer.index] : links[timer.index] }
    set {
      if timer.isPresence {
        presences[timer.index] = newValue
      } else {
        links[timer.index] = newValue
      }
    }
  }
}
