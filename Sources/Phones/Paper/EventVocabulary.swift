import Core

/// The words for events of a phone, in timeline files and in reports of the phone's real app.
struct EventVocabulary: Sendable {
  static let events: [String] = [
    "foreground", "background", "region-enter", "region-exit", "begin-task", "end-task", "audio-on",
    "audio-off",
    "screen-on", "screen-off", "bluetooth-on", "bluetooth-off", "permission", "location-start",
    "location-stop",
    "background-fetch", "force-quit", "low-memory", "reboot", "user-launch", "debugger",
    "location-services-on",
    "location-services-off", "still", "moving", "bucket",
  ]

  /// In a live stream a name is dropped once its task has ended, and at most this many are kept, because an
  /// app may invent new names without end.
  static let taskLimit = 256
  private let isLive: Bool
  /// By the app's own name for the task.
  var tasks: [String: TaskID] = [:]
  var lastTask: Int32 = -1

  /// - Parameter isLive: whether events come in the order in which they happen, without end.
  init(isLive: Bool) { self.isLive = isLive }

  /// - Parameters:
  ///   - member: the name of the event.
  ///   - members: the other members of its object, by name.
  mutating func event(
    _ member: FlatObject.Member, _ members: [String: FlatObject.Member]
  ) throws(JSONCursor.Malformed) -> PhoneEvent {
    guard case .text(let name) = member.value else {
      throw member.malformed("\"event\" is a name in double quotes")
    }
    try refuseStrangers(among: members, of: name)
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
    case "background-fetch": return .backgroundFetch
    case "force-quit": return .forceQuit
    case "low-memory": return .lowMemory
    case "reboot": return .reboot
    case "user-launch": return .userLaunch
    case "still": return .still(true)
    case "moving": return .still(false)
    case "debugger": return .debugger(try flag(members["value"]) ?? true)
    case "begin-task":
      let isInvalid = members["id"]?.value == .text("invalid")
      return .beginTask(
        try task(members["id"]), granted: try flag(members["granted"]) ?? !isInvalid,
        hasHandler: try flag(members["handler"]) ?? false)
    case "end-task": return .endTask(try task(members["id"], isEnd: true))
    case "permission": return .permission(try permission(members["value"] ?? member))
    case "bucket": return .bucket(try bucket(members["value"] ?? member))
    default:
      throw member.malformed("no event is called \"\(name.prefix(40))\"")
    }
  }

  /// Refuses members that an event does not use, so that mistakes are not overlooked.
  private func refuseStrangers(
    among members: [String: FlatObject.Member], of event: String
  ) throws(JSONCursor.Malformed) {
    guard Self.events.contains(event) else { return }
    let taken: [String]
    switch event {
    case "begin-task": taken = ["id", "granted", "handler"]
    case "end-task": taken = ["id"]
    case "permission", "bucket", "debugger": taken = ["value"]
    default: taken = []
    }
    for name in ["id", "granted", "handler", "value"] where !taken.contains(name) {
      guard let member = members[name] else { continue }
      let hint = taken.isEmpty ? "nothing" : taken.map { "\"\($0)\"" }.joined(separator: ", ")
      throw member.misnamed("\(event) has no \"\(name)\"; it takes \(hint)")
    }
  }

  private func flag(_ member: FlatObject.Member?) throws(JSONCursor.Malformed) -> Bool? {
    guard let member else { return nil }
    guard case .flag(let flag) = member.value else { throw member.malformed("true or false is wanted") }
    return flag
  }

  /// The app's own name for a task: a string or a number. Without one it is a single nameless variable.
  private mutating func task(
    _ member: FlatObject.Member?, isEnd: Bool = false
  ) throws(JSONCursor.Malformed) -> TaskID {
    let name: String
    switch member?.value {
    case nil, .null: name = ""
    case .text(let text): name = text
    case .number(let number):
      name = number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
    case .flag:
      throw JSONCursor.Malformed(offset: member?.valueOffset ?? 0, message: "\"id\" is a string or a number")
    }
    let known = tasks[name]
    if isLive && isEnd { tasks[name] = nil }
    if let known { return known }
    lastTask = lastTask == .max ? 0 : lastTask + 1
    let id = TaskID(rawValue: lastTask)
    if isLive && isEnd { return id }
    // More than a phone grants, so they belong to processes long gone.
    if isLive && tasks.count == Self.taskLimit { tasks.removeAll() }
    tasks[name] = id
    return id
  }

  private func permission(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> Permission {
    if case .text(let text) = member.value {
      if let permission = Permission(rawValue: text) { return permission }
      if text == "reduced" { return .reducedAccuracy }
      if text == "granted" || text == "full" || text == "full-accuracy" { return .always }
    }
    let all = Permission.allCases.map(\.rawValue).joined(separator: ", ")
    throw member.malformed("\"value\" of a permission is one of \(all)")
  }

  /// Android's standby buckets, as the period of their allowance.
  private func bucket(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> Milliseconds? {
    switch member.value {
    case .text("active"): return nil
    case .text("working-set"): return .minutes(120)
    case .text("frequent"): return .minutes(480)
    case .text("rare"): return .minutes(1440)
    default:
      throw member.malformed("\"value\" of a bucket is one of active, working-set, frequent, rare")
    }
  }
}
