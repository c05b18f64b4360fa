import Beacons

extension Interview {
  static let beaconOption = "--beacon NAME=IDENTITY, or --no-beacons"

  mutating func chooseBeacons() async throws(SetupFault) {
    if let beacons = given.beacons {
      for text in beacons {
        try settle(Question("Beacon", option: "--beacon"), given: text) { $0.takeBeacon($1) }
      }
      return
    }
    while try await !chooseFromTheAir() {}
  }

  /// Whether the choice is made; otherwise the user wants to listen once more.
  private mutating func chooseFromTheAir() async throws(SetupFault) -> Bool {
    var heard: [NearbyBeacon] = []
    do throws(NothingHeard) {
      heard = try await surroundings.listen()
      surroundings.tell(heard.isEmpty ? "No beacon was heard." : "Beacons in range, the strongest first:")
    } catch {
      surroundings.tell("Nothing can be heard: \(error.reason).")
    }
    for line in Self.table(heard) { surroundings.tell(line) }
    let numbers = heard.isEmpty ? "" : "Numbers such as 1,3 or 1-4; all; "
    surroundings.tell(
      "\(numbers)NAME=IDENTITY for one that you know; again to listen once more; Enter for none yet.")
    let question = Question(
      "Which beacons do you want to watch?", usual: "",
      option: Self.beaconOption)
    var chosen: [NearbyBeacon]? = []
    try settle(question, given: nil) { interview, text in
      if text.contains("=") { return interview.takeBeacon(text) }
      if text.lowercased() == "again" {
        chosen = nil
        return nil
      }
      guard let choice = Self.choice(text, of: heard.count) else {
        return "“\(text.printable)” is none of the choices"
      }
      chosen = choice.map { heard[$0] }
      return nil
    }
    for beacon in chosen ?? [] { try name(beacon) }
    return chosen != nil
  }

  private static func table(_ heard: [NearbyBeacon]) -> [String] {
    let rows = heard.enumerated().map { number, beacon in
      [
        "\(number + 1)", beacon.signal.map { "\($0) dBm" } ?? "–", beacon.format, beacon.pattern.identity,
        beacon.localName.map { "“\(String($0.printable.prefix(24)))”" } ?? "",
      ]
    }
    let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      "  "
        + zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        .trimmed
    }
  }

  /// Positions from 0 that `1,3-5` or `all` names; nil for anything else.
  static func choice(_ text: String, of count: Int) -> [Int]? {
    if text.isEmpty { return [] }
    if text.lowercased() == "all" { return Array(0..<count) }
    var choice: [Int] = []
    for part in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends.last ?? nil,
        first >= 1, first <= last, last <= count
      else { return nil }
      for number in first...last where !choice.contains(number - 1) { choice.append(number - 1) }
    }
    return choice
  }

  private mutating func name(_ beacon: NearbyBeacon) throws(SetupFault) {
    let question = Question(
      "Name of \(beacon.pattern.identity)", usual: freeName(like: beacon.name), option: Self.beaconOption)
    try settle(question, given: nil) { interview, name in
      interview.take { $0.beacons.append(.init(name: name, pattern: beacon.pattern, signal: beacon.signal)) }
    }
  }

  private func freeName(like name: String) -> String {
    let names = Set(draft.beacons.map(\.name))
    if !names.contains(name) { return name }
    return (2...).lazy.map { "\(name)-\($0)" }.first { !names.contains($0) } ?? name
  }

  /// Takes `NAME=IDENTITY`. A name may have equals signs, and so may a URL.
  private mutating func takeBeacon(_ text: String) -> String? {
    for index in text.indices.reversed() where text[index] == "=" {
      let identity = String(text[text.index(after: index)...]).trimmed
      guard let pattern = BeaconPattern(identity: identity) else { continue }
      let name = String(text[..<index]).trimmed
      return take { $0.beacons.append(.init(name: name, pattern: pattern)) }
    }
    return "“\(text.printable)” is not NAME=IDENTITY (an identity is an address such as C1:00:00:00:00:01, "
      + "UUID:MAJOR:MINOR, NAMESPACE:INSTANCE, an AltBeacon's id, or a URL)"
  }
}
