import Beacons
import Contract
import Core
@testable import Fleet
import Testing

/// Phones of a site, each in the partition of the tag that it carries.
@Suite struct PhoneTests {
  private let site: Site

  init() throws { site = try Site(hasPhones: true) }

  private func partition(_ number: Int = 0, of partitions: Int = 1) -> FleetPartition {
    FleetPartition(site.configuration, number, of: partitions, epoch: 7)
  }

  private func home(of tag: Int, among partitions: Int) -> Int {
    ObservationsMessage.partition(
      of: "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 \(tag)", among: partitions)
  }

  private func about(_ phone: Int, _ lines: [String]) -> [String] {
    lines.filter { $0.contains("/phone/p.\(phone)/") }
  }

  private func report(_ text: String, on phone: Int, site: String = "site", _ what: String = "set")
    -> Site.Entry
  {
    Site.Entry(key: "beaconkeeper.\(site).phone.p/\(phone).app.\(what)", payload: Array(text.utf8))
  }

  @Test func `a phone speaks through the partition of its tag, and says there what it would in one gateway`()
  {
    let queue = site.queue(seconds: 60)
    var alone = partition()
    let whole = alone.take(queue)
    var parts = (0..<4).map { partition($0, of: 4) }
    let said = parts.indices.map { parts[$0].take(queue) }
    var verdicts = 0
    for phone in 0..<6 {
      let expected = about(phone, whole)
      verdicts += expected.count { $0.contains("/verdict ") }
      #expect(expected.contains { $0.contains("/window ") })
      for number in 0..<4 {
        let found = about(phone, said[number])
        #expect(found.isEmpty == (number != home(of: phone, among: 4)))
        guard !found.isEmpty else { continue }
        #expect(found.count == expected.count)
        #expect(found.filter { $0.contains("/window ") } == expected.filter { $0.contains("/window ") })
        // Every verdict is about a near of the same partition.
        for line in found where line.contains("/verdict ") {
          let id = line.firstMatch(of: #/"transition":"([0-9a-f]+)"/#).map { String($0.1) } ?? "none"
          #expect(said[number].count { $0.contains("/near ") && $0.contains("\"id\":\"\(id)\"") } == 1)
        }
        #expect(parts[number].allStates().count { $0.topic.contains("/phone/p.\(phone)/window") } == 1)
      }
    }
    #expect(verdicts > 5)
  }

  @Test func `a worker that takes over in the middle of a window goes on with the same words`() throws {
    var queue = site.queue(seconds: 60)
    for (place, phone) in [(40, 0), (90, 4), (150, 3), (200, 5)] {
      queue.insert(report(place % 20 == 0 ? "foreground" : "begin-task a", on: phone), at: place)
      queue.insert(report(#"{"event":"near"}"#, on: phone, "seen"), at: place + 3)
    }
    var first = partition()
    var heirs: [FleetPartition] = []
    var verdicts = 0
    for (place, entry) in queue.enumerated() {
      if place % 5 == 0 {
        let state = first.state()
        let heir = try FleetPartition(partition(), 0, state: state)
        #expect(heir.state() == state)
        if place % 40 == 0 { heirs.append(heir) }
      }
      let said = first.take([entry])
      verdicts += said.count { $0.contains("/verdict ") }
      for index in heirs.indices { #expect(heirs[index].take([entry]) == said, "message \(place)") }
    }
    #expect(verdicts > 5)
    for heir in heirs { #expect(heir.state() == first.state()) }
  }

  @Test func `what an app reports counts in the partition of its phone`() {
    for number in 0..<4 {
      var partition = partition(number, of: 4)
      _ = partition.take(site.queue(seconds: 5))
      let lines = partition.take([report("foreground", on: 2), Site.tick(5_500)])
      let isHome = number == home(of: 2, among: 4)
      #expect(
        lines.contains { $0.hasPrefix("beaconkeeper/site/phone/p.2/window ") && $0.contains("foreground") }
          == isHome)
      var messages: [Message] = []
      let entry = report("nonsense", on: 2)
      let notices = partition.take(key: entry.key, entry.payload, into: &messages)
      #expect(notices.count == (isHome ? 1 : 0))
      #expect(partition.refusedReports == (isHome ? 1 : 0))
      #expect(partition.take(key: entry.key, entry.payload, into: &messages).isEmpty)
      #expect(partition.refused == 0)
      let seen = partition.take([report(#"{"event":"near"}"#, on: 2, "seen"), Site.tick(5_600)])
      #expect(
        seen.contains {
          $0.hasPrefix("beaconkeeper/site/phone/p.2/record ") && !$0.contains(#""since":null"#)
        }
          == isHome)
      _ = partition.take([report("nonsense", on: 2, "seen")])
      #expect(partition.refusedSightings == (isHome ? 1 : 0))
    }
  }

  @Test func `each queue gets the reports of the site's phones`() {
    let names = FleetNames(site: "hall.1")
    for partition in 0..<2 {
      #expect(names.bindings(partition).contains("beaconkeeper.hall/1.phone.*.app.set"))
      #expect(names.bindings(partition).contains("beaconkeeper.hall/1.phone.*.app.seen"))
    }
    #expect(
      FleetNames.topic(ofKey: "beaconkeeper.hall/1.phone.p/0.app.set")
        == Topics(gateway: "hall.1").appReport(phone: "p.0"))
  }

  @Test func `the state of another partition's phones is refused`() throws {
    var two = (0..<2).map { partition($0, of: 2) }
    for number in 0..<2 { _ = two[number].take(site.queue(seconds: 5)) }
    #expect(throws: StateError.configuration) {
      _ = try FleetPartition(partition(1, of: 2), 1, state: two[0].state())
    }
    let without = try Site().configuration
    #expect(throws: StateError.configuration) {
      _ = try FleetPartition(
        FleetPartition(without, 0, of: 2, epoch: 7), 0, state: two[0].state())
    }
  }
}
