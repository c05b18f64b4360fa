import Beacons
import FoundationEssentials
import Pipeline
import Scanners
import Settings
import Messages

/// INTERIM until exact snapshots land.
extension FleetPartition {
  private struct Interim: Codable {
    var epoch: UInt64
    var last: UInt64
    var time: Int64?
    var beacons: [SavedBeacon]
  }

  public func state() -> [UInt8] {
    let wall = WallTime(nanoseconds: time?.nanoseconds ?? 0)
    let saved = pipeline.savedBeacons(0..<pipeline.beaconPlaces, at: time ?? .zero, wallTime: wall)
    return Array(
      (try? JSONEncoder().encode(
        Interim(epoch: epoch, last: numbers.last, time: time?.nanoseconds, beacons: saved))) ?? Data())
  }

  public init(_ configuration: Configuration, _ number: Int, of partitions: Int, state: [UInt8]) throws {
    let interim = try JSONDecoder().decode(Interim.self, from: Data(state))
    self.init(configuration, number, of: partitions, epoch: interim.epoch)
    numbers = TransitionNumbers(epoch: interim.epoch, last: interim.last)
    time = interim.time.map { MonotonicTime(nanoseconds: $0) }
    if let time {
      var none = Pipeline.Output()
      intake.brokerConnected(at: time)
      pipeline.restore(
        interim.beacons, isSameBoot: true, at: time, wallTime: WallTime(nanoseconds: time.nanoseconds),
        into: &none)
    }
  }
}
