import Core
import Fleet
import Glibc
import Logging

/// The time of a site, which comes from its workers.
extension FuseWorker {
  /// If this worker's clock differs from another's: how long it looks for workers that agree with it.
  private static let comparison = TimeSpan.seconds(10)

  /// The time that this worker publishes.
  var wallNow: WallTime { clock.time(at: LiveClock.now) }

  func tick(_ rabbit: FuseRabbitMQ, at now: MonotonicTime) throws(RabbitMQError) {
    let wallNow = clock.time(at: now, system: LiveClock.wallNow)
    if let ahead = clock.system, clockTold.map({ now - $0 > .seconds(60) }) ?? true {
      clockTold = now
      logger.error(
        "this machine's clock was set, and is \(words(ahead)) \(ahead < .zero ? "behind" : "ahead of") the time that went on; it is used once most others have that time or clock, or after a minute if there are none; see timedatectl"
      )
    }
    guard let tellsTime = ticks.takeDue(at: now, wallNow, among: workers.keys) else { return }
    try rabbit.tick(wallNow, system: clock.system, tellsTime: tellsTime)
  }

  func hearWorkers(_ rabbit: FuseRabbitMQ) throws(RabbitMQError) {
    let now = LiveClock.now
    for heard in rabbit.heard {
      let tick = heard.tick
      if workers.count < 1000 || workers[tick.worker] != nil { workers[tick.worker] = now }
      let wallNow = clock.time(at: heard.at)
      let ahead = wallNow - tick.time
      ticks.hear(tick, at: wallNow, tellsTime: heard.tellsTime)
      if tick.worker != name { clock.hear(tick, at: wallNow) }
      guard tick.worker != name, !ahead.isTolerable else { continue }
      guard skewTold.map({ now - $0 > .seconds(60) }) ?? true else { continue }
      skewTold = now
      logger.warning(
        "the clock of worker \(tick.worker.printable) differs by \(words(ahead)) from ours; both must be set right"
      )
    }
    rabbit.heard.removeAll(keepingCapacity: true)
    workers = workers.filter { now - $0.value < .seconds(3) }
    guard let lead = clock.workers.majorityLead else { return }
    isOutvoted = true
    throw RabbitMQError(
      "most workers' clocks differ by \(words(lead)) from this machine's; set it (timedatectl). Until then others decide",
      isRefusal: true)
  }

  func words(_ span: TimeSpan) -> String {
    "\((Double(abs(span.nanoseconds)) / 1e8).rounded() / 10) s"
  }

  /// The site's time comes from the workers. So before its first tick for partitions, a worker compares its
  /// clock with those of the others. If the clocks differ, it waits: workers that start at the same time may
  /// agree with it and outnumber the first one.
  func compareClocks(_ rabbit: FuseRabbitMQ) throws(RabbitMQError) {
    guard began == nil || isOutvoted else { return }
    let begin = LiveClock.now
    let usual = begin + TickSchedule.longestSilence + .milliseconds(200)
    var spoke = begin
    while LiveClock.now < usual || !clock.workers.isOursCommon {
      let now = LiveClock.now
      let wallNow = clock.time(at: now, system: LiveClock.wallNow)
      try rabbit.look()
      for heard in rabbit.heard where heard.tick.worker != name {
        clock.hear(heard.tick, at: clock.time(at: heard.at))
      }
      rabbit.heard.removeAll()
      if let (worker, lead) = clock.workers.difference {
        guard now - begin < Self.comparison else {
          throw RabbitMQError(
            "this machine's clock differs by \(words(lead)) from that of worker \(worker.printable); set it (timedatectl), then start again",
            isRefusal: true)
        }
        if now - spoke >= TickSchedule.longestSilence {
          spoke = now
          try rabbit.tick(wallNow, system: clock.system, tellsTime: false)
        }
      }
      var nothing = pollfd(fd: rabbit.reader.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&nothing, 1, 50)
    }
    isOutvoted = false
  }
}
