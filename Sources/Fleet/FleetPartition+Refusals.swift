import Messages
import Pipeline
import Scanners

extension FleetPartition {
  /// The names among these that belong to beacons that were heard.
  public func known(among names: Set<String>) -> Set<String> { pipeline.known(among: names) }

  /// Batches that were refused, repeated ones too, and single observations.
  public var refused: UInt64 { intake.figures.reduce(0) { $0 + $1.refused.values.reduce(0, +) } }

  /// Observations that were made over a minute before, and those of refused batches. What came twice is not counted again.
  public var refusedObservations: UInt64 { intake.refusedObservations }

  /// Batches that came twice.
  public var repeated: UInt64 {
    intake.figures.reduce(0) { $0 + $1.refused[ScannerRefusal.repeated.rawValue, default: 0] }
  }
}
