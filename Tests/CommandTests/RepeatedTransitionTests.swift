import Foundation
import Testing

/// What the broker does not have yet is sent again, and is the same.
@Suite(.serialized) struct RepeatedTransitionTests {
  /// The broker forbids a topic while the disk is full; then there is room, and the gateway is stopped or killed.
  @Test(arguments: [("5", SIGTERM), ("3.1.1", SIGTERM), ("5", SIGKILL)])
  func whatTheBrokerRefusedWhileTheDiskWasFullIsSentByTheNextStart(version: String, signal: Int32)
    async throws
  {
    let access = try file(
      "topic readwrite #\ntopic deny beaconkeeper/yard/zone/shop/enter\n", "acl")
    let stage = try await DiskStage(
      "allow_anonymous true\nacl_file \(access)\nuser root", protocol: version)
    defer { stage.end() }
    let pipe = Pipe()
    defer { try? pipe.fileHandleForWriting.close() }
    let gateway = try stage.start(hearing: pipe)
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { stage.healths.count > 2 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.full)
    try pipe.fileHandleForWriting.write(contentsOf: Data(DiskStage.heard(0, -45).utf8))
    #expect(
      try await gateway.wait { stage.health.contains(#""durable":false"#) }, "\(stage.health)")
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("refuses messages to") })
    try FileManager.default.removeItem(at: stage.full)
    #expect(try await gateway.wait { stage.health.contains(#""durable":true"#) }, "\(stage.health)")
    gateway.signal(signal)
    let result = try await gateway.end()
    #expect(result.status == (signal == SIGTERM ? 0 : 128 + signal), "\(result.errors)")
    #expect(stage.said("enter").isEmpty)
    // The list is mended.
    try Data("topic readwrite #\n".utf8).write(to: URL(fileURLWithPath: access))
    try await stage.broker.reload()
    let next = try stage.start(hearing: pipe)
    defer { next.signal(SIGKILL) }
    #expect(try await next.wait { stage.said("enter").count == 1 }, "\(next.errorsSoFar)")
    next.signal(SIGTERM)
    #expect(try await next.end().status == 0)
  }

  /// Killed before it noted that the broker has it, while the calendar was put right.
  @Test(arguments: [5, -5, 100_000_000]) func itKeepsItsOctetsWhateverTheCalendarDoes(ahead: Int)
    async throws
  {
    // It notes that within half a second, and on a busy machine the kill may come later.
    for _ in 1...20 { if try await isSentAgain(ahead: ahead) { return } }
    Issue.record("it was never killed early enough")
  }

  /// Whether the kill came before it had noted that the broker has the transition.
  private func isSentAgain(ahead: Int) async throws -> Bool {
    let stage = try await DiskStage()
    defer { stage.end() }
    let pipe = Pipe()
    defer { try? pipe.fileHandleForWriting.close() }
    let gateway = try stage.start(hearing: pipe)
    #expect(try await gateway.wait { stage.healths.count > 2 }, "\(gateway.errorsSoFar)")
    try pipe.fileHandleForWriting.write(contentsOf: Data(DiskStage.heard(0, -45).utf8))
    #expect(try await gateway.wait { !stage.said("enter").isEmpty }, "\(gateway.errorsSoFar)")
    gateway.signal(SIGKILL)
    _ = try await gateway.end()
    let next = try stage.start(hearing: pipe, ahead: ahead)
    defer { next.signal(SIGKILL) }
    let healths = stage.healths.count
    #expect(
      try await next.wait { stage.said("enter").count == 2 || stage.healths.count > healths + 5 },
      "\(next.errorsSoFar)")
    guard stage.said("enter").count == 2 else { return false }
    #expect(Set(stage.said("enter")).count == 1)
    // What is retained of it says the same.
    let enter = String(decoding: stage.said("enter")[0], as: UTF8.self)
    let time = try #require(enter.firstMatch(of: #/"time":"([^"]+)"/#)).1
    #expect(
      try await next.wait {
        stage.said("occupancy").last.map { String(decoding: $0, as: UTF8.self) }?
          .contains(#""since":"\#(time)""#) ?? false
      }, "\(stage.said("occupancy").map { String(decoding: $0, as: UTF8.self) })")
    next.signal(SIGTERM)
    #expect(try await next.end().status == 0)
    return true
  }

  /// Automations on the topic would run again, for somebody who has not moved.
  @Test func `what the broker has had for a second is not sent again after a kill`() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let pipe = Pipe()
    let gateway = try stage.start(hearing: pipe)
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { stage.healths.count > 2 }, "\(gateway.errorsSoFar)")
    try pipe.fileHandleForWriting.write(contentsOf: Data(DiskStage.heard(0, -45).utf8))
    #expect(try await gateway.wait { !stage.said("enter").isEmpty }, "\(gateway.errorsSoFar)")
    try await Task.sleep(for: .seconds(1))
    gateway.signal(SIGKILL)
    _ = try await gateway.end()
    let healths = stage.healths.count
    let next = try stage.start(hearing: pipe)
    defer { next.signal(SIGKILL) }
    #expect(try await next.wait { stage.healths.count > healths + 2 }, "\(next.errorsSoFar)")
    #expect(stage.said("enter").count == 1)
    let occupancy = String(decoding: stage.said("occupancy").last ?? [], as: UTF8.self)
    #expect(occupancy.contains("tag-0"))
    next.signal(SIGTERM)
    #expect(try await next.end().status == 0)
  }
}
