import Beacons
import Fleet
import Messages
import Settings

/// A fleet's decisions about the journals of its workers, as one worker that never failed would have made them.
public struct FleetReplay {
  /// A partition during a replay: its remaining epochs, and the place in the first of them.
  private struct Course {
    var runs: [Journals.Run]
    var next = 0
    var partition: FleetPartition?
    var time: MonotonicTime { partition?.time ?? MonotonicTime(nanoseconds: .min) }
  }

  private let fresh: FleetPartition
  private let journals: Journals
  private var courses: [Course]
  public private(set) var messages: UInt64 = 0
  public private(set) var observations: UInt64 = 0
  public let total: UInt64

  /// - Parameter paths: files that `fuse --journal` wrote, or folders with them.
  public init(_ configuration: Configuration, journals paths: [String]) throws(JournalError) {
    journals = try Journals(paths)
    fresh = FleetPartition(configuration, 0, of: journals.partitions, epoch: 0)
    courses = Dictionary(grouping: journals.runs, by: \.partition).sorted { $0.key < $1.key }
      .map { Course(runs: $0.value) }
    total = journals.runs.reduce(0) { $0 + UInt64($1.places.count) }
  }

  /// Continues with the partition that is furthest behind, up to its next tick; false at the end. `messages` is emptied first,
  /// and then has what the partition publishes.
  public mutating func next(into output: inout [Message], notices: inout [String]) -> Bool {
    output.removeAll(keepingCapacity: true)
    guard let index = courses.indices.min(by: { courses[$0].time < courses[$1].time }) else { return false }
    let run = courses[index].runs[0]
    // Moved out, so that it is not copied.
    var partition =
      courses[index].partition.take() ?? FleetPartition(fresh, run.partition, epoch: run.epoch)
    let (time, heard) = (partition.time, partition.counts.observations)
    while courses[index].next < run.places.count {
      let place = run.places[courses[index].next]
      courses[index].next += 1
      messages += 1
      if let entry = journals.entry(at: place) {
        notices += partition.take(key: entry.key, entry.payload, into: &output)
      }
      if partition.time != time { break }
    }
    observations += partition.counts.observations - heard
    courses[index].partition = partition
    if courses[index].next == run.places.count {
      courses[index].runs.removeFirst()
      (courses[index].next, courses[index].partition) = (0, nil)
      if courses[index].runs.isEmpty { courses.remove(at: index) }
    }
    return true
  }
}
