import Phones
import Reports
import Testing

/// The page explains its codes in the words of the platforms that it is about.
@Suite struct LegendTests {
  /// A slow walk that outlasts the time of every task.
  private func page(_ os: String, _ strategy: String) throws -> String {
    let system = try #require(Catalogue.system(named: os, variant: .seed))
    let profile = try #require(
      Catalogue.strategy(named: strategy, variant: .seed).flatMap { PhoneProfile(os: system, strategy: $0) })
    let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
    let walk = Approach(
      name: "walk", near: near, timeline: Timeline(approachFrom: 50_000_000, speed: 20_000))
    let result = Simulation(profile, near: near, timeline: walk.timeline)
    var tally = Tally(profile)
    tally.add(result)
    return Report(
      scenario: [], tallies: [tally], examples: [Report.Example(approach: walk, result: result)], version: "1"
    ).html
  }

  @Test func anOutcomeOnIOSIsInApplesWords() throws {
    let html = try page("ios7", "background-task")
    #expect(html.contains("(backgroundTimeRemaining reached 0; beginBackgroundTask(expirationHandler:))"))
    #expect(!html.contains("Service.onDestroy()"))
  }

  @Test func theSameOutcomeOnAndroidIsInGooglesWords() throws {
    let html = try page("android8", "altbeacon-legacy")
    #expect(html.contains("<code>TASK_EXPIRED</code>"))
    #expect(html.contains("(background execution limits: Service.onDestroy())"))
    #expect(!html.contains("backgroundTimeRemaining"))
  }

  @Test func theEvidenceNamesItsCalls() throws {
    #expect(
      try page("ios7", "background-task")
        .contains("<dt>expiration handler ended the task</dt><dd><code>expirationHandler</code></dd>"))
  }
}
