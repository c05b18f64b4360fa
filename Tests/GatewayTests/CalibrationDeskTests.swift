import Beacons
import Configuration
import Contract
import Core
import Foundation
import Logging
import Outbox
import Pipeline
import Scenes
import Testing

@testable import Web
@testable import Gateway
@testable import Mosquitto

/// A calibration from the page: the gateway keeps what it hears meanwhile, learns, and saves.
@Suite struct CalibrationDeskTests {
  private static let rules = """
    gateway: { name: home }
    beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
    rooms:
      - { name: kitchen, receivers: [near] }
      - { name: hall, receivers: [far] }

    """

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "desk-\(UUID())", directoryHint: .isDirectory)
  private var file: String { folder.appending(path: "site.yaml").path() }
  private let loop: DecisionLoop

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.rules.utf8).write(to: folder.appending(path: "site.yaml"))
    loop = try Self.loop(Self.rules)
  }

  private static func loop(_ rules: String) throws -> DecisionLoop {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var pipeline = Pipeline(try Scene.configuration(rules))
    pipeline.keepHistory()
    let listener = GatewayRun.Listener()
    let delivery = try Delivery(
      try Client(Options(host: "127.0.0.1", port: 1)), pipeline.topics, OpenOutbox(), listener: listener,
      logger: logger)
    return DecisionLoop(pipeline, delivery: delivery, logger: logger)
  }

  private func desk(_ other: DecisionLoop? = nil) -> DashboardContent {
    DashboardContent(
      LiveStage(
        other ?? loop, broker: "none",
        editor: ConfigurationEditor(ConfigurationWriter(path: file), environment: [:]) { _ in },
        revision: RunningRevision()))
  }

  /// Both receivers hear the beacon, one of them better, until it is enough.
  private func stand(near: Int8, far: Int8, until isEnough: () throws -> Bool) async throws {
    var table = ReceiverTable()
    for _ in 0..<6000 {
      var batch = AdvertisementBatch()
      for (name, rssi) in [("near", near), ("far", far)] {
        let index = table.index(of: name)
        batch.append(
          Advertisement(
            receiver: try #require(index), address: DeviceAddress(bits: 0xC100_0000_0001, kind: .random),
            rssi: rssi,
            time: LiveClock.now, wallTime: LiveClock.wallNow), payload: [2, 1, 6].span)
      }
      loop.observe(batch, table)
      if try isEnough() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it is never enough")
  }

  /// For how long the beacon was heard in a room, in s.
  private func seconds(_ desk: DashboardContent, in room: Int) throws -> Double {
    guard case .list(let rooms)? = ask(desk, nil).body["walk"]?["rooms"],
      case .number(let seconds)? = rooms[room]["seconds"]
    else { throw NoSuchRoom() }
    return seconds
  }

  private struct NoSuchRoom: Error {}

  private func ask(_ desk: DashboardContent, _ step: String?, _ body: String = "{}", mayWrite: Bool = true)
    -> (
      status: Int, body: JSONTree
    )
  {
    let request = Request(
      method: step == nil ? .get : .post,
      path: ["api", "v1", "calibration"] + [step].compactMap(\.self), body: Array(body.utf8))
    let response =
      switch desk.answer(request, rights: Rights(read: true, write: mayWrite)) {
      case .now(let response): response
      case .later(let body): body()
      case .attempt(let body): body { true }
      case .stream: Response.error(500, "a stream")
      }
    return (response.status, (try? JSONTree(response.body)) ?? .null)
  }

  /// `Tests/Browser/dashboard` walks for longer, saves, and takes it back.
  @Test func `a walk from the page that is too short to be judged is learnt from, and not saved`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let desk = desk()
    #expect(ask(desk, "begin", #"{"beacon":"key"}"#).status == 409, "it was not heard yet")
    try await stand(near: -50, far: -80) { ask(desk, "begin", #"{"beacon":"key"}"#).status == 200 }
    #expect(ask(desk, "begin", #"{"beacon":"key"}"#).status == 409, "one walk at a time")
    #expect(ask(desk, "fit").status == 409, "nothing is marked")
    #expect(ask(desk, "mark", #"{"room":"attic"}"#).status == 422)
    #expect(ask(desk, "mark", #"{"room":"kitchen"}"#).status == 200)
    try await stand(near: -50, far: -80) { try seconds(desk, in: 0) >= 0.6 }
    let (_, covered) = ask(desk, nil)
    #expect(covered["state"] == .text("walking") && covered["walk"]?["heard_s"] != .null)
    #expect(try seconds(desk, in: 1) == 0)
    #expect(ask(desk, "mark", #"{"room":"hall"}"#).status == 200)
    try await stand(near: -80, far: -50) { try seconds(desk, in: 1) >= 0.6 }
    #expect(ask(desk, "mark", #"{"room":null}"#).body["walk"]?["room"] == .null)

    #expect(ask(desk, "fit").status == 200)
    for _ in 0..<3000 where ask(desk, nil).body["state"] == .text("fitting") {
      try await Task.sleep(for: .milliseconds(20))
    }
    let (_, fitted) = ask(desk, nil)
    #expect(fitted["state"] == .text("fitted") && fitted["result"]?["usable"] == .flag(false))
    #expect(fitted["result"]?["held_out"] == .null, "too short to be judged")
    guard case .text(let refusal)? = fitted["result"]?["refusal"] else { throw NoSuchRoom() }
    #expect(refusal.contains("mark 40 s in each room, a minute or more in all"), "\(refusal)")
    #expect(ask(desk, "save").status == 409 && ask(desk, "undo").status == 409)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.rules)
    #expect(ask(desk, "end").body["state"] == .text("none"))
  }

  @Test func `a room that is renamed during the walk keeps its marks`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let desk = desk()
    try await stand(near: -50, far: -80) { ask(desk, "begin", #"{"beacon":"key"}"#).status == 200 }
    #expect(ask(desk, "mark", #"{"room":"kitchen"}"#).status == 200)
    try await stand(near: -50, far: -80) { try seconds(desk, in: 0) >= 0.6 }
    #expect(ask(desk, "mark", #"{"room":"hall"}"#).status == 200)
    try await stand(near: -80, far: -50) { try seconds(desk, in: 1) >= 0.6 }
    #expect(ask(desk, "fit").status == 200)

    loop.configure(try Scene.configuration(Self.rules.replacing("kitchen", with: "galley")))
    let (_, walk) = ask(desk, nil)
    #expect(walk["state"] == .text("walking"), "what was computed was for the former rooms")
    guard case .list(let rooms)? = walk["walk"]?["rooms"] else { throw NoSuchRoom() }
    #expect(rooms[0]["room"] == .text("galley"))
    for room in [0, 1] { #expect(try seconds(desk, in: room) > 0) }
    #expect(ask(desk, "save").status == 409)
  }

  @Test func `a site that is too large for a calibration is refused before the walk`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let receivers = (0...256).map { "r\($0)" }.joined(separator: ", ")
    let desk = desk(
      try Self.loop(
        """
        gateway: { name: home }
        beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
        rooms: [{ name: hall, receivers: [\(receivers)] }]

        """))
    let (status, body) = ask(desk, "begin", #"{"beacon":"key"}"#)
    #expect(status == 422)
    guard case .text(let reason)? = body["error"] else { throw NoSuchRoom() }
    #expect(reason.contains("256 rooms and as many receivers"), "\(reason)")
  }

  @Test func `who may only look cannot calibrate`() {
    defer { try? FileManager.default.removeItem(at: folder) }
    for step in ["begin", "mark", "unmark", "fit", "save", "undo", "end"] {
      #expect(ask(desk(), step, mayWrite: false).status == 403)
    }
    #expect(ask(desk(), nil, mayWrite: false).status == 200)
    #expect(ask(desk(), "dance").status == 404)
  }
}
