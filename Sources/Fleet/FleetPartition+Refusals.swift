import Messages
import Pipeline
import Scanners

extension FleetPartition {
  /// The names among these that belong to beacons that were heard.
  public func known(among names: Set<String>) -> Set<String> { pipeline.known(among: names) }

  /// Batches that were refused, repeated ones too. What is too old is refused one by one, and counts as observations.
  public var refused: UInt64 {
    intake.figures.reduce(0) { sum, figure in
      sum + figure.refused.reduce(0) { $1.key == ScannerRefusal.age.rawValue ? $0 : $0 + $1.value }
    }
  }

  /// See `ScannerIntake`.
  public var refusedObservations: UInt64 { intake.refusedObservations }

  /// Batches that came twice.
  public var repeated: UInt64 {
    intake.figures.reduce(0) { $0 + $1.refused[ScannerRefusal.repeated.rawValue, default: 0] }
  }
}
