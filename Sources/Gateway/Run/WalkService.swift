import Logging
import Machine
import Beacons
import Radio
import ServiceLifecycle

/// Plays a recording in real time, over and over, as if it were heard now.
struct WalkService: Service {
  private static let pause = Duration.seconds(3)

  let path: String
  let decisions: DecisionLoop
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await play()
          try await Task.sleep(for: Self.pause)
        } catch is CancellationError {
          return
        }
        logger.notice("the walk begins again")
      }
    }
  }

  private func play() async throws {
    var recording = try Recording(paths: [path])
    var table = ReceiverTable()
    var batch = AdvertisementBatch()
    var heard = AdvertisementBatch()
    let (start, wallStart) = (LiveClock.now, LiveClock.wallNow)
    while true {
      switch try recording.next(into: &batch, receiver: { table.index(of: $0) }) {
      case .end: return
      case .health(var change):
        try await wait(until: change.time, since: start)
        let offset = change.time - MonotonicTime.zero
        change.wallTime = wallStart + offset
        change.time = start + offset
        decisions.apply(change, table)
      case .advertisements:
        for index in 0..<batch.count {
          let offset = batch[index].time - MonotonicTime.zero
          try await wait(until: batch[index].time, since: start)
          heard.removeAll()
          batch.forEach(in: index..<(index + 1)) { advertisement, payload in
            var advertisement = copy advertisement
            advertisement.time = start + offset
            advertisement.wallTime = wallStart + offset
            heard.append(advertisement, payload: payload)
          }
          decisions.observe(heard, table)
        }
      }
    }
  }

  private func wait(until time: MonotonicTime, since start: MonotonicTime) async throws {
    let passed: TimeSpan = LiveClock.now - start
    let rest = time - (MonotonicTime.zero + passed)
    if rest > .zero { try await Task.sleep(for: .nanoseconds(rest.nanoseconds)) }
  }
}
