import Core

/// The overview as the pages have it. A page gets the whole once, and then only changes, because most of it is as it was a second
/// ago.
///
/// Changes of an object are an object of its changed members; `-` lists those that are gone. Changes of a list are
/// `{"of":{…},"ids":[…]}`: its changed elements by their id, and all ids if an element came or went. Anything else is sent as a
/// whole.
package struct ToldOverview: Sendable {
  private indirect enum Part: Sendable {
    case value(ArraySlice<UInt8>)
    case object([Member])
    /// A list of objects with an id.
    case list([Member])
  }

  private struct Member: Sendable {
    /// As in JSON, without the quotation marks.
    var name: ArraySlice<UInt8>
    var part: Part
  }

  /// Lists whose elements have an id, and its name.
  private static let lists: [String: StaticString] = [
    "zones": "zone", "rooms": "room", "beacons": "beacon", "approaching": "beacon", "phones": "phone",
    "receivers": "name",
  ]

  /// Decisions are events of their own, rights are the client's, and the page does not show the counters of `health`.
  private static let untold: Set<String> = [
    "transitions", "events", "verdicts", "time", "rights", "login", "advertisements", "sightings", "heard",
    "empty",
  ]

  private var whole: Part

  /// - Parameter json: an overview.
  package init(_ json: [UInt8]) { whole = Self.read(json) }

  /// The changes from here to a later overview; nil: there are none.
  ///
  /// - Parameter isExact: small differences are sent, too.
  package mutating func changes(to json: [UInt8], isExact: Bool = false) -> [UInt8]? {
    let (merged, changes) = Self.compare(whole, Self.read(json), "", isExact)
    whole = merged
    return changes
  }

  // MARK: Comparing

  /// The part that pages have from now on, and the changes to send for that.
  private static func compare(
    _ old: Part, _ new: Part, _ name: String, _ isExact: Bool
  ) -> (told: Part, changes: [UInt8]?) {
    switch (old, new) {
    case (.value(let was), .value(let now)):
      if was == now { return (new, nil) }
      // A copy, because a slice keeps the whole text.
      if !isExact, isAlike(was, now, name) { return (.value(ArraySlice(Array(was))), nil) }
    case (.object(let was), .object(let now)):
      var known: [ArraySlice<UInt8>: Part] = [:]
      for member in was { known[member.name] = member.part }
      var told: [Member] = []
      var changes: [[UInt8]] = []
      for member in now {
        let (part, change) = change(from: known.removeValue(forKey: member.name), to: member, isExact)
        told.append(Member(name: member.name, part: part))
        if let change { changes.append(change) }
      }
      if !known.isEmpty {
        changes.append(Array(#""-":["#.utf8) + joined(known.keys.map { quoted($0) }) + Array("]".utf8))
      }
      return (.object(told), changes.isEmpty ? nil : braced(changes))
    case (.list(let was), .list(let now)):
      var known: [ArraySlice<UInt8>: Part] = [:]
      for member in was { known[member.name] = member.part }
      let isSame = was.count == now.count && now.allSatisfy { known[$0.name] != nil }
      var told: [Member] = []
      var changes: [[UInt8]] = []
      for member in now {
        let (part, change) = change(from: known[member.name], to: member, isExact)
        told.append(Member(name: member.name, part: part))
        if let change { changes.append(change) }
      }
      if isSame, changes.isEmpty { return (.list(told), nil) }
      var all = [Array(#""of":"#.utf8) + braced(changes)]
      if !isSame {
        all.append(Array(#""ids":["#.utf8) + joined(now.map { quoted($0.name) }) + Array("]".utf8))
      }
      return (.list(told), braced(all))
    default: break
    }
    return (new, text(of: new))
  }

  private static func change(
    from old: Part?, to member: Member, _ isExact: Bool
  ) -> (told: Part, change: [UInt8]?) {
    let key = quoted(member.name) + [UInt8(ascii: ":")]
    guard let old else { return (member.part, key + text(of: member.part)) }
    let (told, changes) = compare(
      old, member.part, String(decoding: member.name, as: UTF8.self), isExact)
    return (told, changes.map { key + $0 })
  }

  /// Whether a page would show both alike, or nearly so. The comparison is with what was sent, so small differences add up until
  /// they are sent. At times all differences are sent.
  private static func isAlike(_ was: ArraySlice<UInt8>, _ now: ArraySlice<UInt8>, _ name: String) -> Bool {
    let span: (absolute: Double, relative: Double)
    switch name {
    case "rssi_dbm": span = (2, 0)
    case "distance_m", "distance_sd_m": span = (0.15, 0.1)
    case "probability": span = (0.05, 0)
    case "interval_s": span = (0, 0.2)
    case "advertisements_per_s": span = (0.5, 0.1)
    // The page counts down itself.
    case "remaining_s": span = (.infinity, 0)
    case "last_seen", "last_heard":
      guard let was = time(was), let now = time(now) else { return false }
      return was <= now && now - was < .seconds(5)
    default: return false
    }
    guard let was = Double(String(decoding: was, as: UTF8.self)),
      let now = Double(String(decoding: now, as: UTF8.self))
    else { return false }
    return abs(was - now) < max(span.absolute, span.relative * abs(was))
  }

  private static func time(_ quoted: ArraySlice<UInt8>) -> WallTime? {
    WallTime(rfc3339: String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))
  }

  // MARK: Reading and writing

  private static func read(_ json: [UInt8]) -> Part {
    var cursor = JSONCursor()
    return (try? part(json, &cursor, "")) ?? .value(json[...])
  }

  private static func part(
    _ json: [UInt8], _ cursor: inout JSONCursor, _ name: String
  ) throws(JSONCursor.Malformed) -> Part {
    let bytes = json.span
    let first = cursor.peek(bytes)
    let start = cursor.position
    if first == UInt8(ascii: "{") { return .object(try members(json, &cursor)) }
    guard first == UInt8(ascii: "["), let id = lists[name] else {
      try cursor.skipValue(bytes)
      return .value(json[start..<cursor.position])
    }
    cursor.position += 1
    if cursor.take("]", bytes) { return .list([]) }
    var elements: [Member] = []
    repeat {
      // `receivers` and `rooms` of a zone are names, and evidence has receivers, too.
      guard cursor.peek(bytes) == UInt8(ascii: "{"), case let members = try members(json, &cursor),
        let member = members.first(where: { $0.name.span.equals(id) }), case .value(let text) = member.part
      else {
        cursor.position = start
        try cursor.skipValue(bytes)
        return .value(json[start..<cursor.position])
      }
      elements.append(Member(name: text.dropFirst().dropLast(), part: .object(members)))
    } while cursor.take(",", bytes)
    try cursor.expect("]", bytes, "the array has no closing bracket")
    return .list(elements)
  }

  private static func members(
    _ json: [UInt8], _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> [Member] {
    let bytes = json.span
    var members: [Member] = []
    cursor.position += 1
    if cursor.take("}", bytes) { return [] }
    repeat {
      let name = json[try cursor.string(bytes)]
      try cursor.expect(":", bytes, "a colon belongs between key and value")
      let text = String(decoding: name, as: UTF8.self)
      let part = try part(json, &cursor, text)
      if !untold.contains(text) { members.append(Member(name: name, part: part)) }
    } while cursor.take(",", bytes)
    try cursor.expect("}", bytes, "the object has no closing brace")
    return members
  }

  private static func text(of part: Part) -> [UInt8] {
    switch part {
    case .value(let text): Array(text)
    case .object(let members):
      braced(members.map { quoted($0.name) + [UInt8(ascii: ":")] + text(of: $0.part) })
    case .list(let elements):
      [UInt8(ascii: "[")] + joined(elements.map { text(of: $0.part) }) + [UInt8(ascii: "]")]
    }
  }

  private static func quoted(_ name: ArraySlice<UInt8>) -> [UInt8] {
    [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")]
  }

  private static func braced(_ members: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "{")] + joined(members) + [UInt8(ascii: "}")]
  }

  private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    Array(parts.joined(separator: [UInt8(ascii: ",")]))
  }
}
