import Beacons
import Dashboard
import HTTP
import Foundation
import JSON
import Logging
import Machine
import Messages
@testable import Mosquitto
import Outbox
import Pipeline
import Scenes
import Testing

@testable import Gateway

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
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var pipeline = Pipeline(try Scene.configuration(Self.rules))
    pipeline.keepHistory()
    let listener = GatewayRun.Listener(onReady: { _ in }, onTransition: { _ in }, onVerdict: { _ in })
    let delivery = Delivery(
      try Client(Options(host: "127.0.0.1", port: 1)), pipeline.topics, OpenOutbox(), listener: listener,
      logger: logger)
    loop = DecisionLoop(pipeline, delivery: delivery, logger: logger)
  }

  private func desk() -> CalibrationDesk {
    CalibrationDesk(LiveStage(loop, broker: "none", configurationFile: file, reload: {}))
  }

  /// Both receivers hear the beacon for a moment, one of them better.
  private func stand(near: Int8, far: Int8) async throws {
    var table = ReceiverTable()
    for _ in 0..<4 {
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
      try await Task.sleep(for: .milliseconds(150))
    }
  }

  private func ask(_ desk: CalibrationDesk, _ step: String?, _ body: String = "{}", mayWrite: Bool = true)
    -> (
      status: Int, body: JSONTree
    )
  {
    let request = Request(
      method: step == nil ? .get : .post, path: [], body: Array(body.utf8))
    let response =
      switch desk.answer(step, request, Rights(read: true, write: mayWrite)) {
      case .now(let response): response
      case .later(let body): body()
      case .stream: Response.error(500, "a stream")
      }
    return (response.status, (try? JSONTree(response.body)) ?? .null)
  }

  @Test func `a walk from the page is learnt from, saved beside the configuration, and taken back`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let desk = desk()
    #expect(ask(desk, "begin", #"{"beacon":"key"}"#).status == 409, "it was not heard yet")
    try await stand(near: -50, far: -80)
    #expect(ask(desk, "begin", #"{"beacon":"key"}"#).status == 200)
    #expect(ask(desk, "begin", #"{"beacon":"key"}"#).status == 409, "one walk at a time")
    #expect(ask(desk, "fit").status == 409, "nothing is marked")
    #expect(ask(desk, "mark", #"{"room":"attic"}"#).status == 422)
    #expect(ask(desk, "mark", #"{"room":"kitchen"}"#).status == 200)
    try await stand(near: -50, far: -80)
    let (_, covered) = ask(desk, nil)
    #expect(covered["state"] == .text("walking") && covered["walk"]?["heard_s"] != .null)
    guard case .list(let rooms)? = covered["walk"]?["rooms"], case .number(let seconds)? = rooms[0]["seconds"]
    else {
      Issue.record("no rooms in \(covered)")
      return
    }
    #expect(seconds > 0 && rooms[1]["seconds"] == .number(0))
    #expect(ask(desk, "mark", #"{"room":"hall"}"#).status == 200)
    try await stand(near: -80, far: -50)
    #expect(ask(desk, "mark", #"{"room":null}"#).body["walk"]?["room"] == .null)

    #expect(ask(desk, "fit").status == 200)
    for _ in 0..<3000 where ask(desk, nil).body["state"] == .text("fitting") {
      try await Task.sleep(for: .milliseconds(20))
    }
    let (_, fitted) = ask(desk, nil)
    #expect(fitted["state"] == .text("fitted") && fitted["result"]?["usable"] == .flag(true))
    #expect(fitted["result"]?["held_out"] == .null, "too short to be judged")

    let (status, saved) = ask(desk, "save")
    #expect(status == 200 && saved["saved"]?["missing"] == .null)
    let configuration = { try String(contentsOfFile: self.file, encoding: .utf8) }
    #expect(try configuration() == Self.rules + "calibration: rooms.json\n")
    let calibration = folder.appending(path: "rooms.json").path()
    #expect(FileManager.default.fileExists(atPath: calibration))
    #expect(ask(desk, "undo").status == 200)
    #expect(try configuration() == Self.rules)
    #expect(!FileManager.default.fileExists(atPath: calibration))
    #expect(ask(desk, "end").body["state"] == .text("none"))
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
