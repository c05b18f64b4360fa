import Beacons
import Contract
import Core

/// The members of a place in one partition; see `OccupancyMessage`. A large site reads hundreds of these a second, so they are
/// read without building a tree.
struct OccupancyList {
  var state = ""
  var members: [OccupancyMessage.Member] = []

  /// nil for anything else.
  init?(_ payload: [UInt8]) {
    do throws(JSONCursor.Malformed) {
      let bytes = payload.span
      var cursor = JSONCursor()
      var isListed = false
      try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
        switch name {
        case "state": state = try Self.text(bytes, &cursor) ?? ""
        case "beacons":
          isListed = true
          try cursor.elements(bytes) { cursor throws(JSONCursor.Malformed) in
            if let member = try Self.member(bytes, &cursor) { members.append(member) }
          }
        default: try cursor.skipValue(bytes)
        }
      }
      guard cursor.peek(bytes) == nil, isListed, ["occupied", "empty", "unknown"].contains(state) else {
        return nil
      }
    } catch {
      return nil
    }
  }

  /// nil: beacon or time is missing.
  private static func member(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> OccupancyMessage.Member? {
    var beacon: String?
    var since: WallTime?
    var displayName: String?
    var isNear: Bool?
    try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
      switch name {
      case "beacon": beacon = try text(bytes, &cursor)
      case "since": since = try text(bytes, &cursor).flatMap { WallTime(rfc3339: $0) }
      case "name": displayName = try text(bytes, &cursor)
      case "near" where cursor.takeWord("true", bytes): isNear = true
      case "near" where cursor.takeWord("false", bytes): isNear = false
      default: try cursor.skipValue(bytes)
      }
    }
    guard let beacon, let since else { return nil }
    return OccupancyMessage.Member(beacon: beacon, displayName: displayName, since: since, isNear: isNear)
  }

  /// Reads a text; nil: the value has another type.
  private static func text(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> String? {
    guard cursor.peek(bytes) == UInt8(ascii: "\"") else {
      try cursor.skipValue(bytes)
      return nil
    }
    return try JSONString.decode(cursor.string(bytes), of: bytes)
  }
}
