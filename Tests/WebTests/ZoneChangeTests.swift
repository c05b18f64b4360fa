import Beacons
import Configuration
import Core
import Foundation
import Phones
import Proximity
import TestSupport
import Testing
@testable import Web

/// What can be tried can be saved. The file then means what was tried, to zones and to phones.
@Suite struct ZoneChangeTests {
  private static let beacons = """
    gateway: { name: forecourt }
    rooms: [{ name: hall, receivers: [a] }]
    beacons: [{ name: van, address: "C1:00:00:00:00:01" }, { name: cat, address: "C1:00:00:00:00:02" }]
    phones:
      - { name: anna, beacon: van, os: ios13, strategy: background-task }
      - { name: bert, beacon: van, os: ios13, strategy: background-task, rearm: 700 m }

    """

  private func text(_ zones: String) -> ConfigurationText {
    ConfigurationText(
      Array((Self.beacons + "zones:\n" + zones).utf8), path: "/site.yaml", environment: [:], hostName: "pi")
  }

  private func read(_ text: ConfigurationText) throws -> Configuration {
    try Configuration.read(text.bytes, path: "/site.yaml", environment: [:], hostName: "pi").configuration
  }

  private func trial(_ body: String, of configuration: Configuration) throws -> Configuration {
    try TrialRequest(JSONTree(Array(body.utf8)), saving: "z", of: configuration).configuration
  }

