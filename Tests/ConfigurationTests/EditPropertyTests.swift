import Beacons
@testable import Configuration
import Core
import Foundation
import Proximity
import TestSupport
import Testing

/// Whatever a configuration looks like: a change loses no comment, and the file then means what was meant, and nothing else.
@Suite struct EditPropertyTests {
  @Test(arguments: 0..<6) func everyRandomEditReadsBackAsIntended(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    var changes = 0
    for _ in 0..<60 {
      var text = RandomConfiguration(&dice).yaml
      for _ in 0..<3 {
        let before = try read(text).configuration
        let place = Int.random(in: before.zones.indices, using: &dice)
        let wanted = changed(before.zones[place], &dice)
        let result: ConfigurationText.Changed
        do throws(EditRefusal) { result = try ConfigurationTests.text(text).changing(wanted) } catch {
          // Only what no file can say.
          #expect(error.diagnostics.contains { $0.severity == .error }, "\(error)\n\(text)")
          continue
        }
        changes += 1
        let after = String(decoding: result.bytes, as: UTF8.self)
        var rest = try read(after).configuration
        #expect(isClose(rest.zones[place], wanted), "\(wanted)\n\(text)\n→\n\(after)")
        rest.zones[place] = before.zones[place]
        #expect(rest == before, "\(text)\n→\n\(after)")
        #expect(comments(text).isSubset(of: comments(after)), "\(text)\n→\n\(after)")
        #expect(text.contains("\r\n") == after.contains("\r\n"))
        text = after
      }
    }
    #expect(changes > 100)
  }

