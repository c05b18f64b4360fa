import Beacons
import Dashboard
import HTTP
import Messages

/// `events`: the overview about once a second, and each decision as it is made.
final class OverviewStream: EventSource {
  private let stage: any Stage
  private let overviews: SharedOverview
  private let rights: Rights
  /// The place in the recent decisions.
  private var place: Int
  private var shown = MonotonicTime(nanoseconds: .min)

  init(_ stage: any Stage, _ overviews: SharedOverview, from place: Int, rights: Rights) {
    self.stage = stage
    self.overviews = overviews
    self.place = place
    self.rights = rights
  }

  func next() -> [UInt8] {
    var events: [UInt8] = []
    let (entries, end) = stage.look { [place] _, recent, _ in
      (recent.end == place ? [] : recent.entries(from: place), recent.end)
    }
    place = end
    for entry in entries {
      switch entry {
      case .transition(let message): events += event("transition", id: message.number, message.json)
      case .verdict(let message): events += event("verdict", message.json)
      }
    }
    let (json, made) = overviews.version(for: rights)
    if made > shown {
      shown = made
      events += event("overview", json)
    }
    return events
  }
}

/// One event of a stream; JSON has no line ends.
func event(_ name: String, id: String? = nil, _ json: [UInt8]) -> [UInt8] {
  Array("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ".utf8) + json + Array("\n\n".utf8)
}
