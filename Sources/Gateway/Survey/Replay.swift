import Beacons
import Captures
import Configuration
import Contract
import Core
import Phones
import Pipeline

/// The gateway's decisions about a recording: the same pipeline as live, with the recording's time.
package struct Replay: ~Copyable {
  private var recording: Recording
  private var pipeline: Pipeline
  private var numbers = TransitionNumbers(epoch: Self.epoch)
  private var batch = AdvertisementBatch()
  private var hasEnded = false
  /// Follows one beacon through the rooms; nil: not requested.
  package private(set) var follower: RoomFollower?

  /// Always the same: two replays of a capture give the same bytes.
  package static let epoch: UInt64 = 1

  package init(_ configuration: Configuration, captures: [String], following follower: RoomFollower? = nil)
    throws(CaptureError)
  {
    self.follower = follower
    recording = try Recording(paths: captures)
    pipeline = Pipeline(configuration)
  }

  package var topics: Topics { pipeline.topics }
  package var counts: Pipeline.Counts { pipeline.counts }
  /// How many dB more than expected the receivers of the rooms hear, where that was learned.
  package var receiverGains: [(receiver: String, decibels: Double)] {
    pipeline.receiverGains.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { (pipeline.receivers.name(of: $0.key), $0.value) }
  }
  /// Messages for people, each once.
  package mutating func takeNotices() -> [String] { pipeline.takeNotices() }

  package var progress: (offset: Int64, length: Int64?) { recording.progress }
  package var malformedEvents: Int64 { recording.malformedEvents }

  /// What the recording's times mean for its decisions, for people; empty: they are in order.
  package var timeWords: [String] {
    let (few, steps) = recording.late
    var words = recording.sharedReceivers.map {
      "\($0.printable) is in several of the recordings at the same time, and counts as one receiver. If they are of different gateways, name these: --capture hall=FILE"
    }
    let moved = recording.moved
    if moved > 0 {
      words.append(
        "\(moved) \(moved == 1 ? "entry is" : "entries are") up to two seconds earlier than one before: sorted by time"
      )
    }
    if few > 0 {
      words.append(
        "\(few) \(few == 1 ? "entry is" : "entries are") up to a second earlier than one before: decisions count them at that one's time. Sorted by time, the recording may give other transitions"
      )
    }
    if steps > 0 {
      words.append(
        "\(steps) \(steps == 1 ? "entry is" : "entries are") more than a second earlier than one before: the clock counts as set back there. If it was not, sort the recording by time"
      )
    }
    return words
  }
  /// The time of the latest entry, on the recording's clock, which starts at zero.
  package private(set) var time = MonotonicTime.zero

  /// Processes the next batch; false at the end. `output` is emptied first.
  ///
  /// Throws after everything before a fault in the capture has been returned.
  package mutating func next(into output: inout Pipeline.Output) throws(CaptureError) -> Bool {
    output.removeAll()
    switch try recording.next(into: &batch, receiver: { pipeline.receiver($0) }) {
    case .advertisements:
      time = batch[batch.count - 1].time
      if follower == nil { pipeline.observe(batch, into: &output) }
      for index in 0..<batch.count where follower != nil {
        batch.forEach(in: index..<(index + 1)) { advertisement, payload in
          follower?.observe(advertisement, payload: payload, in: &pipeline, into: &output)
        }
      }
    case .observation(let observation):
      time = observation.time
      if follower == nil {
        pipeline.observe(observation, into: &output)
      } else {
        follower?.observe(observation, in: &pipeline, into: &output)
      }
    case .health(let change):
      time = change.time
      follower?.advance(to: time, change.wallTime, in: &pipeline, into: &output)
      pipeline.setHealth(change.receiver, change.health, at: change.time, into: &output)
    case .report(let report):
      time = report.time
      follower?.advance(to: time, report.wallTime, in: &pipeline, into: &output)
      pipeline.receive(report, into: &output)
    case .end:
      // A run publishes its phones' last records when it ends.
      guard !hasEnded else { return false }
      hasEnded = true
      pipeline.tellLastRecords(into: &output)
      return !output.items.isEmpty
    }
    numbers.number(&output)
    follower?.note(output)
    return true
  }
}

extension Pipeline {
  /// Processes a report of a phone's app as it came on its topic.
  @discardableResult
  mutating func receive(_ report: AppReport, into output: inout Output) -> AppReports.Refusal? {
    receive(
      report.payload, topic: topics.appReport(phone: report.phone, report.kind.rawValue),
      isRetained: report.isRetained, at: report.time, wallTime: report.wallTime, into: &output)
  }
}