  @Test(arguments: 0..<6) func `what is said of beacons loses no comment, and changes nothing else`(
    seed: UInt64
  )
    throws
  {
    var dice = SeededGenerator(seed: seed)
    var changes = 0
    for _ in 0..<60 {
      var text = beacons(&dice)
      for _ in 0..<4 {
        let before = try read(text).configuration
        let beacon = ["key", "tag", "tag:1.1", "tag:1.2", "tag:2.1"].randomElement(using: &dice) ?? "key"
        let word = BeaconWord.allCases.randomElement(using: &dice) ?? .owner
        let names = ["Anna: 1", "the \"ward\"", "Ünal", "a", nil], icons = ["mdi:key", "mdi:dog-side", nil]
        let said = (word == .icon ? icons : names).randomElement(using: &dice) ?? nil
        let result: ConfigurationText.Changed
        do throws(EditRefusal) {
          result = try ConfigurationTests.text(text).saying([word: said], of: beacon)
        } catch {
          #expect(
            word == .name && !beacon.contains(":") || error.reason.contains("a comment"), "\(error)\n\(text)")
          continue
        }
        changes += 1
        let after = String(decoding: result.bytes, as: UTF8.self)
        var meant = before
        let place = beacon == "key" ? 0 : 1
        if beacon.contains(":") {
          meant.beacons[place][members: word][String(beacon.dropFirst(4))] = said
        } else {
          meant.beacons[place][word] = said
        }
        #expect(
          try read(after).configuration == meant, "\(word) \(said ?? "-") \(beacon)\n\(text)\n→\n\(after)")
        #expect(comments(text).isSubset(of: comments(after)), "\(text)\n→\n\(after)")
        text = after
      }
    }
    #expect(changes > 100)
  }

  /// A beacon and a region in some style, with comments.
  private func beacons(_ dice: inout SeededGenerator) -> String {
    var count = 0
    func comment(_ dice: inout SeededGenerator) -> String {
      count += 1
      return Bool.random(using: &dice) ? "   # comment \(count): { \"x\" }" : ""
    }
    let region = "ibeacon: { uuid: 7c0c6b3e-3b1a-4a0e-9f53-1d2f6f0a9a11 }"
    let said = ["owner: Ben", "icon: mdi:tag"].filter { _ in Bool.random(using: &dice) }
    let members = ["\"1.1\": Ben", "1.2: 'Old'"].filter { _ in Bool.random(using: &dice) }
    let inner = members.isEmpty ? [] : [Bool.random(using: &dice) ? "names" : "owners"]
    guard Bool.random(using: &dice) else {
      let tag = ["name: tag", region] + inner.map { "\($0): { \(members.joined(separator: ", ")) }" }
      return "beacons:" + comment(&dice) + "\n  - { name: key, address: C1:00:00:00:00:01 }" + comment(&dice)
        + "\n  - { \((tag + said).joined(separator: ", ")) }" + comment(&dice) + "\n"
    }
    var lines = ["beacons:", "  - name: key", "    address: C1:00:00:00:00:01"] + said.map { "    \($0)" }
    lines += ["  - name: tag", "    \(region)"] + inner.map { "    \($0):" }
    lines += members.map { "      \($0)" }
    return lines.map { $0 + comment(&dice) }.joined(separator: "\n") + "\n"
  }

  @Test(arguments: ["beaconkeeper.yaml", "demo.yaml"], 0..<4)
  func theExamplesKeepEveryLineThatIsNotARule(file: String, seed: UInt64) throws {
    let yaml = try String(contentsOf: configFolder.appendingPathComponent(file), encoding: .utf8)
    var dice = SeededGenerator(seed: seed)
    let before = try read(yaml, path: configFolder.path + "/a.yaml").configuration
    for zone in before.zones {
      let wanted = changed(zone, &dice)
      let text = ConfigurationText(
        Array(yaml.utf8), path: configFolder.path + "/a.yaml", environment: [:], hostName: "pi")
      guard let result = try? text.changing(wanted) else { continue }
      let after = String(decoding: result.bytes, as: UTF8.self)
      let removed = after.split(separator: "\n").difference(from: yaml.split(separator: "\n")).removals
      for case .remove(_, let line, _) in removed {
        #expect(["near", "enter", "exit"].contains { line.contains("\($0):") }, "\(line)")
      }
      #expect(comments(yaml).isSubset(of: comments(after)))
    }
  }

  @Test(arguments: 0..<6) func hostileTextIsChangedOrRefused(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var changes = 0
    for _ in 0..<150 {
      var bytes = Array(RandomConfiguration(&dice).yaml.utf8)
      for _ in 0..<Int.random(in: 0...6, using: &dice) { mangle(&bytes, &dice) }
      let text = ConfigurationText(bytes, path: "/a.yaml", environment: [:], hostName: "pi")
      let zone = changed(
        ZoneSettings(
          name: ["a", "b"].randomElement(using: &dice) ?? "a",
          enter: Rule(threshold: .distance(6), dwell: .seconds(3)),
          exit: Rule(threshold: .distance(9), dwell: .seconds(10))), &dice)
      if (try? text.changing(zone)) != nil { changes += 1 }
      _ = try? text.adding(beacon: "new", .address(0xC1))
    }
    #expect(changes > 0)
  }

  private func mangle(_ bytes: inout [UInt8], _ dice: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &dice)
    switch Int.random(in: 0..<4, using: &dice) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
    case 1: bytes.remove(at: place)
    case 2:
      bytes.insert(Array(" :-#[]{},\n\r\t\"'|>?!%&*~".utf8).randomElement(using: &dice) ?? 0x20, at: place)
    default: bytes.insert(contentsOf: Array("\u{FEFF}\u{85}ä".utf8), at: place)
    }
  }

  // MARK: Changes

  private func changed(_ zone: ZoneSettings, _ dice: inout SeededGenerator) -> ZoneSettings {
    var zone = zone
    let metres = Bool.random(using: &dice) ? 1.0 : nil
    func threshold(_ step: Double) -> Threshold {
      metres == nil ? .signal(-50 - 10 * step) : .distance(step * Double.random(in: 0.5...1.5, using: &dice))
    }
    for _ in 0..<Int.random(in: 1...3, using: &dice) {
      switch Int.random(in: 0..<6, using: &dice) {
      case 0: zone.near = nil
      case 1:
        zone.near = NearRule(rule: Rule(threshold: threshold(1), dwell: .seconds(1.5)), rearm: threshold(3))
      case 2: zone.enter = Rule(threshold: threshold(2), dwell: zone.enter.dwell)
      case 3: zone.enter.dwell = .milliseconds(Int64.random(in: 0...9000, using: &dice))
      case 4:
        zone.exit = Rule(threshold: threshold(5), dwell: .seconds(Double.random(in: 0...90, using: &dice)))
      default:
        zone.lost =
          Bool.random(using: &dice) ? .auto : .after(.seconds(Double.random(in: 1...900, using: &dice)))
      }
    }
    return zone
  }

  private func isClose(_ a: ZoneSettings, _ b: ZoneSettings) -> Bool {
    func close(_ a: Threshold?, _ b: Threshold?) -> Bool {
      switch (a, b) {
      case (.distance(let a)?, .distance(let b)?): abs(a - b) < 0.001
      case (.signal(let a)?, .signal(let b)?): abs(a - b) < 0.001 || a == -127 && b < -127
      case (nil, nil): true
      default: false
      }
    }
    func close(_ a: TimeSpan?, _ b: TimeSpan?) -> Bool { abs((a?.seconds ?? 0) - (b?.seconds ?? 0)) < 0.001 }
    func span(_ rule: LostRule) -> TimeSpan? { if case .after(let span) = rule { span } else { nil } }
    return close(a.near?.rule.threshold, b.near?.rule.threshold) && close(a.near?.rearm, b.near?.rearm)
      && close(a.near?.rule.dwell, b.near?.rule.dwell) && close(a.enter.threshold, b.enter.threshold)
      && close(a.enter.dwell, b.enter.dwell) && close(a.exit.threshold, b.exit.threshold)
      && close(a.exit.dwell, b.exit.dwell) && close(span(a.lost), span(b.lost))
      && (a.receivers, a.beacons == b.beacons) == (b.receivers, true)
  }

  /// From # on; those of a random configuration are all different.
  private func comments(_ text: String) -> Set<Substring> {
    Set(
      text.split(whereSeparator: \.isNewline).compactMap { line in
        line.firstIndex(of: "#").map { line[$0...] }
      })
  }
}
