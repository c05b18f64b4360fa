import Phones
import Testing

/// A hostile log must not cost more than its length.
@Suite struct LogBoundsTests {
  @Test func `Many events in a moment, and many gaps, are compared in a moment`() throws {
    let os = try #require(Catalogue.system(named: "ios17"))
    let strategy = try #require(Catalogue.strategy(named: "location-always"))
    let profile = try #require(PhoneProfile(os: os, strategy: strategy))
    let words = [
      #""background""#, #""ranged","distance_m":3"#, #""foreground""#, #""remaining","value":3"#,
      #""suspended""#, #""near""#,
    ]
    for step in [0, 0.001, 30] {
      let lines = (0..<3000).map { "{\"time\":\(Double($0) * step),\"event\":\(words[$0 % words.count])}" }
      var log = SeenLog()
      log.read(Array(lines.joined(separator: "\n").utf8))
      #expect(log.events.count == 3000)
      let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
      let begin = ContinuousClock.now
      _ = try LogComparison(log, with: profile, near: near)
      #expect(ContinuousClock.now - begin < .seconds(30))
    }
  }

  @Test func `Many silences among many region events are judged in a moment`() throws {
    let os = try #require(Catalogue.system(named: "ios17"))
    let strategy = try #require(Catalogue.strategy(named: "location-always"))
    let profile = try #require(PhoneProfile(os: os, strategy: strategy))
    let lines = (0..<20_000).map { index in
      "{\"time\":\(index * 10),\"event\":\"\(index % 2 == 0 ? "ranged" : "region-exit")\"}"
    }
    var log = SeenLog()
    log.read(Array(("{\"time\":0,\"event\":\"background\"}\n" + lines.joined(separator: "\n")).utf8))
    let begin = ContinuousClock.now
    let comparison = try LogComparison(
      log, with: profile, near: NearDistances(near: 4_000_000, rearm: 6_000_000))
    #expect(ContinuousClock.now - begin < .seconds(30))
    #expect(!comparison.divergences.contains { $0.kind == .silent })
  }
}
