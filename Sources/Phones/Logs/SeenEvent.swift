import Core

/// Something that a phone reports about its app: what happened to it, or what the app noticed.
public struct SeenEvent: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    /// An event that a timeline can contain, too, such as `background` or `region-enter`.
    case happened(PhoneEvent)
    /// The app saw that a beacon is near.
    case near
    /// A ranging callback or a scan result, with the app's distance and its signal strength in dBm, if it has them.
    case ranged(distance: Micrometres?, rssi: Int?)
    /// The app's process began to run.
    case launched
    case suspended
    case resumed
    /// The system ended the process.
    case terminated
    /// A task's expiration handler was called.
    case expiration
    /// `backgroundTimeRemaining`; nil: unlimited.
    case remaining(Milliseconds?)
    /// Android: the app's scan began or ended.
    case scan(Bool)
    /// The state of the region, which iOS also reports without an event.
    case inside(Bool)
    /// A word that means nothing here.
    case other(String)

    var isRegionEvent: Bool { self == .happened(.regionEnter) || self == .happened(.regionExit) }

    /// Whether it says that the phone is in the region, or is not; nil: it says neither.
    var isInside: Bool? {
      switch self {
      case .happened(.regionEnter), .inside(true): true
      case .happened(.regionExit), .inside(false): false
      default: nil
      }
    }
  }

  /// Milliseconds since 1970 on the phone's clock; nil: the phone did not say.
  public var time: Milliseconds?
  public var what: What
  /// A configured name, or `uuid/major/minor` in lower case; nil: not said.
  public var beacon: String?

  public init(time: Milliseconds?, what: What, beacon: String? = nil) {
    self.time = time
    self.what = what
    self.beacon = beacon
  }
}

extension SeenEvent {
  /// Why a line or a message is not an event.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// In bytes from the start, from 0.
    public var offset: Int
    public var description: String
  }

  /// Reads events that an app writes, a JSON object each:
  /// `{"time":"2026-11-28T10:00:03.250Z","event":"near","beacon":"pump"}`.
  ///
  /// `time` is RFC 3339, or seconds since 1970; a number too large for that is milliseconds. `event` is a word of a timeline, or
  /// one of `words`. An unknown word is an `other` event, and an unknown member is ignored, because apps write more than this. A
  /// reader remembers the names of tasks that have not ended; its size is bounded.
  public struct Reader: Sendable {
    /// Longer objects, in bytes, are refused unread.
    public static let largest = 1024
    /// The words that only a phone's log has, besides the events of a timeline.
    public static let words = [
      "near", "ranged", "launched", "suspended", "resumed", "terminated", "expiration", "remaining",
      "scan-start",
      "scan-stop",
    ]

    private var vocabulary = EventVocabulary(isLive: true)

    public init() {}

    /// Reads one object. The bytes may be hostile.
    public mutating func read(_ bytes: [UInt8]) throws(Fault) -> SeenEvent {
      guard bytes.count <= Self.largest else {
        throw Fault(offset: 0, description: "\(bytes.count) bytes are more than \(Self.largest)")
      }
      do throws(JSONCursor.Malformed) { return try event(FlatObject(bytes)) } catch {
        throw Fault(offset: error.offset, description: error.message)
      }
    }

    private mutating func event(_ object: FlatObject) throws(JSONCursor.Malformed) -> SeenEvent {
      var members: [String: FlatObject.Member] = [:]
      for member in object.members {
        guard members.updateValue(member, forKey: member.name) == nil else {
          throw member.misnamed("\"\(member.name.prefix(40))\" stands here twice")
        }
      }
      guard let word = members["event"] else {
        throw JSONCursor.Malformed(offset: 0, message: "\"event\" is missing")
      }
      return SeenEvent(
        time: try members["time"].map(Self.time) ?? nil, what: try what(word, members),
        beacon: try members["beacon"].map(Self.beacon) ?? nil)
    }

    private mutating func what(
      _ word: FlatObject.Member, _ members: [String: FlatObject.Member]
    ) throws(JSONCursor.Malformed) -> What {
      guard case .text(let name) = word.value else {
        throw word.malformed("\"event\" is a name in double quotes")
      }
      switch name {
      case "near": return .near
      case "ranged": return try Self.ranged(members["distance_m"], members["rssi"])
      case "launched": return .launched
      case "suspended": return .suspended
      case "resumed": return .resumed
      case "terminated": return .terminated
      case "expiration": return .expiration
      case "remaining": return .remaining(try Self.remaining(members["value"] ?? word))
      case "scan-start": return .scan(true)
      case "scan-stop": return .scan(false)
      case _ where EventVocabulary.events.contains(name):
        return .happened(try vocabulary.event(word, members))
      default: return .other(String(name.prefix(40)))
      }
    }

    /// nil: null.
    private static func time(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> Milliseconds? {
      switch member.value {
      case .null: return nil
      case .text(let text):
        if let time = WallTime(rfc3339: text) { return floorDivide(time.nanoseconds, by: 1_000_000) }
      // Until the year 5138 in seconds, and from 1973 on in milliseconds.
      case .number(let seconds) where seconds >= 0 && seconds < 1e11:
        return Milliseconds((seconds * 1000).rounded())
      case .number(let milliseconds) where milliseconds >= 1e11 && milliseconds < 1e14:
        return Milliseconds(milliseconds.rounded())
      default: break
      }
      throw member.malformed("\"time\" is one such as \"2026-11-28T10:00:03.250Z\", or seconds since 1970")
    }

    private static func beacon(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> String? {
      switch member.value {
      case .null: return nil
      case .text(let name) where !name.isEmpty && name.utf8.count <= 100:
        return name.split(separator: "/").count == 3 ? name.lowercased() : name
      default:
        throw member.malformed(
          "\"beacon\" is a name or uuid/major/minor in double quotes, of at most 100 octets")
      }
    }

    private static func ranged(
      _ distance: FlatObject.Member?, _ rssi: FlatObject.Member?
    ) throws(JSONCursor.Malformed) -> What {
      var metres: Micrometres?
      switch distance?.value {
      // iOS says -1 for an unknown distance.
      case nil, .null?, .number(-1)?: break
      case .number(let value)? where value >= 0 && value <= 1e6: metres = Micrometres((value * 1e6).rounded())
      default:
        throw JSONCursor.Malformed(offset: distance?.valueOffset ?? 0, message: "\"distance_m\" is metres")
      }
      switch rssi?.value {
      // iOS says 0 for an unknown strength.
      case nil, .null?, .number(0)?: return .ranged(distance: metres, rssi: nil)
      case .number(let value)? where value >= -127 && value <= 20:
        return .ranged(distance: metres, rssi: Int(value.rounded()))
      default: throw JSONCursor.Malformed(offset: rssi?.valueOffset ?? 0, message: "\"rssi\" is in dBm")
      }
    }

    private static func remaining(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> Milliseconds? {
      switch member.value {
      case .null: return nil
      case .number(let seconds) where seconds >= 0: return remaining(seconds)
      default:
        throw member.malformed("remaining has a \"value\" in seconds; null, or what iOS says, is unlimited")
      }
    }

    /// iOS says that background time is unlimited by the largest number there is.
    static func remaining(_ seconds: Double) -> Milliseconds? {
      seconds < 1e6 ? Milliseconds((max(0, seconds) * 1000).rounded()) : nil
    }
  }
}
