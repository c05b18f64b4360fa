import Beacons
import Core
import Fleet
import Glibc
import Logging

/// The time of a site, which comes from its workers.
extension FuseWorker {
  private static let differences = .zero - TickSchedule.skew...TickSchedule.skew

  func tick(_ rabbit: FuseRabbitMQ, at now: MonotonicTime) throws(Failure) {
    let wallNow = LiveClock.wallNow
    guard let tellsTime = ticks.takeDue(at: now, wallNow, among: workers.keys) else { return }
    try rabbit.tick(wallNow, tellsTime: tellsTime)
  }

  func hearWorkers(_ rabbit: FuseRabbitMQ) {
    let now = LiveClock.now
    for heard in rabbit.heard {
      let tick = heard.tick
      if workers.count < 1000 || workers[tick.worker] != nil { workers[tick.worker] = now }
      let ahead = heard.at - tick.time
      ticks.hear(tick, at: heard.at, tellsTime: heard.tellsTime)
      if tick.worker != name { clocks.hear(tick, at: heard.at) }
      guard tick.worker != name, !Self.differences.contains(ahead) else { continue }
      guard skewTold.map({ now - $0 > .seconds(60) }) ?? true else { continue }
      skewTold = now
      logger.warning(
        "the clock of worker \(tick.worker.printable) differs by \(words(ahead)) from ours; both must be set right"
      )
    }
    rabbit.heard.removeAll(keepingCapacity: true)
    workers = workers.filter { now - $0.value < .seconds(3) }
  }

  func words(_ span: TimeSpan) -> String {
    "\((Double(abs(span.nanoseconds)) / 1e8).rounded() / 10) s"
  }

  /// The time comes from the workers. So this worker's clock is compared with the others' before its first tick.
  func compareClocks(_ rabbit: FuseRabbitMQ) throws(Failure) {
    guard began == nil else { return }
    let end = LiveClock.now + TickSchedule.longestSilence + .milliseconds(200)
    while LiveClock.now < end {
      try rabbit.look()
      for heard in rabbit.heard where heard.tick.worker != name {
        let ahead = heard.at - heard.tick.time
        guard Self.differences.contains(ahead) else {
          throw Failure(
            "this machine's clock differs by \(words(ahead)) from that of worker \(heard.tick.worker); set it (timedatectl), then start again",
            isRefusal: true)
        }
      }
      rabbit.heard.removeAll()
      var nothing = pollfd(fd: rabbit.reader.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&nothing, 1, 50)
    }
  }
}
