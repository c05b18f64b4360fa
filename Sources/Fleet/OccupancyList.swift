import Beacons
import JSON
import Messages

/// Who is in a place, as a partition says it; see `OccupancyMessage`. The site has as many of these to read as it has transitions,
/// so it is read without a tree.
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
        case "state": state = try JSONString.decode(cursor.string(bytes), of: bytes)
        case "beacons":
          isListed = true
          try cursor.elements(bytes) { cursor throws(JSONCursor.Malformed) in
            members.append(try Self.member(bytes, &cursor))
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

  private static func member(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> OccupancyMessage.Member {
    var beacon: String?
    var since: WallTime?
    var displayName: String?
    var isNear: Bool?
    try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
      switch name {
      case "beacon": beacon = try JSONString.decode(cursor.string(bytes), of: bytes)
      case "since": since = WallTime(rfc3339: try JSONString.decode(cursor.string(bytes), of: bytes))
      case "name": displayName = try JSONString.decode(cursor.string(bytes), of: bytes)
      case "near" where cursor.takeWord("true", bytes): isNear = true
      case "near" where cursor.takeWord("false", bytes): isNear = false
      default: try cursor.skipValue(bytes)
      }
    }
    guard let beacon, let since else { throw cursor.malformed("a beacon and a time belong here") }
    return OccupancyMessage.Member(beacon: beacon, displayName: displayName, since: since, isNear: isNear)
  }
}
