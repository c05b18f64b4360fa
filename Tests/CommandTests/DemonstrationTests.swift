import Foundation
import Testing

/// The first that strangers see: `run --demo`, its walk, and what they may change there.
@Suite(.serialized) struct DemonstrationTests {
  private struct Event: Decodable {
    var event: String
    var zone: String?
    var room: String?
    var beacon: String
  }

  @Test
  func `the four are in several rooms, one of them leaves the house and comes back, and so does the van`()
    async throws
  {
    let replay = try await Command.run(
      "replay", "--config", "config/demo.yaml", "--capture", "config/walk.jsonl")
    #expect(replay.status == 0 && !replay.errors.contains("warning"), "\(replay.errors)")
    let events = try replay.lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
    func story(_ beacon: String) -> [String] {
      events.filter { $0.beacon == beacon }.map { "\($0.event) \($0.zone ?? $0.room ?? "")" }
    }
    #expect(story("fleet:1.2") == ["enter pump-3", "near pump-3", "exit pump-3"])
    for name in ["clara", "david", "emma"] {
      let rooms = story(name).filter { $0.hasPrefix("enter") }
      #expect(Set(rooms).count >= 2, "\(name): \(rooms)")
      // The walk is played over and over.
      #expect(rooms.first == rooms.last, "\(name): \(rooms)")
    }
    // Out of the house, he is in no room.
    #expect(story("finn").starts(with: ["enter lounge", "exit lounge", "enter lounge"]), "\(story("finn"))")
    #expect(Set(story("finn").filter { $0.hasPrefix("enter") }).count >= 2, "\(story("finn"))")
    #expect(story("finn").last == "enter lounge", "\(story("finn"))")
  }

  @Test func `the walk is what its script computes`() async throws {
    let path = Command.package.appendingPathComponent("config/walk.jsonl")
    let computed = try await Command(
      ["config/make-walk"], executable: URL(fileURLWithPath: "/usr/bin/python3")
    ).end()
    #expect(try computed.output == String(contentsOf: path, encoding: .utf8))
    #expect(computed.output.utf8.count < 300_000)
  }

  @Test func `what its page saves is in use at once, in a copy that goes with it`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.copyItem(
      at: Command.package.appendingPathComponent("config"), to: folder.appendingPathComponent("config"))
    let original = folder.appendingPathComponent("config/demo.yaml")
    // Others may have its port.
    let text = try String(contentsOf: original, encoding: .utf8).replacing(
      "127.0.0.1:8099", with: "127.0.0.1:0")
    try Data(text.utf8).write(to: original)
    let gateway = try Command(["run", "--demo"], directory: folder)
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("dashboard: http") })
    let page = try #require(gateway.outputSoFar.firstMatch(of: #/dashboard: (http\S+)/#)).output.1
    let told = try #require(gateway.errorsSoFar.firstMatch(of: #/a copy, (\S+), .* password is (\S+)/#))
      .output
    func ask(_ path: String, _ more: [String] = []) async throws -> String {
      try await Command(
        ["-sS"] + more + ["\(page)api/v1/\(path)"], executable: URL(fileURLWithPath: "/usr/bin/curl")
      ).end().output
    }
    #expect(try await ask("overview").contains(#""source":"demo""#))
    let change = #"{"near":{"threshold":1,"unit":"m","dwell_s":1,"rearm":3}}"#
    let put = ["-X", "PUT", "-H", "Content-Type: application/json"]
    #expect(try await ask("zones/pump-3", put + ["-d", change]).contains("error"))
    #expect(try String(contentsOfFile: String(told.1), encoding: .utf8).contains("distance: 2 m"))
    let key = ["-H", "Authorization: Bearer \(told.2)"]
    #expect(try await ask("zones/pump-3", put + key + ["-d", change]).contains("revision"))
    #expect(
      try await ask("beacons/fleet%3A1.2", put + key + ["-d", #"{"name":"Bella"}"#]).contains("revision")
    )
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("configuration reloaded") })
    var overview = ""
    for _ in 0..<300 where !overview.contains("Bella") { overview = try await ask("overview") }
    #expect(overview.contains("Bella"), "\(gateway.errorsSoFar)")
    #expect(!gateway.errorsSoFar.contains("until the gateway is restarted"), "\(gateway.errorsSoFar)")
    let copy = try String(contentsOfFile: String(told.1), encoding: .utf8)
    #expect(copy.contains("distance: 1 m, dwell: 1 s") && copy.contains("Bella"), "\(copy)")
    #expect(try String(contentsOf: original, encoding: .utf8) == text)
    gateway.signal(SIGINT)
    #expect(try await gateway.end().status == 0)
    let sandbox = URL(fileURLWithPath: String(told.1)).deletingLastPathComponent().path
    #expect(sandbox.contains("beaconkeeper-demo-") && !FileManager.default.fileExists(atPath: sandbox))
  }
}
