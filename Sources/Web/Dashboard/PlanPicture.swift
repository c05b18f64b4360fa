import Beacons
import Configuration
import Core
import Pipeline
import Proximity

/// The plan of the site: rooms, doors, receivers.
package struct PlanPicture: Sendable {
  private let configuration: Configuration

  package init(_ configuration: Configuration) { self.configuration = configuration }

  package var json: [UInt8] {
    JSONWriter.object {
      let floors = configuration.floors.map { ($0.name as String?, $0.height) }
      $0.objects("floors", floors.isEmpty ? [(nil, 0)] : floors) { json, floor in
        json.field("floor", floor.0)
        json.field("height", floor.1, decimals: 2)
      }
      $0.objects("rooms", configuration.rooms) { json, room in
        json.field("room", room.name)
        json.field("floor", room.floor)
        json.array("outline", room.outline) { Self.write($1, in: &$0) }
        json.array("receivers", room.receivers) { $0.value($1) }
      }
      $0.objects("doors", configuration.doors) { json, door in
        json.field("floor", door.floor)
        json.array("line", [door.from, door.to]) { Self.write($1, in: &$0) }
      }
      $0.objects("receivers", configuration.receivers) { json, receiver in
        json.field("receiver", receiver.name)
        json.key("position")
        if let position = receiver.calibration.position {
          json.array([position.x, position.y, position.z]) { $0.value($1, decimals: 2) }
        } else {
          json.null()
        }
      }
    }
  }

  static func write(_ point: Point, in json: inout JSONWriter) {
    json.array([point.x, point.y]) { $0.value($1, decimals: 2) }
  }
}

/// Where a beacon may be, cell by cell.
package struct CloudPicture: Sendable {
  private let cloud: RoomTracker.Cloud?
  private let shares: [Double]
  private let configuration: Configuration
  private let room: RoomEstimate?

  package init(of beacon: BeaconIndex, _ pipeline: Pipeline) {
    cloud = pipeline.roomCloud(of: beacon)
    shares = pipeline.roomShares(of: beacon) ?? []
    room = pipeline.roomEstimate(of: beacon)
    configuration = pipeline.configuration
  }

  package var json: [UInt8] {
    JSONWriter.object {
      $0.field("cell_m", cloud?.edge, decimals: 3)
      $0.array("cells", cloud?.cells ?? []) { json, cell in
        json.array(0..<4) { json, column in
          switch column {
          case 0: json.value(cell.point.x, decimals: 2)
          case 1: json.value(cell.point.y, decimals: 2)
          case 2: json.value(cell.probability, decimals: 4)
          default: json.value(cell.floor)
          }
        }
      }
      $0.object("position", of: room?.position) { json, position in
        json.field("x", position.x, decimals: 2)
        json.field("y", position.y, decimals: 2)
        json.field("sd", room?.positionDeviation, decimals: 2)
      }
      $0.objects("rooms", zip(configuration.rooms, shares)) { json, share in
        json.field("room", share.0.name)
        json.field("probability", share.1, decimals: 3)
      }
    }
  }
}
