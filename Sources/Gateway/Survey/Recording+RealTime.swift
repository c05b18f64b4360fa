import Beacons
import Captures
import Machine

extension Recording {
  /// Plays a capture in real time, as if it were heard now. Returns at its end.
  ///
  /// Throws `CaptureError`, or `CancellationError`.
  static func play(
    _ path: String, onHealth: (ReceiverHealthChange, ReceiverTable) -> Void = { _, _ in },
    onObservation: (Observation, ReceiverTable) -> Void,
    onBatch: (borrowing AdvertisementBatch, ReceiverTable) -> Void
  ) async throws {
    var recording = try Recording(paths: [path])
    var table = ReceiverTable()
    var batch = AdvertisementBatch()
    var heard = AdvertisementBatch()
    let (start, wallStart) = (LiveClock.now, LiveClock.wallNow)
    func wait(for offset: TimeSpan) async throws {
      let rest = start + offset - LiveClock.now
      if rest > .zero { try await Task.sleep(for: .nanoseconds(rest.nanoseconds)) }
    }
    while true {
      switch try recording.next(into: &batch, receiver: { table.index(of: $0) }) {
      case .end: return
      case .observation(var observation):
        let offset = observation.time - MonotonicTime.zero
        try await wait(for: offset)
        observation.wallTime = wallStart + offset
        observation.time = start + offset
        onObservation(observation, table)
      case .health(var change):
        let offset = change.time - MonotonicTime.zero
        try await wait(for: offset)
        change.wallTime = wallStart + offset
        change.time = start + offset
        onHealth(change, table)
      case .advertisements:
        for index in 0..<batch.count {
          let offset = batch[index].time - MonotonicTime.zero
          try await wait(for: offset)
          heard.removeAll()
          batch.forEach(in: index..<(index + 1)) { advertisement, payload in
            var advertisement = copy advertisement
            advertisement.time = start + offset
            advertisement.wallTime = wallStart + offset
            heard.append(advertisement, payload: payload)
          }
          onBatch(heard, table)
        }
      }
    }
  }
}
