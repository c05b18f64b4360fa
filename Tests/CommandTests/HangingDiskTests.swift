import Brokers
import Foundation
import Testing

/// The real gateway on a disk that takes what is written and never says that it has it, as a dying card or a network drive does.
@Suite(.serialized) struct HangingDiskTests {
  /// Blocks each synchronisation while a file is there.
  private static let shim = """
    #include <unistd.h>
    #include <stdlib.h>
    static int wait_for_disk(int fd) {
      const char *sign = getenv("HANGING_DISK");
      while (sign && access(sign, F_OK) == 0) usleep(20000);
      return 0;
    }
    int fsync(int fd) { return wait_for_disk(fd); }
    int fdatasync(int fd) { return wait_for_disk(fd); }
    """

  /// Two tags that come and go every second, for longer than the slowest machine takes for a test.
  static var recording: String {
    (0..<12_000).map { step in
      let tag = step % 2
      let isNear = (step / 20 + tag) % 2 == 0
      return
        #"{"t":\#(Double(step) / 20),"receiver":"hci0","address":"C1:00:00:00:00:0\#(tag)","address_type":"random","#
        + #""rssi":\#(isNear ? -45 : -95),"payload":"020106"}"#
    }.joined(separator: "\n") + "\n"
  }

  private struct Stage {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hanging-\(UUID())")
    let broker: Broker
    var sign: URL { folder.appendingPathComponent("hangs") }

    init() async throws {
      broker = try await Broker()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(HangingDiskTests.shim.utf8).write(to: folder.appendingPathComponent("shim.c"))
      try Data(HangingDiskTests.recording.utf8).write(to: folder.appendingPathComponent("walk.jsonl"))
      try Data(
        """
        gateway: { name: yard }
        broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
        beacons:
          - { name: tag-0, address: "C1:00:00:00:00:00" }
          - { name: tag-1, address: "C1:00:00:00:00:01" }
        zones:
          - { name: shop, enter: { distance: 4 m, dwell: 0 s }, exit: { distance: 6 m, dwell: 0 s } }
        telemetry: { health: 1 s }
        http: { listen: "127.0.0.1:0" }
        """.utf8
      ).write(to: folder.appendingPathComponent("yard.yaml"))
      try await run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], in: folder)
    }

    /// - Parameter pipe: what it hears, instead of the recording.
    func start(hearing pipe: Pipe? = nil) throws -> Command {
      try Command(
        [
          "LD_PRELOAD=\(folder.path)/shim.so", "HANGING_DISK=\(sign.path)",
          "STATE_DIRECTORY=\(folder.path)/state",
          Command.binary.path, "run", "--config", "yard.yaml", "--capture", pipe == nil ? "walk.jsonl" : "-",
        ], standardInput: pipe?.fileHandleForReading, directory: folder,
        executable: URL(fileURLWithPath: "/usr/bin/env"))
    }

    /// (epoch, seq) of each transition that the broker passed on.
    var numbers: [[UInt64]] {
      broker.messages.filter { $0.topic.hasSuffix("/enter") || $0.topic.hasSuffix("/exit") }.compactMap {
        let object = try? JSONSerialization.jsonObject(with: Data($0.payload)) as? [String: Any]
        guard let epoch = object?["epoch"] as? NSNumber, let seq = object?["seq"] as? NSNumber else {
          return nil
        }
        return [epoch.uint64Value, seq.uint64Value]
      }
    }

    var health: String {
      broker.messages.last { $0.topic.hasSuffix("/health") }
        .map { String(decoding: $0.payload, as: UTF8.self) } ?? ""
    }

    /// How many transitions were decided, as health said last.
    var decided: Int { health.firstMatch(of: #/"transitions":(\d+)/#).flatMap { Int($0.1) } ?? 0 }

    func end() {
      broker.stop()
      try? FileManager.default.removeItem(at: folder)
    }
  }

  @Test func messagesGoOnWithoutItAndNoneIsLostOrSentTwice() async throws {
    let stage = try await Stage()
    defer { stage.end() }
    let gateway = try stage.start()
    #expect(try await gateway.wait { stage.numbers.count >= 3 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.sign)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("has not responded for 10 s") })
    let before = stage.numbers.count
    #expect(try await gateway.wait { stage.numbers.count > before + 3 })
    #expect(try await gateway.wait { stage.health.contains(#""durable":false"#) }, "\(stage.health)")
    // It answers again: all is on disk once more.
    try FileManager.default.removeItem(at: stage.sign)
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
    let stage = try await Stage()
    defer { stage.end() }
    let pipe = Pipe()
    let gateway = try stage.start(hearing: pipe)
    defer { gateway.signal(SIGKILL) }
    func healths() -> Int { stage.broker.messages.count { $0.topic.hasSuffix("/health") } }
    #expect(try await gateway.wait { healths() > 8 }, "\(gateway.errorsSoFar)")
    let page = try #require(gateway.outputSoFar.firstMatch(of: #/dashboard: (\S+)/#)).1
    try Data().write(to: stage.sign)
    let line =
      #"{"t":1,"receiver":"hci0","address":"C1:00:00:00:00:00","address_type":"random","rssi":-45,"payload":"020106"}"#
    try pipe.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    #expect(try await gateway.wait(within: 120) { stage.decided == 1 }, "\(stage.health)")
    let top = try await Command(["top", "--url", String(page), "--once"]).end(within: 60)
    #expect(top.status == 0, "\(top.errors)")
    #expect(try await gateway.wait(within: 120) { stage.numbers.count == 1 }, "\(gateway.errorsSoFar)")
    #expect(
      try await gateway.wait(within: 60) { stage.health.contains(#""durable":false"#) }, "\(stage.health)")
    gateway.signal(SIGTERM)
    let result = try await gateway.end(within: 60)
    #expect(result.status == 0, "the broker has it: \(result.errors)")
  }

  /// What was decided in the disk's silence goes to the broker, which is well.
  @Test func stoppingSoonAfterwardsLosesNothingTheBrokerAccepts() async throws {
    let stage = try await Stage()
    defer { stage.end() }
    let gateway = try stage.start()
    #expect(try await gateway.wait { stage.numbers.count >= 3 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.sign)
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
    let stage = try await Stage()
    defer { stage.end() }
    let gateway = try stage.start()
    #expect(try await gateway.wait { stage.numbers.count >= 3 }, "\(gateway.errorsSoFar)")
    try Data().write(to: stage.sign)
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
