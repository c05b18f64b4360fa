import Beacons
import Core

/// Parses reports about a phone from its app or a home automation: a word such as `background`, a word with a value
/// such as `permission denied`, or a JSON object such as `{"event":"permission","value":"denied"}`. The words are
/// those of timeline files. `audio`, `screen`, `bluetooth`, `location` and `location-services` take on or off.
/// `terminated` takes low-memory (the default), force-quit or reboot.
public struct AppReports: Sendable {
  /// Longer reports, in bytes, are refused unread.
  public static let largest = 1024

  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
  }

  var vocabulary = EventVocabulary(isLive: true)

  public init() {}

  /// Reads one report. The bytes may be hostile.
  public mutating func read(_ payload: [UInt8]) throws(Refusal) -> PhoneEvent {
    guard payload.count <= Self.largest else {
      throw Refusal(description: "\(payload.count) bytes are more than \(Self.largest)")
    }
    // Line breaks and tabs count as spaces.
    let bytes = payload.map { $0 == 0x0A || $0 == 0x0D || $0 == 0x09 ? 0x20 : $0 }
    do throws(JSONCursor.Malformed) {
      let first = bytes.first { $0 != 0x20 }
      return try event(first == UInt8(ascii: "{") ? members(ofJSON: bytes) : members(ofWords: bytes))
    } catch {
      throw Refusal(description: error.message)
    }
  }

  private mutating func event(_ members: [String: FlatObject.Member]) throws(JSONCursor.Malformed)
    -> PhoneEvent
  {
    guard let event = members["event"] else {
      throw JSONCursor.Malformed(offset: 0, message: "no event is named")
    }
    guard case .text(let word) = event.value else { return try vocabulary.event(event, members) }
    var named = event
    var members = members
    switch word {
    case "audio", "screen", "bluetooth", "location-services":
      named.value = .text(word + (try isOn(members["value"], word) ? "-on" : "-off"))
    case "location":
      named.value = .text(word + (try isOn(members["value"], word) ? "-start" : "-stop"))
    case "terminated":
      named.value = members["value"]?.value ?? .text("low-memory")
      guard [.text("low-memory"), .text("force-quit"), .text("reboot")].contains(named.value) else {
        throw JSONCursor.Malformed(
          offset: 0, message: "\"value\" of terminated is one of low-memory, force-quit, reboot")
      }
    default: return try vocabulary.event(named, members)
    }
    // The value is now part of the event's name.
    members["value"] = nil
    return try vocabulary.event(named, members)
  }

  private func isOn(_ member: FlatObject.Member?, _ word: String) throws(JSONCursor.Malformed) -> Bool {
    switch member?.value {
    case .flag(let flag): return flag
    case .text("on"): return true
    case .text("off"): return false
    default: throw JSONCursor.Malformed(offset: 0, message: "\"value\" of \(word) is on or off")
    }
  }

  private func members(ofJSON bytes: [UInt8]) throws(JSONCursor.Malformed) -> [String: FlatObject.Member] {
    try FlatObject(bytes).members(named: ["event", "value", "id", "granted", "handler"])
  }

  /// A word, possibly with a value after a space, a colon or an equals sign.
  private func members(ofWords bytes: [UInt8]) throws(JSONCursor.Malformed) -> [String: FlatObject.Member] {
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw JSONCursor.Malformed(offset: 0, message: "neither words nor a JSON object")
    }
    let words = String(decoding: bytes, as: UTF8.self).split { " :=".contains($0) }.map(String.init)
    guard let event = words.first, words.count <= 2 else {
      throw JSONCursor.Malformed(offset: 0, message: "a word, or a word and its value, is wanted")
    }
    var members = ["event": member("event", .text(event.lowercased()))]
    guard words.count == 2 else { return members }
    if event.lowercased().hasSuffix("-task") {
      members["id"] = member("id", .text(words[1]))
    } else {
      let value = words[1].lowercased()
      let flags: [String: Bool] = ["true": true, "false": false]
      members["value"] = member("value", flags[value].map(FlatObject.Value.flag) ?? .text(value))
    }
    return members
  }

  private func member(_ name: String, _ value: FlatObject.Value) -> FlatObject.Member {
    FlatObject.Member(name: name, nameOffset: 0, value: value, valueOffset: 0)
  }
}

extension PhoneEvent {
  /// Whether the event starts a lasting state. An old report may then still be true.
  public var isLasting: Bool {
    switch self {
    case .bluetooth, .permission, .locationServices, .foreground, .background, .debugger, .screen, .audio,
      .still, .bucket, .onAir:
      true
    case .userLaunch, .forceQuit, .lowMemory, .reboot, .motion, .regionEnter, .regionExit, .location,
      .backgroundFetch, .beginTask, .endTask, .near:
      false
    }
  }
}

extension AppReports: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("tasks", &vocabulary.tasks)
    try coder("last_task", &vocabulary.lastTask, in: -1...Int32.max)
    try coder.check(
      vocabulary.tasks.count <= EventVocabulary.taskLimit
        && vocabulary.tasks.allSatisfy { $0.value.rawValue >= 0 && $0.key.utf8.count <= Self.largest })
  }
}
