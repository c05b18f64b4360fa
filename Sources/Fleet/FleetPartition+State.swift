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

  /// Goes on from a checkpoint. Where nothing of it fits, the partition begins anew: all are found again by what is heard.
  ///
  /// - Parameters:
  ///   - epoch: for a partition that begins anew, later than any that was used before.
  ///   - payload: of the checkpoint; empty: there is none; nil: a part of it is missing.
  ///   - wallNow: of the worker. A checkpoint from much later was poisoned.
  /// - Returns: also the hashes of the messages that its state has seen, and why it begins anew although there is a checkpoint.
  public static func resume(
    _ fresh: FleetPartition, _ number: Int, epoch: UInt64, from payload: [UInt8]?, at wallNow: WallTime
  )
    -> (partition: FleetPartition, seen: [UInt64], refusal: StateError?)
  {
    let anew = FleetPartition(fresh, number, epoch: epoch)
    guard let payload else { return (anew, [], .damaged("a part of it is missing")) }
    if payload.isEmpty { return (anew, [], nil) }
    do throws(StateError) {
      let checkpoint = try Checkpoint(payload)
      let known = try FleetPartition(fresh, number, state: checkpoint.state)
      if let lead = known.lead(at: wallNow) {
        throw .damaged("its time is \(Int(lead.seconds)) s ahead of this machine's")
      }
      return (known, checkpoint.seen, nil)
    } catch {
      return (anew, [], error)
    }
  }

  /// How far its time is ahead of the worker's, if nobody's clock explains that.
  public func lead(at wallNow: WallTime) -> TimeSpan? {
    guard let time else { return nil }
    let lead = WallTime(nanoseconds: time.nanoseconds) - wallNow
    return lead > WorkersClocks.longestLead ? lead : nil
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