  @Test(arguments: [
    // Near changes its unit, is gained, and is lost.
    ("near: { distance: 2 m, rearm: 5 m }", #"{"near":{"threshold":-60,"unit":"dBm"}}"#),
    (
      "near: { distance: 2 m, rearm: 5 m }, enter: 6 m",
      #"{"near":{"threshold":-60,"unit":"dBm","rearm":-70},"enter":{"threshold":-75,"unit":"dBm"},"exit":{"threshold":-80,"unit":"dBm"}}"#
    ),
    ("near: -60 dBm", #"{"near":{"threshold":2,"unit":"m","rearm":4}}"#),
    ("enter: 6 m", #"{"near":{"threshold":2,"unit":"m"}}"#),
    ("enter: 6 m", #"{"near":{"threshold":2,"unit":"m","dwell_s":1,"rearm":5}}"#),
    ("near: 2 m", #"{"near":null}"#),
    // Re-arm in dBm.
    ("near: { signal: -60 dBm, rearm: -70 dBm }", #"{"near":{"rearm":-80}}"#),
    // Defaults that are beyond what a file can say, as the page was told them.
    (
      "near: -125 dBm",
      #"{"near":{"threshold":-125,"unit":"dBm","dwell_s":1,"rearm":-131},"enter":{"threshold":null},"exit":{"threshold":null}}"#
    ),
    (
      "near: 600 m",
      #"{"near":{"threshold":600,"unit":"m","dwell_s":1,"rearm":1200},"enter":{"threshold":1200},"exit":{"threshold":1800}}"#
    ),
    // Heard at all, in and out.
    ("enter: -70 dBm, exit: -127 dBm", #"{"enter":{"threshold":null}}"#),
    ("room: hall, enter: { dwell: 2 s }", #"{"near":null,"enter":{"threshold":null,"dwell_s":4}}"#),
  ])
  func `what can be tried can be saved, and means the same`(rules: String, body: String) throws {
    let text = text("  - { name: z, \(rules) }\n")
    let tried = try trial(body, of: read(text))
    let saved = try text.changing(try #require(tried.zones.first)).configuration
    #expect(saved.zones == tried.zones)
    #expect(saved.phones.map(\.triggers) == tried.phones.map(\.triggers))
  }

  @Test(arguments: [
    ("near: { distance: 2 m, rearm: 5 m }", #"{"near":{"threshold":5}}"#, "rearm (5 m) must be farther"),
    ("near: 2 m", #"{"near":{"rearm":2}}"#, "rearm (2 m) must be farther than near (2 m)"),
    ("enter: 6 m", #"{"exit":{"threshold":6}}"#, "exit (6 m) must be farther than enter (6 m)"),
    ("enter: 6 m", #"{"near":{}}"#, "near needs a threshold"),
    ("enter: 6 m", #"{"exit":{"lost_s":2678400}}"#, "lost must be from 1 s to 720 h"),
    (
      "near: 2 m, exit: 950 m", #"{"near":{"threshold":800,"rearm":900},"enter":{"threshold":900}}"#,
      "bert"
    ),
    ("room: hall", #"{"near":{"threshold":2}}"#, "no thresholds"),
    ("room: hall", #"{"exit":{"lost_s":20}}"#, "dwell times only"),
  ])
  func `what the file's reader refuses cannot be tried`(rules: String, body: String, words: String) throws {
    let configuration = try read(text("  - { name: z, \(rules) }\n"))
    #expect { _ = try trial(body, of: configuration) } throws: { "\($0)".contains(words) }
  }

  @Test func `a phone that names a zone keeps the zone's near`() throws {
    let yaml = """
      beacons: [{ name: van, address: "C1:00:00:00:00:01" }]
      zones: [{ name: z, near: 2 m }]
      phones: [{ name: anna, beacon: van, os: ios13, strategy: background-task, zones: [z] }]
      """
    let configuration = try Configuration.read(
      Array(yaml.utf8), path: "/site.yaml", environment: [:], hostName: "pi"
    ).configuration
    #expect {
      _ = try trial(#"{"near":null}"#, of: configuration)
    } throws: { "\($0)".contains("anna") }
  }

  @Test(arguments: 0..<4) func `whatever numbers are tried, they can be saved`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    var tries = 0
    for _ in 0..<120 {
      let rules =
        [
          "near: 2 m", "near: { signal: -60 dBm, rearm: -70 dBm }", "enter: 6 m, exit: -90 dBm", "lost: auto",
          "near: 600 m", "near: -125 dBm, enter: -127 dBm", "exit: { dwell: 3 s, lost: 20 s }",
        ].randomElement(using: &dice) ?? ""
      let text = text("  - { name: z\(rules == "lost: auto" ? "" : ", " + rules) }\n")
      let before = try read(text)
      guard let tried = try? trial(body(&dice), of: before), let zone = tried.zones.first else { continue }
      tries += 1
      let saved = try text.changing(zone).configuration
      #expect(isClose(saved.zones[0], zone), "\(rules): \(zone) became \(saved.zones[0])")
      #expect(saved.phones.map(\.triggers.count) == tried.phones.map(\.triggers.count))
      // What stands there to be pasted is valid, too.
      let pasted = try read(self.text(String(zonesYAML([zone]).dropFirst("zones:\n".count))))
      #expect(isClose(pasted.zones[0], zone), "\(zonesYAML([zone]))")
    }
    #expect(tries > 20)
  }

  private func body(_ dice: inout SeededGenerator) -> String {
    let isSignal = Bool.random(using: &dice)
    func line(_ step: Double) -> String {
      if Int.random(in: 0..<8, using: &dice) == 0 { return "null" }
      let factor = Double.random(in: 0.5...1.5, using: &dice)
      return isSignal
        ? "\((-40 - 15 * step * factor).rounded())" : "\((step * 3 * factor * 100).rounded() / 100)"
    }
    let unit = isSignal ? "dBm" : "m"
    var parts: [String] = []
    if Bool.random(using: &dice) {
      let near = [#""threshold":\#(line(1)),"unit":"\#(unit)""#, #""rearm":\#(line(3))"#, #""dwell_s":1.5"#]
      parts.append(#""near":{\#(near.prefix(Int.random(in: 1...3, using: &dice)).joined(separator: ","))}"#)
    } else if Int.random(in: 0..<4, using: &dice) == 0 {
      parts.append(#""near":null"#)
    }
    if Bool.random(using: &dice) { parts.append(#""enter":{"threshold":\#(line(2)),"unit":"\#(unit)"}"#) }
    if Bool.random(using: &dice) || parts.isEmpty {
      parts.append(#""exit":{"threshold":\#(line(4)),"unit":"\#(unit)","dwell_s":7}"#)
    }
    return "{\(parts.joined(separator: ","))}"
  }

  private func isClose(_ a: ZoneSettings, _ b: ZoneSettings) -> Bool {
    RulePlace.allCases.allSatisfy { place in
      switch (a.rules[place], b.rules[place]) {
      case (nil, nil): true
      case (let a?, let b?): a.isClose(to: b) || isBeyond(a) && isBeyond(b)
      default: false
      }
    }
  }

  /// What no radio reports: there, all numbers mean the same.
  private func isBeyond(_ value: RuleValue) -> Bool {
    switch value {
    case .threshold(.signal(let strength)): strength <= -127
    case .threshold(.distance(let metres)): metres >= 1000
    default: false
    }
  }
}
