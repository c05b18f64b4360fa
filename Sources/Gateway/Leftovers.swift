import GatewayConfiguration
import Messages

/// Which retained states at the broker are of things that the configuration does not know any more.
///
/// It learns from the broker what an earlier run left: that needs no file. Of a region's members only the region is
/// looked at; the state of one that is not heard any more expires by itself.
struct Leftovers: Sendable {
  private let topics: Topics
  /// As levels of topics.
  private let zones: Set<Substring>
  private let phones: Set<Substring>
  private let beacons: Set<Substring>
  private let regions: Set<Substring>

  init(_ configuration: Configuration) {
    topics = Topics(gateway: configuration.gatewayName)
    zones = Set(configuration.zones.map { Substring(topicLevel($0.name)) })
    phones = Set(configuration.phones.map { Substring(topicLevel($0.name)) })
    let levels = configuration.beacons.map { (Substring(topicLevel($0.name)), $0.pattern.isRegion) }
    beacons = Set(levels.lazy.filter { !$0.1 }.map(\.0))
    regions = Set(levels.lazy.filter(\.1).map(\.0))
  }

  /// What to subscribe to, to see what the broker keeps.
  var filters: [String] { [topics.occupancies, topics.beaconStates, topics.windows] }

  /// Whether the topic is one of ours.
  func isOwn(_ topic: String) -> Bool { parse(topic) != nil }

  /// Takes back the state at a topic; nil for one that is to stay, and for topics that are not ours.
  func removal(of topic: String) -> Message? {
    guard let (kind, name) = parse(topic) else { return nil }
    let isKnown =
      switch kind {
      case "zone": zones.contains(name)
      case "phone": phones.contains(name)
      default: beacons.contains(name) || region(of: name).map(regions.contains) ?? false
      }
    return isKnown ? nil : Message(topic: topic, payload: [], qos: .atLeastOnce, retained: true)
  }

  private func parse(_ topic: String) -> (kind: Substring, name: Substring)? {
    guard topic.hasPrefix(topics.base + "/") else { return nil }
    let levels = topic.dropFirst(topics.base.count + 1).split(
      separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 3 else { return nil }
    switch (levels[0], levels[2]) {
    case ("zone", "occupancy"), ("beacon", "state"), ("phone", "window"): return (levels[0], levels[1])
    default: return nil
    }
  }

  /// Of `fleet:1.2`, as a level: what is before the last colon.
  private func region(of name: Substring) -> Substring? {
    var end = name.endIndex
    while let percent = name[..<end].lastIndex(of: "%") {
      if name[percent...].hasPrefix("%3A") { return name[..<percent] }
      end = percent
    }
    return nil
  }
}
