import Beacons
import Configuration
import Contract
import Core
import Mosquitto

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

  /// What the broker retains on a topic; nil: nothing, or it cannot be read.
  private func retained(_ topic: String, _ options: Options) async -> [UInt8]? {
    guard let client = try? Client(options),
      (try? client.subscribe(to: topic, qos: .atMostOnce)) != nil
    else { return nil }
    let found = await client.firstAnswer(within: .seconds(3)) { event -> [UInt8]?? in
      switch event {
      case .message(let message) where message.topic == topic && message.retain: .some(message.payload)
      case .refused, .subscriptionRefused: .some(nil)
      default: nil
      }
    }
    return found ?? nil
  }

  /// Receivers that a scanner could provide, but that send nothing.
  func silentReceivers(_ options: Options) async -> [DoctorFinding] {
    let awaited = named.filter { configuration.remedy(ifNobodyProvides: $0) == nil }
    if awaited.isEmpty { return [] }
    let topic = Topics(gateway: configuration.gatewayName).health
    guard let payload = await retained(topic, options),
      let health = try? JSONTree(payload), case .list(let entries)? = health["receivers"]
    else {
      return [
        DoctorFinding(
          "receivers", .ok,
          "whether anything comes from \(listed(awaited)) is not known: no health at \(topic); look again while the gateway runs"
        )
      ]
    }
    let time = (health.text("time") ?? "").printable
    let silent = awaited.filter { name in
      entries.contains { $0.text("name") == name && $0.text("last_heard") == nil }
    }
    guard let first = silent.first else {
      return [DoctorFinding("receivers", .ok, "health of \(time) misses none of \(listed(awaited))")]
        + differences(entries)
    }
    let isAbsent = entries.contains { $0.text("name") == first && $0.text("state") == "missing" }
    return [
      DoctorFinding(
        "receivers", .warning,
        "nothing was heard through \(listed(silent)) since the gateway started, as of \(time)",
        remedy: isAbsent
          ? "see that \(first) is on, that it publishes to this broker, and that its name is spelt as it spells it"
          : "\(first) reports itself, but hears nobody: see that its Bluetooth is on and that a beacon is near"
      )
    ] + differences(entries)
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
          "receivers", .ok, "compared with what rooms expect of them, as was learned: \(listed(words))")
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
