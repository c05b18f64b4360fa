import Phones

/// The appearance of an outcome: a sign, a word and a class, so that colour is never the only difference.
struct Outcome {
  var sign: String
  var word: String
  var style: String

  init(_ reason: Reason?, wasNear: Bool) {
    switch reason {
    case .delivered: self = Outcome(sign: "✓", word: "delivered", style: "ok")
    case .deliveredLate: self = Outcome(sign: "◷", word: "late", style: "late")
    case _ where !wasNear: self = Outcome(sign: "–", word: "never near", style: "none")
    default: self = Outcome(sign: "✗", word: "missed", style: "bad")
    }
  }

  /// The outcome of all near triggers together. A miss must not be hidden behind a delivery.
  init(_ result: Simulation) {
    let delivered = result.verdicts.filter(\.outcome.isDelivered)
    if delivered.isEmpty {
      self.init(result.verdicts.isEmpty ? result.outcome : .notDetected, wasNear: !result.verdicts.isEmpty)
    } else if delivered.count < result.verdicts.count {
      self = Outcome(sign: "◐", word: "in part", style: "part")
    } else {
      let late = delivered.first { $0.outcome == .deliveredLate }
      self.init(late?.outcome ?? .delivered, wasNear: true)
    }
  }

  /// The outcome of a plan.
  init(_ proposal: WakeProposal) {
    self =
      switch proposal.verdict {
      case .gapFree: Outcome(sign: "✓", word: "no gap", style: "ok")
      case .needsNone: Outcome(sign: "–", word: "none needed", style: "none")
      case .none where proposal.plan == nil: Outcome(sign: "✗", word: "no plan", style: "bad")
      case .none: Outcome(sign: "◷", word: "in part", style: "late")
      }
  }

  private init(sign: String, word: String, style: String) {
    self.sign = sign
    self.word = word
    self.style = style
  }

  func write(into page: inout Markup) {
    page.element("span", ["class": "tag \(style)"]) { page in
      page.element("span", ["aria-hidden": "true"], sign + " ")
      page.say(word)
    }
  }
}

extension Window.State {
  /// Its meaning for the app, in a few words.
  var words: String {
    switch self {
    case .foreground: "foreground: the app is on the screen"
    case .ranging: "ranging: in the background, and it sees beacons"
    case .background: "awake: in the background, but not ranging"
    case .suspended: "suspended: the app sleeps"
    case .terminated: "ended: the app does not run"
    }
  }

  /// A label short enough for a band.
  var label: String {
    switch self {
    case .foreground: "foreground"
    case .ranging: "ranging"
    case .background: "awake"
    case .suspended: "suspended"
    case .terminated: "ended"
    }
  }
}

extension Confidence {
  var words: String {
    switch self {
    case .high: "H: primary document, source code or device log"
    case .medium: "M: credible secondary source"
    case .low: "L: single report or inference"
    }
  }
}
