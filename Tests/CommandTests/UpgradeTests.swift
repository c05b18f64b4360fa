import Foundation
import TestSupport
import Testing

/// What earlier versions left on disk: this one reads it, and nobody notices. Each version's household is a backup in `Upgrade`, which
/// `Upgrade/make` made with the program of that version.
@Suite struct UpgradeTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Upgrade")

  static var versions: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".backup") }.sorted()
  }

  /// As `make` has them.
  private static let gains = [0, 5, -4, 6, -5]

  /// A second of the air: all things but the first lie in their rooms, and so does the watch, with an address that its key made.
  private func air(at time: Double) -> String {
    var lines = ""
    func say(_ address: String, from room: Int, at time: Double) {
      for (room, rssi) in [(room, -55), ((room + 1) % 5, -78)] {
        lines += #"{"t":\#(time),"receiver":"r\#(room)","address":"\#(address)","address_type":"random","#
        lines += #""rssi":\#(rssi + Self.gains[room]),"payload":"020106"}"# + "\n"
      }
    }
    say("5A:03:33:79:EA:7A", from: 2, at: time)
    for thing in 1..<30 {
      say(
        "C1:00:00:00:00:" + String(format: "%02X", thing), from: thing % 5, at: time + Double(thing) / 50)
    }
    return lines
  }

  @Test func `a household of an earlier version is there`() { #expect(!Self.versions.isEmpty) }

  /// - Parameter cuts: how often power fails in the first seconds.
  @Test(arguments: versions, [0, 4]) func `a household of an earlier version lives on`(
    version: String, cuts: Int
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("upgrade-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = ["STATE_DIRECTORY": folder.appendingPathComponent("state").path]
    let restored = try await Command(
      ["restore", "--config", "house.yaml", Self.folder.appendingPathComponent(version).path],
      directory: folder, environment: state
    ).end()
    #expect(restored.status == 0, "\(restored)")
    // Before it runs: what is older than the diary's days goes then.
    let visits = try await Command(
      ["visits", "--config", "house.yaml", "--since", "2020-01-01", "--json"], directory: folder,
      environment: state
    ).end()
    #expect(visits.status == 0 && visits.output.contains("thing 29"), "\(visits)")
    // The broker is at another door today.
    let broker = try await Broker()
    defer { broker.stop() }
    let file = folder.appendingPathComponent("house.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing(#/127\.0\.0\.1:\d+/#, with: "127.0.0.1:\(broker.port)")
    try text.write(to: file, atomically: true, encoding: .utf8)

    /// In an air of its own: of the one before, half a line may be read.
    func start() throws -> (gateway: Command, living: Task<Void, any Error>) {
      let pipe = Pipe()
      let living = Task {
        while !Task.isCancelled {
          try pipe.fileHandleForWriting.write(contentsOf: Data(air(at: Date().timeIntervalSince1970).utf8))
          try await Task.sleep(for: .seconds(1))
        }
      }
      let gateway = try Command(
        ["run", "--config", "house.yaml", "--capture", "-"], standardInput: pipe.fileHandleForReading,
        directory: folder, environment: state)
      return (gateway, living)
    }
    var dice = SeededGenerator(seed: 1)
    for _ in 0..<cuts {
      let (gateway, living) = try start()
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<3000, using: &dice)))
      gateway.signal(SIGKILL)
      _ = try await gateway.end()
      living.cancel()
    }
    let (gateway, living) = try start()
    defer {
      gateway.signal(SIGKILL)
      living.cancel()
    }
    func said(_ end: String) -> [(topic: String, payload: [UInt8])] {
      broker.messages.filter { $0.topic.hasSuffix(end) }
    }
    #expect(
      try await gateway.wait { said("/beacon/thing%201/state").count > 10 }, "\(gateway.errorsSoFar)")
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)

    struct Transition: Decodable {
      var beacon, id, event: String
      var epoch, seq: Int
    }
    let transitions = try ["/enter", "/near", "/exit"].flatMap(said).map {
      try JSONDecoder().decode(Transition.self, from: Data($0.payload))
    }
    #expect(transitions.contains { $0.event == "exit" }, "what waited is told: \(transitions)")
    #expect(transitions.allSatisfy { $0.beacon == "thing 0" }, "and nothing else: \(transitions)")
    let ids = Set(transitions.map(\.id))
    // What is cut before the broker's acknowledgement is on disk is sent again, and known by its numbers.
    #expect(Set(transitions.map { [$0.epoch, $0.seq] }).count == ids.count, "and once: \(transitions)")
    #expect(cuts > 0 || ids.count == transitions.count, "and once: \(transitions)")
    struct Place: Decodable {
      var room: String?
    }
    for (name, room) in (1..<30).map({ ("thing \($0)", $0 % 5) }) + [("watch", 2)] {
      let topic = "/beacon/\(name.replacing(" ", with: "%20"))/room"
      let last = try #require(said(topic).last, "\(name)")
      let place = try JSONDecoder().decode(Place.self, from: Data(last.payload))
      #expect(place.room == "room \(room)", "\(name)")
    }
    #expect(!gateway.errorsSoFar.contains("calibrat"), "the calibration holds: \(gateway.errorsSoFar)")
    let checked = try await Command(["check", "house.yaml"], directory: folder, environment: state).end()
    #expect(checked.output.contains("rooms.json"), "\(checked)")
    let later = try await Command(
      ["visits", "--config", "house.yaml", "--since", "2020-01-01", "--json"], directory: folder,
      environment: state
    ).end()
    #expect(later.status == 0 && later.output.contains("thing 29"), "the diary is kept: \(later)")
  }
}
