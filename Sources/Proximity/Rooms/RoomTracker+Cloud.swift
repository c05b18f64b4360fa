import Beacons

extension RoomTracker {
  /// The belief of a beacon, cell by cell.
  public struct Cloud: Sendable {
    /// The middle of a cell, and the probability that the beacon is in it.
    public struct Cell: Sendable {
      public var point: Point
      /// An index into `RoomPlan.floorHeights`.
      public var floor: Int
      public var probability: Double
    }

    /// Edge of a cell, metres.
    public var edge: Double
    /// The cells of at least the requested probability.
    public var cells: [Cell]
  }

  /// nil: the rooms have no outlines, or no receiver of theirs hears the beacon.
  public func cloud(of beacon: BeaconIndex, above least: Double = 0.002) -> Cloud? {
    guard let grid = model.grid, let track = knownTrack(of: beacon), tracks[track].window != nil else {
      return nil
    }
    var cells: [Cloud.Cell] = []
    beliefs.read(track) { belief in
      for run in model.runs {
        for place in run.places where Double(belief[place]) >= least {
          guard let (point, floor) = grid.place(of: place) else { continue }
          cells.append(.init(point: point, floor: floor, probability: Double(belief[place])))
        }
      }
    }
    return Cloud(edge: grid.edge, cells: cells)
  }

  /// How probable each room is, in the order of the plan; nil: no receiver of the rooms hears the beacon.
  public func shares(of beacon: BeaconIndex) -> [Double]? {
    guard let track = knownTrack(of: beacon), tracks[track].window != nil else { return nil }
    return probabilities(ofTrack: track).map(Double.init)
  }
}
