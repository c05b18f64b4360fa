import Beacons
import Messages
import Pipeline
import Settings

/// A phone belongs to the partition of the beacon that it carries: only that one hears the beacon, and nobody else publishes the
/// phone's window.
extension FleetPartition {
  private static let refusalInterval = TimeSpan.seconds(10)

  mutating func followOwnPhones() {
    if phones.isEmpty { return }
    pipeline.follow(
      phones.filter { phone in
        ObservationsMessage.partition(of: phone.beaconKey ?? phone.beacon, among: partitions) == number
      })
  }

  /// Takes in what a phone's app reports; all partitions get it.
  mutating func report(_ payload: [UInt8], topic: String, at time: MonotonicTime) -> [String] {
    guard
      let refusal = pipeline.receive(
        payload, topic: topic, isRetained: false, at: time,
        wallTime: WallTime(nanoseconds: time.nanoseconds), into: &output)
    else { return [] }
    if let told = refusalTold, time - told < Self.refusalInterval { return [] }
    refusalTold = time
    return ["rejected a message on \(topic): \(refusal) (\(pipeline.refusedReports) rejected so far)"]
  }

  /// Reports about phones' apps that were refused.
  public var refusedReports: UInt64 { pipeline.refusedReports }
}
