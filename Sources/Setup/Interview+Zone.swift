extension Interview {
  static let zoneOption = "--zone NAME, or --no-zone"

  mutating func nameZone() throws(SetupFault) {
    let name: String?
    switch given.zone {
    case .some(nil): return
    case .some(let given?): name = given
    case nil:
      if draft.beacons.isEmpty { return }
      name = nil
    }
    let question = Question(
      "Name of the zone around this machine, or - for none",
      usual: surroundings.isAnswered ? "house" : nil, option: Self.zoneOption)
    try settle(question, given: name) { interview, text in
      if text == "-", name == nil { return nil }
      return interview.take { $0.zone = Draft.Zone(name: text) }
    }
    guard draft.zone != nil else { return }
    try limitZone()
  }

  private mutating func limitZone() throws(SetupFault) {
    let signals = draft.beacons.compactMap(\.signal)
    if given.limit == nil, let strongest = signals.max(), let weakest = signals.min() {
      let range = strongest == weakest ? "\(strongest) dBm" : "\(strongest) to \(weakest) dBm"
      surroundings.tell("Your beacons are heard at \(range) now.")
    }
    let question = Question(
      "When is a beacon in it? At a signal (-70 dBm), within a distance (3 m), or Enter: when it is heard",
      usual: "", option: given.limit?.kind.map { "--\($0.rawValue)" } ?? "--signal")
    let kind = given.limit?.kind
    try settle(question, given: given.limit?.text) { interview, text in
      if text.isEmpty, kind == nil { return nil }
      return interview.take { $0.zone?.enter = Draft.Limit(text, kind) }
    }
  }
}
