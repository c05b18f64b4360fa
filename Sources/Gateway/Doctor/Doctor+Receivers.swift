import Configuration
import Contract
import Core
import Mosquitto
import Synchronization

/// Whether the configured receivers send anything. Only the running gateway knows; its `health` says it.
extension Doctor {
  /// The largest number of names in a line.
  private static let toldLimit = 10

  /// Receivers of rooms and zones that no adapter and no scanner provides.
  func strangers() -> [DoctorFinding] {
    let remedies = named.map { ($0, configuration.remedy(ifNobodyProvides: $0)) }.filter { $0.1 != nil }
    guard let first = remedies.first else { return [] }
    let names = listed(remedies.map(\.0))
    return [DoctorFinding("receivers", .warning, "no adapter or scanner provides \(names)", remedy: first.1)]
  }

  /// The retained messages of these topics that the broker returns.
  private func retained(
    _ topics: [String], through filter: String? = nil, _ options: Options
  ) async -> [String: [UInt8]] {
    guard let client = try? Client(options) else { return [:] }
    for filter in filter.map({ [$0] }) ?? topics { try? client.subscribe(to: filter, qos: .atMostOnce) }
    let found = Mutex<[String: [UInt8]]>([:])
    _ = await client.firstAnswer(within: .seconds(3)) { event -> Bool? in
      switch event {
      case .message(let message) where topics.contains(message.topic) && message.retain:
        found.withLock { found in
          found[message.topic] = message.payload
          return found.count == topics.count ? true : nil
        }
      case .refused, .subscriptionRefused: true
      default: nil
      }
    }
    return found.withLock { $0 }
  }

  /// Whether the broker returns what it retains to a subscription with wildcards.
  private func retention(_ options: Options) async -> [DoctorFinding] {
    let topics = configuration.topics
    let found = await retained([topics.status], through: topics.base + "/+", options)
    guard found.isEmpty else { return [] }
    let words =
      "the broker sends no retained messages to a subscription with wildcards, or does not let the gateway read them; what an earlier configuration left is cleared only as far as this machine remembers it"
    return [
      DoctorFinding(
        "retained", .warning, words,
        remedy: "with Home Assistant, or several gateways, use a broker that does, such as mosquitto")
    ]
  }

  /// Findings from the topics that a gateway of this name retains; none if it has never run.
  func remains(_ options: Options) async -> [DoctorFinding] {
    let topics = configuration.topics
    let found = await retained([topics.status, topics.health], options)
    let receivers = receivers(status: found[topics.status], health: found[topics.health])
    return found[topics.status] == nil ? receivers : await retention(options) + receivers
  }

  /// Receivers that are gone or hear nothing, as the running gateway says.
  private func receivers(status: [UInt8]?, health payload: [UInt8]?) -> [DoctorFinding] {
    let awaited = named.filter { configuration.remedy(ifNobodyProvides: $0) == nil }
    if awaited.isEmpty, configuration.scanners.isEmpty { return [] }
    let whom = awaited.isEmpty ? "the scanners" : listed(awaited)
    let topics = configuration.topics
    func isUnknown(_ why: String) -> [DoctorFinding] {
      let words =
        "whether anything comes from \(whom) is not known: \(why); look again while the gateway runs"
      return [DoctorFinding("receivers", .ok, words)]
    }
    // A gateway that has ended left an outdated `health`.
    if status == Array(Status.offline.rawValue.utf8) {
      return isUnknown("\(topics.status) is offline")
    }
    guard let payload,
      let health = try? JSONTree(payload, limit: payload.count),
      case .list(let entries)? = health["receivers"]
    else { return isUnknown("no health at \(topics.health)") }
    let time = (health.text("time") ?? "").printable
    let blind = entries.filter(\.isBlindReceiver)
    let isAllBlind = !entries.isEmpty && blind.count == entries.count
    let faults = blind.map { entry in
      finding(entry, time, isRequired: isAllBlind || awaited.contains(entry.text("name") ?? ""))
    }
    let silent = awaited.filter { name in
      entries.contains { $0.text("name") == name && $0.text("last_heard") == nil && !$0.isBlindReceiver }
    }
    if let first = silent.first {
      let warning = DoctorFinding(
        "receivers", .warning,
        "nothing was heard through \(listed(silent)) since the gateway started, as of \(time)",
        remedy:
          "\(first) reports itself, but hears nobody: see that its Bluetooth is on and that a beacon is near")
      return told(faults) + [warning] + differences(entries)
    }
    let mute = silentScanners(health, time)
    let names = entries.compactMap { $0.text("name") }
    let unknown = awaited.filter { !names.contains($0) }
    let quiet = entries.filter { $0.text("state") == "quiet" }.compactMap { $0.text("name") }.map(\.printable)
    let fine =
      unknown.isEmpty
      ? DoctorFinding(
        "receivers", .ok,
        "health of \(time) misses none of \(whom)"
          + (quiet.isEmpty ? "" : "; nothing came lately from \(listed(quiet))"))
      : DoctorFinding(
        "receivers", .warning, "health of \(time) does not know yet whether \(listed(unknown)) can hear",
        remedy: "look again in some seconds")
    return (faults.isEmpty && mute.isEmpty ? [fine] : told(faults)) + mute + differences(entries)
  }

