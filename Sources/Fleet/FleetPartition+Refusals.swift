import Messages
import Scanners

extension FleetPartition {
  /// Batches that were refused, repeated ones too.
  public var refused: UInt64 { intake.figures.reduce(0) { $0 + $1.refused.values.reduce(0, +) } }

  /// Batches that came twice.
  public var repeated: UInt64 {
    intake.figures.reduce(0) { $0 + $1.refused[ScannerRefusal.repeated.rawValue, default: 0] }
  }
}
