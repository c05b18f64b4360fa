import Beacons
import Captures
import Configuration
import Core
import Pipeline
import Web

/// A recording and its pipeline, processed up to some time.
final class Playback {
  private var recording: Recording
  private(set) var pipeline: Pipeline
  private(set) var recent = RecentDecisions()
  /// The present time, on the recording's clock, which starts at zero.
  private(set) var time = MonotonicTime.zero
  /// The recent rate of each receiver.
  private(set) var paces: [ReceiverIndex: ReceiverPace] = [:]
  private var numbers = TransitionNumbers(epoch: Replay.epoch)
  private var batch = AdvertisementBatch()
  /// The place in the batch.
  private var place = 0
  /// The next event after the batch, if it is not an advertisement.
  private var event: CaptureDecoder.Step?
  private var isAtEnd = false
  private var output = Pipeline.Output()

  init(_ configuration: Configuration, captures: [String]) throws(CaptureError) {
    recording = try Recording(paths: captures)
    pipeline = Pipeline(configuration)
    pipeline.keepHistory()
  }

  /// The first and the last time of a recording. Anything after a fault in it is ignored.
  static func span(of captures: [String]) throws(CaptureError) -> (from: WallTime, to: WallTime) {
    var recording = try Recording(paths: captures)
    var batch = AdvertisementBatch()
    var receivers = ReceiverTable()
    var span: (from: WallTime, to: WallTime)?
    do throws(CaptureError) {
      while case let step = try recording.next(into: &batch, receiver: { receivers.index(of: $0) }),
        step != .end
      {
        let from = step.moment?.wallTime ?? batch[0].wallTime
        let to = step.moment?.wallTime ?? batch[batch.count - 1].wallTime
        span = (span?.from ?? from, max(span?.to ?? to, to))
      }
    } catch  where span == nil {
      throw error
    } catch {}
    return span ?? (WallTime(nanoseconds: 0), WallTime(nanoseconds: 0))
  }

  /// Processes the recording up to a time. Returns whether there is more to do.
  func advance(to target: MonotonicTime, atMost limit: Int) -> Bool {
    var count = 0
    while let next = nextTime, next <= target {
      guard count < limit else { return true }
      count += 1
      step()
    }
    if target > time {
      time = target
      pipeline.advance(to: target, into: &output)
      take()
    }
    return false
  }

  /// The time of the next entry; nil: none.
  private var nextTime: MonotonicTime? {
    while place >= batch.count, event == nil, !isAtEnd { refill() }
    if place < batch.count { return batch[place].time }
    return event?.moment?.time
  }

  private func refill() {
    place = 0
    do throws(CaptureError) {
      switch try recording.next(into: &batch, receiver: { pipeline.receiver($0) }) {
      case .advertisements: break
      case .end: isAtEnd = true
      case let step: event = step
      }
    } catch {
      // Everything before the fault was shown.
      isAtEnd = true
    }
  }

  private func step() {
    if place < batch.count {
      time = max(time, batch[place].time)
      batch.forEach(in: place..<(place + 1)) { advertisement, payload in
        paces[advertisement.receiver, default: ReceiverPace()].note(advertisement.time)
        _ = pipeline.observe(copy advertisement, payload: payload, into: &output)
      }
      place += 1
    } else {
      switch event.take() {
      case .observation(let observation):
        time = max(time, observation.time)
        paces[observation.receiver, default: ReceiverPace()].note(observation.time)
        pipeline.observe(observation, into: &output)
      case .health(let change):
        time = max(time, change.time)
        pipeline.setHealth(change.receiver, change.health, at: change.time, into: &output)
      case .report(let report):
        time = max(time, report.time)
        pipeline.receive(report, into: &output)
      case .advertisements, .end, nil: break
      }
    }
    take()
  }

  private func take() {
    guard !output.items.isEmpty else { return }
    numbers.number(&output)
    for item in output.items {
      switch item {
      case .transition(let message): recent.note(.transition(message))
      case .verdict(let message): recent.note(.verdict(message))
      case .state, .roomPresence: break
      }
    }
    output.removeAll()
  }
}

/// How many advertisements a receiver of a recording gets.
struct ReceiverPace: Sendable {
  private static let span = TimeSpan.seconds(10)

  private(set) var latest: MonotonicTime?
  /// In the current span and in the one before.
  private var counts = (before: 0, now: 0)
  private var start = MonotonicTime.zero

  mutating func note(_ time: MonotonicTime) {
    roll(to: time)
    counts.now += 1
    latest = time
  }

  private mutating func roll(to time: MonotonicTime) {
    guard time - start >= Self.span else { return }
    counts = (time - start < Self.span + Self.span ? counts.now : 0, 0)
    start = time
  }

  /// Advertisements a second, over the last ten seconds or so.
  func rate(at time: MonotonicTime) -> Double {
    var pace = self
    pace.roll(to: time)
    let whole = min((time - .zero).seconds, Self.span.seconds)
    let part = max((time - pace.start).seconds, 0)
    let before = max(whole - part, 0)
    guard whole > 0 else { return 0 }
    return (Double(pace.counts.now) + Double(pace.counts.before) * before / Self.span.seconds) / whole
  }
}