  /// Scanners of which nothing has come: their topics may be misspelled.
  private func silentScanners(_ health: JSONTree, _ time: String) -> [DoctorFinding] {
    guard case .list(let scanners)? = health["scanners"] else { return [] }
    return scanners.compactMap { scanner in
      let topic = "\((scanner.text("topic") ?? "").printable) (\((scanner.text("kind") ?? "").printable))"
      let messages = scanner["messages"]?.wholeNumber ?? 0
      if messages == 0 {
        return DoctorFinding(
          "scanners", .warning, "nothing has come on \(topic) since the gateway started, as of \(time)",
          remedy: "if they are on, look with mosquitto_sub -v -t '#' where they publish, and name that topic")
      }
      guard scanner["without_signal"]?.wholeNumber == messages else { return nil }
      return DoctorFinding(
        "scanners", .warning,
        "all \(messages) messages on \(topic) were without a signal strength, as of \(time)",
        remedy: "look with mosquitto_sub -v under which name they have it, and name that as rssi:")
    }
  }

  private func told(_ faults: [DoctorFinding]) -> [DoctorFinding] {
    let told = Array(faults.sorted { $0.state == .fault && $1.state != .fault }.prefix(Self.toldLimit))
    let rest = faults.count - told.count
    return rest == 0 ? told : told + [DoctorFinding("receivers", .warning, "and \(rest) more")]
  }

  /// The finding about a receiver that is gone or hears nothing.
  ///
  /// - Parameter isRequired: zones or rooms are blind without it.
  private func finding(_ entry: JSONTree, _ time: String, isRequired: Bool) -> DoctorFinding {
    let name = (entry.text("name") ?? "").printable
    let (state, reason) = ((entry.text("state") ?? "").printable, (entry.text("reason") ?? "").printable)
    let remedy =
      switch state {
      case "missing", "gone":
        configuration.scanners.isEmpty
          ? "see that \(name) is plugged in"
          : "see that \(name) is on, that it publishes to this broker, and that the configuration spells its name as it does"
      default: "see that the Bluetooth of \(name) is on and that a beacon is near"
      }
    return DoctorFinding(
      "receivers", isRequired ? .fault : .warning,
      "\(name) is \(state) as of \(time)" + (reason.isEmpty ? "" : ": \(reason)"), remedy: remedy)
  }

  /// Differences between receivers that rooms have learned.
  private func differences(_ entries: [JSONTree]) -> [DoctorFinding] {
    let gains = entries.compactMap { entry -> (String, Double)? in
      guard let name = entry.text("name"), case .number(let gain)? = entry["gain_db"] else { return nil }
      return (name, gain)
    }
    let words = gainWords(gains)
    return words.isEmpty
      ? []
      : [
        DoctorFinding(
          "receivers", .ok,
          "rooms have learned how much more or less these hear than expected: \(listed(words))")
      ]
  }

  /// Receivers of rooms and zones, in order, each once.
  private var named: [String] {
    var seen: Set<String> = []
    let all = configuration.rooms.flatMap(\.receivers) + configuration.zones.flatMap { $0.receivers ?? [] }
    return all.filter { seen.insert($0).inserted }
  }

  private func listed(_ names: [String]) -> String {
    let told = names.prefix(Self.toldLimit).joined(separator: ", ")
    return names.count > Self.toldLimit ? "\(told) and \(names.count - Self.toldLimit) more" : told
  }
}

extension JSONTree {
  /// Whether the silence of a receiver in `health` proves nothing; see `HealthMessage.Receiver`.
  fileprivate var isBlindReceiver: Bool { !["ok", "quiet", "lossy", "doubted", nil].contains(text("state")) }
}
