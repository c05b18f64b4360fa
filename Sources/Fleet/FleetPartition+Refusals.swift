import Messages
import Pipeline
import Scanners

extension FleetPartition {
  /// The names among these that belong to beacons that were heard.
  public func known(among names: Set<String>) -> Set<String> { pipeline.known(among: names) }

  /// Batches that were refused, repeated ones too.
  public var refused: UInt64 { intake.figures.reduce(0) { $0 + $1.refused.values.reduce(0, +) } }

  /// Batches that came twice.
  public var repeated: UInt64 {
    intake.figures.reduce(0) { $0 + $1.refused[ScannerRefusal.repeated.rawValue, default: 0] }
  }
}
