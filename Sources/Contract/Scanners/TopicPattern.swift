/// A topic with fields in some of its levels: `espresense/devices/{id}/{receiver}`. A level is a text, a field in braces, or `+`
/// for any text; the last may be `#` for any further levels.
package struct TopicPattern: Hashable, Sendable {
  /// The meaning of a level.
  package enum Field: String, CaseIterable, Sendable {
    /// The receiver.
    case receiver
    /// The beacon's Bluetooth address.
    case address
    /// The scanner's own name for the beacon.
    case id
    /// The Beaconkeeper that publishes, and the partition of its beacons.
    case gateway, partition
  }

  /// Why a text is not a valid pattern.
  package enum Problem: Error, Hashable, Sendable {
    case empty
    /// A level that is neither a text, a known field, nor a wildcard on its own.
    case level(String)
    case repeated(Field)
    case tooLong
  }

  private enum Level: Hashable {
    case text(String)
    case any
    case field(Field)
    case rest
  }

  package static let limit = 200
  private let levels: [Level]

  private init(levels: [Level]) { self.levels = levels }

  package init(_ text: String) throws(Problem) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.limit else { throw .tooLong }
    var levels: [Level] = []
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part == "+" {
        levels.append(.any)
      } else if part == "#", index == parts.count - 1 {
        levels.append(.rest)
      } else if part.hasPrefix("{"), part.hasSuffix("}"),
        let field = Field(rawValue: String(part.dropFirst().dropLast()))
      {
        guard !levels.contains(.field(field)) else { throw .repeated(field) }
        levels.append(.field(field))
      } else if part.utf8.allSatisfy({ !"+#{}\0".utf8.contains($0) }) {
        levels.append(.text(String(part)))
      } else {
        throw .level(String(part))
      }
    }
    self.levels = levels
  }

  package func has(_ field: Field) -> Bool { levels.contains(.field(field)) }

  /// The pattern with fields instead of its wildcards: the meaning of `home/+/BTtoMQTT/+` for a kind. If there are fewer
  /// wildcards than fields, the last fields are used.
  func naming(_ fields: [Field]) -> TopicPattern {
    guard Field.allCases.allSatisfy({ !has($0) }) else { return self }
    var rest = fields.suffix(levels.count { $0 == .any })
    return TopicPattern(
      levels: levels.map { level in level == .any ? rest.popFirst().map(Level.field) ?? level : level })
  }

  /// The pattern in which the last level with this text and those after it are replaced; nil if there is none, or if a field
  /// would be repeated.
  func replacing(from level: String, by others: TopicPattern) -> TopicPattern? {
    guard let place = levels.lastIndex(of: .text(level)) else { return nil }
    let kept = levels[..<place]
    guard Field.allCases.allSatisfy({ !kept.contains(.field($0)) || !others.has($0) }) else { return nil }
    return TopicPattern(levels: kept + others.levels)
  }

  /// The MQTT filter that its topics match.
  package var filter: String {
    levels.map { level in
      switch level {
      case .text(let text): text
      case .any, .field: "+"
      case .rest: "#"
      }
    }.joined(separator: "/")
  }

  /// The values of the fields in a topic; nil if it does not match.
  func match(_ topic: String) -> [Field: String]? {
    var fields: [Field: String] = [:]
    var rest = topic.utf8[...]
    var isFirst = true
    for level in levels {
      if !isFirst {
        // `a/#` matches `a` too.
        if rest.isEmpty { return level == .rest ? fields : nil }
        rest = rest.dropFirst()
      }
      isFirst = false
      if level == .rest { return fields }
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let part = rest[..<end]
      rest = rest[end...]
      switch level {
      case .text(let text): guard part.elementsEqual(text.utf8) else { return nil }
      case .field(let field): fields[field] = String(Substring(part))
      case .any, .rest: break
      }
    }
    return rest.isEmpty ? fields : nil
  }
}
