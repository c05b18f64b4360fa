import Phones
import Testing

/// The museum: exhibits in a row, phones that differ by 9 dB.
@Suite struct InstallationDesignTests {
  private static func profiles(_ pairs: [(String, String)]) throws -> [PhoneProfile] {
    try pairs.map { os, strategy in
      let os = try #require(Catalogue.system(named: os))
      let strategy = try #require(Catalogue.strategy(named: strategy))
      return try #require(PhoneProfile(os: os, strategy: strategy))
    }
  }

  private static func museum(places: Int = 3, spacing: Micrometres) -> Installation {
    Installation(places: places, spacing: spacing, near: 2_000_000, stop: 1_000_000, stay: 40_000)
  }

  @Test func `a region of each place serves an app that lives on region events, and one for all does not`()
    throws
  {
    let design = InstallationDesign(
      Self.museum(spacing: 20_000_000), speeds: [1_000_000],
      profiles: try Self.profiles([("ios17", "stock")]),
      powers: [-20], intervals: [100])
    let best = try #require(design.options.first)
    #expect(best.choice.hasRegionOfEach)
    let one = try #require(design.changes.first { !$0.choice.hasRegionOfEach })
    #expect(one.right < best.right)
  }

  @Test func `phones that differ by 9 dB need a wider spacing than 5 m, whatever the app does`() throws {
    let design = InstallationDesign(
      Self.museum(spacing: 5_000_000), speeds: [1_000_000],
      profiles: try Self.profiles([
        ("ios17", "activity-session"), ("android14", "altbeacon-foreground-service"),
      ]),
      powers: [-4], intervals: [100])
    let best = try #require(design.options.first)
    #expect(best.worst < 1 || best.early > 0)
    #expect(best.answers.map(\.profile.os.name) == ["ios17", "android14"])
    for option in design.options {
      #expect(abs(option.right + option.early + option.late + option.missed - 1) < 1e-9)
    }
  }

  @Test func `a beacon at 0 dBm is heard at 50 m, and 20 dB less at a tenth of that`() {
    let choice = InstallationChoice(power: 0, interval: 100, hasRegionOfEach: true, near: 2_000_000)
    #expect(choice.heard(offset: 0) == 50_000_000)
    let weak = InstallationChoice(power: -20, interval: 100, hasRegionOfEach: true, near: 2_000_000)
    #expect(weak.heard(offset: 0) == 5_000_000)
    #expect(abs(choice.heard(offset: -9) - 17_740_669) < 10)
    #expect(weak.beaconDays > choice.beaconDays)
  }

  @Test func `more places than regions take turns, and neighbours differ`() {
    let regions = Self.museum(places: 45, spacing: 5_000_000).regions(ofEach: true)
    #expect(Set(regions).count == 20)
    #expect(zip(regions, regions.dropFirst()).allSatisfy { $0 != $1 })
  }
}
