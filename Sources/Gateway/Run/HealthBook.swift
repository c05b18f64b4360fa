import Beacons
import Contract
import Core
import Pipeline
import ServiceLifecycle

/// Publishes `health` at an interval, and as soon as the delivery has news for it.
struct HealthService: Feature {
  let decisions: DecisionLoop
  let interval: TimeSpan

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var last = LiveClock.now
      // The first `health` comes soon, so that early subscribers see it.
      var due = last + .seconds(2)
      while true {
        await decisions.delivery.news.wait(until: due)
        if Task.isCancelled { return }
        let now = LiveClock.now
        let hasNews = decisions.delivery.takeNews()
        if now >= due {
          decisions.publishHealth(over: now - last)
          (last, due) = (now, now + interval)
        } else if hasNews {
          decisions.publishHealth()
        }
      }
    }
  }
}

/// What the decision loop knows for `health`: receivers and the pipeline.
struct HealthBook: Sendable {
  /// How long a receiver may take to report.
  private static let patience = TimeSpan.seconds(10)
  /// After this much more time scanners without any message are reported, because boards may be slow.
  private static let longerPatience = TimeSpan.seconds(50)

  var receivers = ReceiverHealths()
  var pace = HealthPace()
  /// After this time a receiver that has never reported is missing.
  private let patienceEnds: MonotonicTime
  var hasToldMissing = false
  private var hasToldSilent = false
  /// Whether `health` was published in this run.
  private(set) var isTold = false
  /// Receivers that were logged as moved.
  private var toldMoved: Set<String> = []

  init(from start: MonotonicTime) { patienceEnds = start + Self.patience }

  /// `health` was published, with all changes.
  mutating func published() {
    pace.published()
    isTold = true
  }

  /// When to report missing receivers; nil: done.
  var missingDeadline: MonotonicTime? { hasToldMissing ? nil : patienceEnds }

  func isTimeToMiss(at time: MonotonicTime) -> Bool { !hasToldMissing && time >= patienceEnds }

  func isTimeToTellSilent(at time: MonotonicTime) -> Bool {
    !hasToldSilent && time >= patienceEnds + Self.longerPatience
  }

  /// Log messages about scanners that have sent nothing.
  mutating func silentNotices(of health: HealthMessage) -> [String] {
    hasToldSilent = true
    return health.remote?.scanners.compactMap(\.silenceWords) ?? []
  }

  /// A log message about a receiver that was moved, once for each.
  mutating func movedNotice(of pipeline: Pipeline) -> String? {
    guard let moved = pipeline.movedReceiver else { return nil }
    let name = pipeline.receivers.name(of: moved.receiver)
    return toldMoved.insert(name).inserted ? "receiver \(name) \(Self.words(movedBy: moved.decibels))" : nil
  }

  fileprivate static func words(movedBy decibels: Double) -> String {
    "hears the rooms otherwise than when they were calibrated, by \(Int(decibels.rounded())) dB: it was moved or hidden; calibrate again"
  }

  /// - Parameter span: time since the last report, for rates; nil keeps the previous rates.
  mutating func message(
    of pipeline: Pipeline, at time: MonotonicTime, _ wallTime: WallTime,
    over span: TimeSpan?
  ) -> HealthMessage {
    var message = HealthMessage(
      time: wallTime, version: version,
      receivers: receivers.report(
        pipeline.receivers, expected: pipeline.expectedReceivers, isMissed: time >= patienceEnds,
        gains: pipeline.receiverGains, over: span),
      advertisements: pipeline.counts.advertisements, sightings: pipeline.counts.sightings,
      transitions: pipeline.counts.transitions, beacons: pipeline.beaconCount,
      refusedReports: pipeline.refusedReports)
    if let moved = pipeline.movedReceiver {
      let name = pipeline.receivers.name(of: moved.receiver)
      for index in message.receivers.indices where message.receivers[index].name == name {
        message.receivers[index].note(movedBy: moved.decibels)
      }
    }
    message.refusedSightings = pipeline.refusedSightings
    message.refusedReadings = pipeline.refusedReadings
    message.postponedAddresses = pipeline.postponedAddresses
    message.refusedMembers = pipeline.refusedMembers
    message.heldTransitions = pipeline.heldTransitions
    message.refusedEvents = pipeline.refusedEvents
    message.lostObservations = pipeline.lostObservations
    message.droppedForRooms = pipeline.droppedForRooms
    return message
  }
}

extension HealthMessage.Receiver {
  /// The receiver works, but rooms are less reliable than they could be.
  fileprivate mutating func note(movedBy decibels: Double) {
    let words = HealthBook.words(movedBy: decibels)
    reason = reason.isEmpty ? words : "\(reason); \(words)"
  }
}

/// When changes of scanners are published: the first one at once, further ones together. Each `health` contains all receivers,
/// and any client that may publish on scanners' topics could cause thousands of changes. A function of the time passed in.
struct HealthPace: Sendable {
  private static let interval = TimeSpan.seconds(1)

  private var next = MonotonicTime(nanoseconds: .min)
  /// When to publish the pending changes; nil: there are none.
  private(set) var due: MonotonicTime?

  /// Records a change. Returns whether to publish it now.
  mutating func changed(at time: MonotonicTime) -> Bool {
    guard time >= next else {
      due = next
      return false
    }
    next = time + Self.interval
    return true
  }

  /// Whether to publish the pending changes now.
  mutating func takeDue(at time: MonotonicTime) -> Bool {
    guard let due, due <= time else { return false }
    self.due = nil
    next = time + Self.interval
    return true
  }

  /// `health` was published, with all changes.
  mutating func published() { due = nil }
}

extension HealthMessage.Scanner {
  /// nil: the scanner has sent something.
  fileprivate var silenceWords: String? {
    if messages == 0 {
      return
        "nothing has come from scanners (\(kind)) on \(topic.printable) yet: if they are on, look with mosquitto_sub -v -t '#' where they publish, and name that topic under scanners:"
    }
    return isWithoutSignal
      ? "all \(messages) messages on \(topic.printable) (\(kind)) were without a signal strength: look with mosquitto_sub -v under which name they have it"
      : nil
  }

  private var isWithoutSignal: Bool { observations == 0 && withoutSignal > 0 && withoutSignal == messages }
}
