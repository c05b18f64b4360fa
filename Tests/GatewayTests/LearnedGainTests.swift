import Beacons
@testable import Configuration
import Contract
import Core
import Proximity
import Radio
import Scenes
import Testing

@testable import Gateway
@testable import Pipeline

/// What `health` says of receivers that hear more or less than the others. The door's hears 10 dB more than the cooker's.
struct LearnedGainTests {
  private static let yaml = """
    gateway: { name: flat }
    beacons: [{ name: key, address: C1:00:00:00:00:01 }]
    rooms: [{ name: kitchen, receivers: [cooker] }, { name: hall, receivers: [door] }]
    """

  private var scene: Scene
  private let (cooker, door): (ReceiverIndex, ReceiverIndex)

  init() throws {
    scene = try Scene(Self.yaml)
    let (cooker, door) = (scene.pipeline.receiver("cooker"), scene.pipeline.receiver("door"))
    self.cooker = try #require(cooker)
    self.door = try #require(door)
  }

  /// Some seconds in each room, several times.
  private mutating func carry(times count: Int) throws {
    for (cookers, doors) in Array(repeating: [(-55, -65), (-75, -45)], count: count).joined() {
      for _ in 0..<50 {
        try scene.hear([], rssi: Int8(cookers), for: 0.1, at: cooker)
        try scene.hear([], rssi: Int8(doors), for: 0.1, at: door)
      }
    }
  }

  /// `gain_db` by receiver, as it is published.
  private func told(by pipeline: Pipeline) throws -> [String: Double] {
    var book = HealthBook(from: .zero)
    for receiver in pipeline.receivers.indices {
      book.receivers.set(
        ReceiverHealthChange(receiver: receiver, health: .ok, time: .zero, wallTime: scene.wallTime))
    }
    let message = book.message(of: pipeline, at: scene.time, scene.wallTime, over: nil)
    let health = try JSONTree(message.message(topics: pipeline.topics).payload)
    guard case .list(let receivers)? = health["receivers"] else { return [:] }
    return Dictionary(
      receivers.compactMap { receiver in
        guard let name = receiver.text("name"), case .number(let gain)? = receiver["gain_db"] else {
          return nil
        }
        return (name, gain)
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test mutating func aReceiverThatHearsMoreIsAboveItsAverageAndTheOtherBelow() throws {
    try carry(times: 6)
    let gains = try told(by: scene.pipeline)
    #expect(gains.keys.sorted() == ["cooker", "door"])
    let (door, cooker) = (try #require(gains["door"]), try #require(gains["cooker"]))
    #expect((2...5).contains(door) && cooker == -door)
    #expect(abs(door * 10 - (door * 10).rounded()) < 1e-9, "in tenths")
  }

  @Test mutating func nothingIsToldBeforeEnoughWasHeard() throws {
    #expect(try told(by: scene.pipeline).isEmpty)
    try carry(times: 1)
    #expect(try told(by: scene.pipeline).isEmpty)
  }

  @Test mutating func afterARestartItIsTheSame() throws {
    try carry(times: 6)
    var next = Pipeline(scene.pipeline.configuration)
    next.restore(gains: try #require(scene.pipeline.keptGains))
    #expect(try told(by: next) == told(by: scene.pipeline))
    #expect(try !told(by: next).isEmpty)
  }

  @Test mutating func calibratedRoomsTellNone() throws {
    try carry(times: 6)
    #expect(try !told(by: scene.pipeline).isEmpty)
    var configuration = scene.pipeline.configuration
    let levels = [
      ("cooker", "kitchen", -60), ("cooker", "hall", -80), ("door", "hall", -50), ("door", "kitchen", -70),
    ]
    configuration.roomCalibration = RoomCalibration(
      receivers: ["cooker", "door"].map { .init(name: $0, power: -60, exponent: 2) }, wallLoss: 4,
      samples: [],
      histograms: levels.map {
        .init(receiver: $0.0, room: $0.1, lowest: $0.2, counts: [1, 4, 9, 14, 9, 4, 1])
      })
    scene.pipeline = scene.pipeline.reconfigured(configuration, into: &scene.output)
    try carry(times: 2)
    #expect(try told(by: scene.pipeline).isEmpty)
  }
}
