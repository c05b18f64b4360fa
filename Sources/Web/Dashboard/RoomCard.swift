import Beacons
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// A room as the API shows it.
struct RoomCard: Sendable {
  private struct Member: Sendable {
    var beacon: String
    var displayName: String?
    var since: WallTime
    var probability: Double?
  }

  private static let memberLimit = 200

  private let name: String
  private let floor: String?
  private let state: String
  private let count: Int
  private let members: [Member]

  init(_ room: RoomIndex, _ pipeline: Pipeline) {
    let settings = pipeline.configuration.rooms[Int(room.rawValue)]
    name = settings.name
    floor = settings.floor
    let occupancy = pipeline.occupancy(of: room)
    state = occupancy.state
    count = occupancy.members.count
    members = pipeline.members(of: room).prefix(Self.memberLimit).map { beacon, since in
      Member(
        beacon: pipeline.roster.name(of: beacon), displayName: pipeline.displayName(of: beacon), since: since,
        probability: pipeline.roomEstimate(of: beacon).flatMap { $0.isHeard ? $0.probability : nil })
    }
  }

  func write(in json: inout JSONWriter) {
    json.object {
      $0.field("room", name)
      $0.field("floor", floor)
      $0.field("state", state)
      $0.field("count", count)
      $0.objects("beacons", members) { json, member in
        json.field("beacon", member.beacon)
        if let name = member.displayName { json.field("name", name) }
        json.field("since", member.since)
        json.field("probability", member.probability, decimals: 3)
      }
    }
  }
}
