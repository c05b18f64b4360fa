/// What is wrong with a line of a timeline file.
public struct TimelineFault: Error, Hashable, Sendable {
  /// From 1.
  public var line: Int
  /// In bytes, from 1.
  public var column: Int
  public var message: String
  public var hint: String?
}

/// Reads a timeline: one JSON object a line, `{"t":0,"distance_m":50}` or `{"t":3,"event":"background"}`, in any order.
public struct TimelineFile {
  /// No more faults than these are collected.
  static let faultLimit = 20

  public static let events: [String] = [
    "foreground", "background", "region-enter", "region-exit", "begin-task", "end-task", "audio-on",
    "audio-off",
    "screen-on", "screen-off", "bluetooth-on", "bluetooth-off", "permission", "location-start",
    "location-stop",
    "force-quit", "low-memory", "reboot", "user-launch", "debugger", "location-services-on",
    "location-services-off", "still", "moving", "bucket",
  ]

  private var entries: [Timeline.Entry] = []
  private var waypoints: [Timeline.Waypoint] = []
  private var taskNames: [String: TaskID] = [:]
  public private(set) var faults: [TimelineFault] = []
  private var line = 0

  public init(_ bytes: [UInt8]) {
    for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do throws(FlatJSON.Fault) {
        try read(FlatJSON(Array(text)))
      } catch {
        let all = "events: " + Self.events.joined(separator: ", ")
        let hint = error.message.hasPrefix("no event") ? all : nil
        faults.append(TimelineFault(line: line, column: error.offset + 1, message: error.message, hint: hint))
      }
      if faults.count == Self.faultLimit { break }
    }
  }

  public var isEmpty: Bool { entries.isEmpty && waypoints.isEmpty }

  /// `end`: how long to follow it; nil: until its last line.
  public func timeline(until end: Milliseconds? = nil) -> Timeline {
    Timeline(events: entries, waypoints: waypoints, end: end)
  }

  private mutating func read(_ object: FlatJSON) throws(FlatJSON.Fault) {
    var members: [String: FlatJSON.Member] = [:]
    for member in object.members {
      guard Self.names.contains(member.name) else {
        throw FlatJSON.Fault(
          offset: member.nameOffset,
          message: "no member is called \"\(member.name.prefix(40))\"; \(Self.names.joined(separator: ", "))")
      }
      guard members.updateValue(member, forKey: member.name) == nil else {
        throw FlatJSON.Fault(offset: member.nameOffset, message: "\"\(member.name)\" stands here twice")
      }
    }
    guard let t = members["t"] else { throw FlatJSON.Fault(offset: 0, message: "\"t\" (seconds) is missing") }
    guard case .number(let seconds) = t.value, seconds >= 0, seconds <= 3.2e8 else {
      throw FlatJSON.Fault(offset: t.valueOffset, message: "\"t\" is seconds, from 0 to ten years")
    }
    let time = Milliseconds((seconds * 1000).rounded())
    if let distance = members["distance_m"] { try readWaypoint(distance, at: time) }
    if let event = members["event"] {
      entries.append(.init(time: time, event: try self.event(event, members)))
    } else if members["distance_m"] == nil {
      throw FlatJSON.Fault(offset: 0, message: "\"distance_m\" or \"event\" is missing")
    }
  }

  private static let names = ["t", "distance_m", "event", "id", "value", "granted"]

  private mutating func readWaypoint(_ member: FlatJSON.Member, at time: Milliseconds) throws(FlatJSON.Fault)
  {
    switch member.value {
    case .null: waypoints.append(.init(time: time, distance: nil))
    case .number(let metres) where metres >= 0 && metres <= 1e6:
      waypoints.append(.init(time: time, distance: Micrometres((metres * 1e6).rounded())))
    default:
      throw FlatJSON.Fault(
        offset: member.valueOffset,
        message: "\"distance_m\" is metres, from 0 to 1000000, or null: out of earshot")
    }
  }

  private mutating func event(
    _ member: FlatJSON.Member, _ members: [String: FlatJSON.Member]
  ) throws(FlatJSON.Fault) -> PhoneEvent {
    guard case .text(let name) = member.value else {
      throw FlatJSON.Fault(offset: member.valueOffset, message: "\"event\" is a name in double quotes")
    }
    switch name {
    case "foreground": return .foreground
    case "background": return .background
    case "region-enter": return .regionEnter
    case "region-exit": return .regionExit
    case "audio-on": return .audio(true)
    case "audio-off": return .audio(false)
    case "screen-on": return .screen(true)
    case "screen-off": return .screen(false)
    case "bluetooth-on": return .bluetooth(true)
    case "bluetooth-off": return .bluetooth(false)
    case "location-start": return .location(true)
    case "location-stop": return .location(false)
    case "location-services-on": return .locationServices(true)
    case "location-services-off": return .locationServices(false)
    case "force-quit": return .forceQuit
    case "low-memory": return .lowMemory
    case "reboot": return .reboot
    case "user-launch": return .userLaunch
    case "still": return .still(true)
    case "moving": return .still(false)
    case "debugger": return .debugger(try flag(members["value"]) ?? true)
    case "begin-task":
      let isInvalid = members["id"]?.value == .text("invalid")
      return .beginTask(try task(members["id"]), granted: try flag(members["granted"]) ?? !isInvalid)
    case "end-task": return .endTask(try task(members["id"]))
    case "permission": return .permission(try permission(members["value"] ?? member))
    case "bucket": return .bucket(try bucket(members["value"] ?? member))
    default:
      throw FlatJSON.Fault(offset: member.valueOffset, message: "no event is called \"\(name.prefix(40))\"")
    }
  }

  private func flag(_ member: FlatJSON.Member?) throws(FlatJSON.Fault) -> Bool? {
    guard let member else { return nil }
    guard case .flag(let flag) = member.value else {
      throw FlatJSON.Fault(offset: member.valueOffset, message: "true or false is wanted")
    }
    return flag
  }

  /// The app's own name for a task: a string or a number; left out: one nameless variable.
  private mutating func task(_ member: FlatJSON.Member?) throws(FlatJSON.Fault) -> TaskID {
    let name: String
    switch member?.value {
    case nil, .null: name = ""
    case .text(let text): name = text
    case .number(let number):
      name = number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    case .flag:
      throw FlatJSON.Fault(offset: member?.valueOffset ?? 0, message: "\"id\" is a string or a number")
    }
    if let known = taskNames[name] { return known }
    let id = TaskID(rawValue: Int32(truncatingIfNeeded: taskNames.count))
    taskNames[name] = id
    return id
  }

  private func permission(_ member: FlatJSON.Member) throws(FlatJSON.Fault) -> Permission {
    if case .text(let text) = member.value {
      if let permission = Permission(rawValue: text) { return permission }
      if text == "reduced" { return .reducedAccuracy }
      if text == "granted" || text == "full" || text == "full-accuracy" { return .always }
    }
    let all = Permission.allCases.map(\.rawValue).joined(separator: ", ")
    throw FlatJSON.Fault(offset: member.valueOffset, message: "\"value\" of a permission is one of \(all)")
  }

  /// Android's standby buckets with the period of their allowance.
  private func bucket(_ member: FlatJSON.Member) throws(FlatJSON.Fault) -> Milliseconds? {
    switch member.value {
    case .text("active"): return nil
    case .text("working-set"): return .minutes(120)
    case .text("frequent"): return .minutes(480)
    case .text("rare"): return .minutes(1440)
    default:
      throw FlatJSON.Fault(
        offset: member.valueOffset,
        message: "\"value\" of a bucket is one of active, working-set, frequent, rare")
    }
  }
}
