import Pages
import RangingPolicy

/// Explains the signs and bands of the drawings.
struct ChartKey {
  private static let signs: [(String, String)] = [
    ("✓ ◷ ✗", "near trigger: delivered, late, missed; the dashed line is the crossing"),
    ("▲ ▼", "region enter and exit; △ an event that woke nothing"),
    ("bar", "as long as it lasts; ▸ at its end: the expiration handler; ✕: killed; dashed outline: leaked"),
    ("∞", "background time without limit"),
    ("⊘ ?", "task refused, or the app did not run; end of an unknown task"),
    ("↑ ↓ ▶ ↻", "app to the foreground, to the background, started; phone rebooted"),
  ]

  func write(into page: inout Markup) {
    page.element("ul", ["class": "key", "aria-label": "Key to the drawings"]) { page in
      for state in Window.State.allCases { page.swatch(state.rawValue, state.words) }
      for (sign, words) in Self.signs {
        page.element("li") { page in
          page.element("b", sign)
          page.say(" \(words)")
        }
      }
    }
  }
}

extension Markup {
  /// An entry of a key: a colour, and what it means.
  mutating func swatch(_ style: String, _ words: String) {
    element("li") { page in
      page.element("span", ["class": "swatch \(style)", "aria-hidden": "true"], "")
      page.say(words)
    }
  }
}
