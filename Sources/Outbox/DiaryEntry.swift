import Contract
import Core

/// One thing that happened.
package struct DiaryEntry: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// A transition of a zone or a room.
    case zone
    case room
    /// A button press, a movement, or a change of a binary reading.
    case event
    /// The outcome of a near trigger on a phone.
    case verdict
    /// A receiver became blind, or hears again.
    case receiver
    /// The gateway started, stopped, or got another configuration.
    case gateway
  }

  /// Counts the entries of a diary; 0: it is not on disk yet.
  package var number: Int64 = 0
  package var time: WallTime
  package var kind: Kind
  /// The beacon, phone or receiver; empty for the gateway.
  package var thing: String
  /// The zone or room; for an event, the reading that reported it; else empty.
  package var place: String
  /// What happened, such as `enter`, `press`, `missed`, `blind`, `start`.
  package var word: String
  /// Why, in words; empty for a transition, which has its own reason.
  package var detail: String
  /// The transition, if the kind is `zone` or `room`; nil: this version cannot read it.
  package var transition: TransitionMessage?

  package init(
    time: WallTime, kind: Kind, thing: String = "", place: String = "", word: String, detail: String = ""
  ) {
    self.time = time
    self.kind = kind
    self.thing = thing
    self.place = place
    self.word = word
    self.detail = detail
  }

  /// - Parameter detail: for an event, which has no evidence.
  package init(_ transition: TransitionMessage, detail: String = "") {
    let kind: Kind =
      switch transition.kind {
      case .zone: .zone
      case .room: .room
      case nil: .event
      }
    var place = transition.place
    if case .event(let event) = transition.decision { place = event.reading.name }
    self.init(
      time: transition.wallTime, kind: kind, thing: transition.beacon, place: place, word: transition.word,
      detail: detail)
    if kind != .event { self.transition = transition }
  }
}

/// Which entries of the diary to read.
package struct DiaryQuery: Sendable {
  /// Happened at this time or later; nil: whenever.
  package var since: WallTime?
  /// Happened before this time.
  package var until: WallTime?
  package var thing: String?
  package var place: String?
  /// Empty: all.
  package var kinds: Set<DiaryEntry.Kind> = []
  /// Only entries with a lower number.
  package var before: Int64?

  package init() {}

  package func matches(_ entry: DiaryEntry) -> Bool {
    since.map { entry.time >= $0 } ?? true && until.map { entry.time < $0 } ?? true
      && thing.map { entry.thing == $0 } ?? true && place.map { entry.place == $0 } ?? true
      && (kinds.isEmpty || kinds.contains(entry.kind))
  }
}
