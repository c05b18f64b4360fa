import Phones

/// What happened to one phone, in sentences.
struct Account {
  let result: Simulation

  /// Everything that the drawing shows, for readers who cannot see it.
  var sentence: String {
    var parts: [String] = []
    for interval in result.intervals.prefix(12) {
      parts.append(
        "\(interval.state.label) from \(Figures.time(interval.from)) to \(Figures.time(interval.to))")
    }
    if result.intervals.count > 12 { parts.append("and \(result.intervals.count - 12) more states") }
    return "The app was " + parts.joined(separator: ", ") + ". " + verdict
  }

  /// The outcome of the near trigger.
  var verdict: String {
    guard let verdict = result.verdicts.first else {
      return "The phone never came near." + (result.outcome.map { " At the end: \($0.words)." } ?? "")
    }
    let crossing = "Near at \(Figures.time(verdict.crossed))"
    var text: String
    if let delivered = verdict.delivered, let lateness = verdict.lateness {
      text = "\(crossing), delivered at \(Figures.time(delivered))"
      if lateness >= 1000 {
        text += ", \(Figures.time(lateness)) late"
        if let block = verdict.blockedBy { text += ": \(block.words)" }
      }
    } else {
      text = "\(crossing), missed: \(verdict.outcome.words)"
      if let closing = result.closing {
        text += "; the app's window ended at \(Figures.time(closing.time))"
        if let distance = result.timeline.distance(at: closing.time) {
          text += " with the phone \(Figures.metres(distance)) away"
        }
      }
    }
    let count = result.verdicts.count
    if count == 1 { return text + "." }
    let delivered = result.verdicts.count { $0.outcome.isDelivered }
    return "\(delivered) of \(count) near triggers came through"
      + (result.missedPlaces.map { ", missed: \($0)" } ?? "") + ". The first: \(text)."
  }
}

extension PhoneProfile {
  var name: String { "\(os.name), \(strategy.name)" }
}
