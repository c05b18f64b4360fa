import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// Rooms that are just names. One of them is configured later than others, and until then its beacons are told in those; what was
/// learnt of receivers meanwhile is wrong. Once it is there, everybody is found.
@Suite struct AddedRoomTests {
  /// A receiver in each room, named as the room; and beacons that lie still.
  struct House {
    var rooms: [String]
    /// By beacon: its room, and what the receiver in each room hears, dBm.
    var beacons: [(room: Int, levels: [Int8])]

    /// All receivers hear one weakly, each from another room.
    static let weak = House(
      rooms: ["hallway", "kitchen", "bath"],
      beacons: [
        (1, [-96, -82, -98]), (2, [-96, -98, -82]), (0, [-82, -96, -98]), (0, [-52, -84, -84]),
        (1, [-84, -52, -84]), (2, [-84, -84, -52]),
      ])

    /// All receivers hear one weakly, and the others are in one room: they say little of the receivers of the other two.
    static let alone = House(
      rooms: weak.rooms,
      beacons: [(2, [-96, -98, -82])] + (0..<3).map { _ in (0, [-52, -84, -84]) })

    static let family = House(
      rooms: ["r0", "r1", "r2", "r3", "r4"],
      beacons: (0..<30).map { beacon in
        let (room, power) = (beacon % 5, beacon % 4)
        return (room, (0..<5).map { Int8(power + [-74, -90, -99][min(abs($0 - room), 2)]) })
      })

    static let ward = House(
      rooms: (0..<8).map { "r\($0)" },
      beacons: (0..<200).map { beacon in
        let (room, power) = (beacon % 8, beacon % 4)
        return (room, (0..<8).map { Int8(power + [-74, -90, -99][min(abs($0 - room), 2)]) })
      })

    func yaml(without missing: Int?) -> String {
      let receivers = rooms.map { "{ name: \($0) }" }
      let beacons = beacons.indices.map { "{ name: b\($0), address: '\(Self.address($0))' }" }
      let configured = rooms.indices.filter { $0 != missing }.map {
        "{ name: \(rooms[$0]), receivers: [\(rooms[$0])] }"
      }
      return """
        gateway: { name: house }
        receivers: [\(receivers.joined(separator: ", "))]
        beacons: [\(beacons.joined(separator: ", "))]
        rooms: [\(configured.joined(separator: ", "))]
        """
    }

    static func bits(_ beacon: Int) -> UInt64 { 0xC100_0000_0100 + UInt64(beacon) }

    private static func address(_ beacon: Int) -> String {
      "\(DeviceAddress(bits: bits(beacon), kind: .random))"
    }
  }

  /// A gateway in such a house.
  struct Run {
    let house: House
    var scene: Scene

    init(_ house: House, without missing: Int?) throws {
      self.house = house
      scene = try Scene(house.yaml(without: missing))
    }

    mutating func stay(_ seconds: Int) {
      let receivers = house.rooms.map { scene.pipeline.receiver($0) }
      let swings: [Int8] = [0, 1, -1, 1, 0, -1]
      for step in 0..<(2 * seconds) {
        var batch = AdvertisementBatch()
        for (beacon, place) in house.beacons.enumerated() {
          for (receiver, level) in zip(receivers, place.levels) {
            guard let receiver else { continue }
            let swing = swings[(step + beacon + 2 * Int(receiver.rawValue)) % swings.count]
            let advertisement = Advertisement(
              receiver: receiver, address: DeviceAddress(bits: House.bits(beacon), kind: .random),
              rssi: level + swing, time: scene.time, wallTime: scene.wallTime)
            batch.append(advertisement, payload: [2, 1, 6].span)
          }
        }
        scene.pipeline.observe(batch, into: &scene.output)
        scene.pass(0.5)
      }
      scene.output.removeAll()
    }

    mutating func reload(without missing: Int?) throws { try scene.reload(house.yaml(without: missing)) }

    mutating func restart(without missing: Int?, gains: [String: Double]? = nil) throws {
      let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
      let gains = gains ?? scene.pipeline.keptGains ?? [:]
      scene.skip(1)
      var next = Pipeline(try Scene.configuration(house.yaml(without: missing)))
      next.restore(saved, isSameBoot: true, at: scene.time, wallTime: scene.wallTime, into: &scene.output)
      next.restore(gains: gains)
      scene.replace(next, receiver: scene.receiver)
    }

    /// Those that are told in another room than their own, or in none.
    var strayed: [String] {
      house.beacons.indices.compactMap { beacon in
        let topic = "beaconkeeper/house/beacon/b\(beacon)/room"
        let state = scene.pipeline.allStates().first { $0.topic == topic }
        let told = String(decoding: state?.payload ?? [], as: UTF8.self)
        let room = house.rooms[house.beacons[beacon].room]
        return told.contains(#""room":"\#(room)""#) ? nil : "b\(beacon) is not in \(room): \(told)"
      }
    }
  }

  /// Of identical receivers it was learnt that some hear 9 dB more than others, and some 9 dB less.
  @Test(
    arguments: 0..<3,
    [[0, 8.9, -8.9], [0, -8.9, 8.9], [8.9, 0, -8.9], [8.9, -8.9, 0], [-8.9, 0, 8.9], [-8.9, 8.9, 0]])
  func `what was learnt wrongly holds nobody in the wrong room`(missing: Int, gains: [Double]) throws {
    var run = try Run(.alone, without: nil)
    run.stay(20)
    #expect(run.strayed == [])
    try run.reload(without: missing)
    run.stay(60)
    try run.restart(
      without: nil, gains: Dictionary(uniqueKeysWithValues: zip(run.house.rooms, gains)))
    run.stay(30)
    #expect(run.strayed == [])
    run.stay(60)
    #expect(run.strayed == [])
  }

  @Test(arguments: 0..<5) func `a family is found, too`(missing: Int) throws {
    var run = try Run(.family, without: missing)
    run.stay(60)
    let gains = [8.9, -8.9, 0, -8.9, 8.9]
    try run.restart(
      without: nil, gains: Dictionary(uniqueKeysWithValues: zip(run.house.rooms, gains)))
    run.stay(30)
    #expect(run.strayed == [])
  }

  /// As long as its room is missing, a beacon seems to prove that a receiver hears more than it does. It says so once.
  @Test(arguments: 0..<3) func `who lies still proves nothing by being there after each restart`(missing: Int)
    throws
  {
    var run = try Run(.weak, without: missing)
    run.stay(90)
    let learnt = run.scene.pipeline.receiverGains
    for count in 0..<20 {
      if count % 2 == 0 { try run.restart(without: missing) } else { try run.reload(without: missing) }
      run.stay(20)
    }
    for (receiver, gain) in run.scene.pipeline.receiverGains {
      #expect(abs(gain - (learnt[receiver] ?? 0)) < 0.1)
    }
    try run.restart(without: nil)
    run.stay(30)
    #expect(run.strayed == [])
  }
}
