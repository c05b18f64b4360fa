/// The time that the callbacks of a rotation certainly cover, however early or late each of them comes.
struct SureCover {
  let conditions: WakeConditions
  let rotation: Rotation

  /// From the start of a turn: the time when its enter has certainly come, and the time until which the app then certainly
  /// ranges.
  private var enter: (sure: Milliseconds, until: Milliseconds) {
    (
      conditions.entryLatency.upperBound + conditions.tolerance,
      conditions.entryLatency.lowerBound - conditions.tolerance + conditions.window
    )
  }

  /// The same for its exit, from the end of the turn.
  private var exit: (sure: Milliseconds, until: Milliseconds) {
    (
      conditions.exitLatency.upperBound + conditions.tolerance,
      conditions.exitLatency.lowerBound - conditions.tolerance + conditions.window
    )
  }

  /// Whether every turn certainly causes an enter and an exit, with the available advertising instances.
  var isOnAirAsItMust: Bool {
    let regions = rotation.regions
    return rotation.period <= WakePlan.longestPeriod
      && (0..<regions).allSatisfy { turn in
        rotation.duration(turn) >= conditions.shortestBroadcast
          && rotation.period - rotation.duration(turn) >= conditions.shortestSilence
          && rotation.end(turn) <= rotation.end(turn + 1)
          && (regions <= conditions.slots || rotation.end(turn) <= rotation.start(turn + conditions.slots))
      }
  }

  /// Whether no phone has a gap after its first callback.
  ///
  /// A phone that arrives too late for a turn's enter does not get its exit either. So for each turn there are phones whose
  /// first callback is its enter.
  var isGapFree: Bool {
    (0..<rotation.regions).allSatisfy(isGapFree(from:))
  }

  private func isGapFree(from first: Int) -> Bool {
    let (enter, exit) = (enter, exit)
    // The phone may arrive in this turn, but not before it is too late for the previous one.
    let missed = rotation.end(first - 1) - conditions.tolerance - conditions.entryLatency.upperBound
    let coming = max(rotation.start(first) - conditions.tolerance, missed)
    var until = coming + conditions.entryLatency.lowerBound + conditions.window
    var (nextEnter, nextExit) = (first + 1, first)
    // From the second round on, everything repeats.
    while nextEnter <= first + 2 * rotation.regions {
      let (entered, exited) = (rotation.start(nextEnter), rotation.end(nextExit))
      let isEnter = entered + enter.sure <= exited + exit.sure
      guard (isEnter ? entered + enter.sure : exited + exit.sure) <= until else { return false }
      until = max(until, isEnter ? entered + enter.until : exited + exit.until)
      if isEnter { nextEnter += 1 } else { nextExit += 1 }
    }
    return true
  }

  /// The longest time from a phone's arrival to its first callback: it arrives just too late for a turn.
  var longestWait: Milliseconds {
    let entry = conditions.entryLatency.upperBound
    return (0..<rotation.regions).reduce(entry) {
      max($0, rotation.start($1 + 1) - rotation.end($1) + 2 * (entry + conditions.tolerance))
    }
  }

  /// How much of a period is covered for a phone that arrived some time ago.
  var time: Milliseconds {
    let period = rotation.period
    var spans: [Range<Milliseconds>] = []
    func add(_ from: Milliseconds, _ to: Milliseconds) {
      guard from < to else { return }
      let length = min(to - from, period)
      let start = from % period
      spans.append(start..<min(period, start + length))
      if start + length > period { spans.append(0..<start + length - period) }
    }
    for turn in 0..<rotation.regions {
      add(rotation.start(turn) + enter.sure, rotation.start(turn) + enter.until)
      add(rotation.end(turn) + exit.sure, rotation.end(turn) + exit.until)
    }
    var covered: Milliseconds = 0
    var until: Milliseconds = 0
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) where span.upperBound > until {
      covered += span.upperBound - max(span.lowerBound, until)
      until = span.upperBound
    }
    return covered
  }

  /// The share of time, from 0 to 1.
  var share: Double { Double(time) / Double(rotation.period) }
}
