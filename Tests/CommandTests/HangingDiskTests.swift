import Foundation
import TestSupport
import Testing

/// The real gateway on a disk that takes what is written and never says that it has it, as a dying card or a network drive does.
@Suite(.serialized) struct HangingDiskTests {
  @Test func messagesGoOnWithoutItAndNoneIsLostOrSentTwice() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let gateway = try stage.start()
    #expect(try await gateway.wait { stage.numbers.count >= 3 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.hangs)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("has not responded for 10 s") })
    let before = stage.numbers.count
    #expect(try await gateway.wait { stage.numbers.count > before + 3 })
    #expect(
      try await gateway.wait { stage.health.contains(#""durable":false"#) }, "\(stage.health)")
    // It answers again: all is on disk once more.
    try FileManager.default.removeItem(at: stage.hangs)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("being saved to disk again") })
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    // The next run sends what is left, if anything is, and nothing that was sent.
    let next = try stage.start()
    let count = stage.numbers.count
    #expect(try await next.wait { stage.numbers.count > count + 2 })
    next.signal(SIGTERM)
    #expect(try await next.end().status == 0)
    let numbers = stage.numbers
    #expect(Set(numbers).count == numbers.count)
    for (epoch, all) in Dictionary(grouping: numbers, by: { $0[0] }) {
      #expect(all.map { $0[1] } == (1...UInt64(all.count)).map { $0 }, "\(epoch)")
    }
    #expect(Set(numbers.map { $0[0] }).count == 3)
  }

  /// It has written nothing for a while, and nothing else will wake what must see that the disk hangs.
  @Test(arguments: 0..<3) func aQuietGatewayDecidesAnswersAndEnds(turn: Int) async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let pipe = Pipe()
    defer { try? pipe.fileHandleForWriting.close() }
    let gateway = try stage.start(hearing: pipe)
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { stage.healths.count > 8 }, "\(gateway.errorsSoFar)")
    let page = try #require(gateway.outputSoFar.firstMatch(of: #/dashboard: (\S+)/#)).1
    try Data().write(to: stage.hangs)
    try pipe.fileHandleForWriting.write(contentsOf: Data(DiskStage.heard(0, -45).utf8))
    #expect(try await gateway.wait(within: 120) { stage.decided == 1 }, "\(stage.health)")
    let top = try await Command(["top", "--url", String(page), "--once"]).end(within: 60)
    #expect(top.status == 0, "\(top.errors)")
    #expect(
      try await gateway.wait(within: 120) { stage.numbers.count == 1 }, "\(gateway.errorsSoFar)")
    #expect(
      try await gateway.wait(within: 60) { stage.health.contains(#""durable":false"#) },
      "\(stage.health)")
    gateway.signal(SIGTERM)
    let result = try await gateway.end(within: 60)
    #expect(result.status == 0, "the broker has it: \(result.errors)")
  }

  /// What was decided in the disk's silence goes to the broker, which is well.
  @Test func stoppingSoonAfterwardsLosesNothingTheBrokerAccepts() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let gateway = try stage.start()
    #expect(try await gateway.wait { stage.numbers.count >= 3 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.hangs)
    // Decisions wait for the disk.
    #expect(try await gateway.wait { stage.decided > stage.numbers.count + 3 }, "\(stage.health)")
    let before = stage.numbers.count
    gateway.signal(SIGTERM)
    let result = try await gateway.end()
    #expect(result.status == 0, "\(result.errors)")
    #expect(stage.numbers.count > before + 3, "\(result.errors)")
    #expect(Set(stage.numbers).count == stage.numbers.count)
  }

  @Test func stoppingWithAHangingDiskIsQuickAndReportsLosses() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let gateway = try stage.start()
    #expect(try await gateway.wait { stage.numbers.count >= 3 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.hangs)
    stage.broker.kill()
    // In these 10 s tags came and went.
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("has not responded for 10 s") })
    let began = ContinuousClock.now
    gateway.signal(SIGTERM)
    let result = try await gateway.end()
    #expect(ContinuousClock.now - began < .seconds(120), "the disk never answers")
    #expect(result.status == 74, "\(result.errors)")
    #expect(result.errors.contains(#/\d+ transitions are lost/#))
  }
}
