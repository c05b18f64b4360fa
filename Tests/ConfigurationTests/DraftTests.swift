import Beacons
@testable import Configuration
import Core
import Proximity
import TestSupport
import Testing

@Suite struct DraftTests {
  /// Whatever the reader takes of the answers, it takes as they were meant.
  @Test func textReadsAsTheAnswersThatMadeIt() throws {
    var chance = SeededGenerator(seed: 22)
    var taken = 0
    for _ in 0..<3000 {
      let draft = Draft.any(using: &chance)
      guard let read = try? draft.read(path: "/nowhere/x.yaml") else { continue }
      taken += 1
      #expect(read.gatewayName == draft.gateway)
      #expect(read.beacons.map(\.name) == draft.beacons.map(\.name))
      #expect(read.beacons.map(\.pattern) == draft.beacons.map(\.pattern))
      #expect(read.zones.map(\.name) == (draft.zone.map { [$0.name] } ?? []))
      if case .remote(let remote) = draft.broker, case .remote(let broker) = read.broker {
        #expect(broker.username == remote.username)
        #expect("mqtt://\(broker.host)" == remote.url)
      } else {
        #expect(draft.broker == .embedded && read.broker == .embedded)
      }
    }
    #expect(taken > 500, "otherwise this shows nothing: \(taken)")
  }

  /// A text with quotes, colons and line ends stays one value, and adds no key.
  @Test func noAnswerGetsOutOfItsPlace() throws {
    var chance = SeededGenerator(seed: 23)
    for _ in 0..<3000 {
      let name = String.any(using: &chance)
      let draft = Draft(gateway: "g", beacons: [.init(name: name, pattern: .address(0xC100_0000_0001))])
      do throws(ConfigurationErrors) {
        let read = try draft.read(path: "")
        #expect(read.beacons.map(\.name) == [name])
      } catch {
        #expect(error.diagnostics.allSatisfy { !$0.message.contains("unknown") }, "\(error)")
      }
    }
  }

  @Test func exitIsAsTheReaderHasItByDefault() throws {
    for limit in ["-70 dBm", "3 m"] {
      let zone = Draft.Zone(name: "house", enter: .init(limit))
      let read = try Draft(gateway: "g", zone: zone).read(path: "").zones[0]
      let text =
        "zones: [{ name: house, enter: { \(limit.hasSuffix("m") && !limit.hasSuffix("dBm") ? "distance" : "signal"): \(limit), dwell: 3 s } }]"
      let usual = try Configuration.read(Array(text.utf8), path: "", environment: [:], hostName: "g")
      #expect(read.exit.threshold == usual.configuration.zones[0].exit.threshold)
    }
  }

  @Test func identitiesReadAsTheyAreWritten() {
    var chance = SeededGenerator(seed: 24)
    for _ in 0..<1000 {
      let pattern = BeaconPattern.any(using: &chance)
      #expect(BeaconPattern(identity: pattern.identity) == pattern, "\(pattern.identity)")
    }
  }

  @Test(arguments: ["", ":", "x", "C1:00", "a=b", "1:2:3", "F29DC74ADBBD12DE318AC8B046DD4425:1:x", "é"])
  func invalidIdentitiesAreRejected(text: String) { #expect(BeaconPattern(identity: text) == nil) }

  @Test func announcedBrokersAreFoundAndNonsenseIsNot() {
    let found = ServiceBrowse.urls(in: [
      "+;eth0;IPv4;x;_mqtt._tcp;local",
      "=;eth0;IPv4;x;_mqtt._tcp;local;pi.local;10.0.0.5;1883;",
      "=;eth0;IPv6;x;_mqtt._tcp;local;pi.local;fe80::1;1883;",
      "=;eth0;IPv4;x;_secure-mqtt._tcp;local;pi.local;10.0.0.5;8884;",
      "=;eth0;IPv4;x;_mqtt._tcp;local;evil@host;10.0.0.5;1883;",
      "=;eth0;IPv4;x;_mqtt._tcp;local;pi.local;10.0.0.5;0;",
    ])
    #expect(found == ["mqtt://pi.local", "mqtts://pi.local:8884"])
  }
}

extension String {
  fileprivate static func any(using chance: inout SeededGenerator) -> String {
    let pieces = [
      "a", "Z", "7", " ", "\"", "'", "\\", ":", ": ", "#", " #", "\n", "\t", "{", "}", "[", ",", "-", "&",
      "*", "!",
      "é", "🚐", "\u{2028}", "\u{85}", "\u{0}", "\u{FEFF}", "yes", "null", "~", "0x1", "%", "@", "`", "|", ">",
    ]
    return (0..<Int.random(in: 1...6, using: &chance)).map { _ in pieces.randomElement(using: &chance)! }
      .joined()
  }

  /// One that the reader may well take.
  fileprivate static func name(using chance: inout SeededGenerator) -> String {
    let tame = [
      "house", "yes", "123", "null", "Kate's key", "a: b", "x \"y\"", "1e3", "- a", "é 🚐", "0o7", "~", "a #b",
    ]
    return Int.random(in: 0..<6, using: &chance) == 0
      ? any(using: &chance) : tame.randomElement(using: &chance)!
  }
}

extension BeaconPattern {
  fileprivate static func any(using chance: inout SeededGenerator) -> Self {
    let number = UInt16.random(in: 0...65535, using: &chance)
    let wide = UInt128(UInt64.random(in: 0...(.max), using: &chance)) << 64 | UInt128(number)
    switch Int.random(in: 0..<6, using: &chance) {
    case 0: return .iBeacon(uuid: wide, major: nil, minor: nil)
    case 1: return .iBeacon(uuid: wide, major: number, minor: .random(in: 0...65535, using: &chance))
    case 2: return .eddystoneUID(namespace: wide >> 48, instance: UInt64(number))
    case 3: return .altBeacon(idPrefix: (0..<20).map { _ in .random(in: 0...255, using: &chance) })
    case 4: return .eddystoneURL("https://a.b/\(number)")
    default: return .address(0xC000_0000_0000 | UInt64(number))
    }
  }
}

extension Draft {
  fileprivate static func any(using chance: inout SeededGenerator) -> Self {
    var draft = Draft(gateway: .name(using: &chance))
    if Bool.random(using: &chance) {
      var remote = Remote(url: "mqtt://host\(Int.random(in: 0..<9, using: &chance))")
      if Bool.random(using: &chance) { remote.username = .name(using: &chance) }
      draft.broker = .remote(remote)
    }
    for _ in 0..<Int.random(in: 0...3, using: &chance) {
      draft.beacons.append(Beacon(name: .name(using: &chance), pattern: .any(using: &chance), signal: -60))
    }
    if Bool.random(using: &chance) {
      let limits = [nil, "-70 dBm", "3m", "90 cm", "-126 dBm", "999 m", "0 dBm"]
      draft.zone = Zone(
        name: .name(using: &chance), enter: limits.randomElement(using: &chance)!.map { Limit($0) })
    }
    return draft
  }
}
