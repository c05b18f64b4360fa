import Beacons
import Pipeline
import Scanners

/// The whole state, exactly: whoever goes on from it says the same to every further message, with the same numbers.
extension FleetPartition {
  /// - Parameter octets: so many are expected.
  public func state(expecting octets: Int = 0) -> [UInt8] {
    var writer = StateWriter()
    writer.reserve(octets + octets / 16)
    writer.write(UInt32(number))
    writer.write(UInt32(partitions))
    writer.write(numbers.epoch)
    writer.write(numbers.last)
    writer.write(time)
    writer.write(looked)
    for count in [counts.messages, counts.observations, counts.transitions, counts.early, counts.misplaced] {
      writer.write(count)
    }
    pipeline.snapshot(into: &writer)
    intake.snapshot(into: &writer)
    return writer.finished()
  }

  /// The partition that a state was taken of. The configuration and the number of partitions must be the same.
  ///
  /// - Parameter fresh: a partition of the same site that has taken nothing in yet. What follows from the configuration is not
  ///   computed again.
  public init(_ fresh: FleetPartition, _ number: Int, state: [UInt8]) throws(StateError) {
    var reader = try StateReader(state)
    reader.part = "partition"
    guard try reader.read() == UInt32(number), try reader.read() == UInt32(fresh.partitions) else {
      throw .configuration
    }
    self.init(fresh, number, epoch: try reader.read())
    numbers = TransitionNumbers(epoch: epoch, last: try reader.tally())
    time = try reader.read()
    looked = try reader.read()
    counts.messages = try reader.tally()
    counts.observations = try reader.tally()
    counts.transitions = try reader.tally()
    counts.early = try reader.tally()
    counts.misplaced = try reader.tally()
    try pipeline.restore(from: &reader)
    intake = try ScannerIntake(intake.scanners, ownGateway: names.site, snapshot: &reader)
    try reader.finish()
    receivers.learn(intake.table) { pipeline.receiver($0) }
  }
}
