import Beacons
import Captures
import Core
import Glibc
import Pipeline

/// One or several captures as one stream in order of time, as if several radios were received at once.
package struct Recording: ~Copyable {
  /// A capture, and the part of it that was read but not returned yet.
  private final class Track {
    var file: CaptureFile
    var batch = AdvertisementBatch()
    var position = 0
    /// The next event after the batch, if it is not an advertisement.
    var event: CaptureDecoder.Step?
    /// Files are read ahead, so that entries out of order can be sorted. A pipe may be live, so its entries are not held back.
    var order = EntryOrder()
    var isAtEnd = false
    /// The error that ended this capture.
    var failure: CaptureError?
    var receivers = ReceiverMap()
    /// The times of its first and last entry so far.
    var span: ClosedRange<WallTime>?
    /// Put before the names of its receivers; empty: nothing.
    let prefix: String

    init(_ file: consuming CaptureFile, prefix: String) {
      self.file = file
      self.prefix = prefix
    }

    var names: Set<String> { Set(file.receivers.names.map { prefix + $0 }) }

    /// The time of the next entry; nil at the end.
    var head: WallTime? {
      if position < batch.count { return batch[position].wallTime }
      return event?.moment?.wallTime
    }

    func refill() {
      while head == nil {
        position = 0
        batch.removeAll()
        switch order.next(isAtEnd: isAtEnd || file.length == nil) {
        case .advertisements(let next)?: batch = next
        case .event(let step)?: event = step
        case nil where isAtEnd: return
        case nil: read()
        }
      }
    }

    private func read() {
      do throws(CaptureError) {
        switch try file.next(into: &batch) {
        case .advertisements: order.add(.advertisements(batch))
        case .end: isAtEnd = true
        case let step: order.add(.event(step))
        }
      } catch {
        failure = error
        isAtEnd = true
      }
      batch.removeAll()
    }

    /// Orders entries of equal time by their content, so that the order of the captures does not matter.
    var rank: [UInt8] {
      guard position < batch.count else {
        switch event {
        case .health(let change):
          return [1] + file.receivers.name(of: change.receiver).utf8 + [0] + change.health.rawValue.utf8
        case .observation(let observation):
          return [2] + file.receivers.name(of: observation.receiver).utf8 + [0] + observation.key.utf8
            + [0, UInt8(bitPattern: observation.rssi ?? 127)]
        case .report(let report):
          return [3] + report.phone.utf8 + [0] + report.kind.rawValue.utf8 + [0] + report.payload
        case .advertisements, .end, nil: return []
        }
      }
      var rank: [UInt8] = []
      batch.forEach(in: position..<(position + 1)) { advertisement, payload in
        rank = [0] + Array(file.receivers.name(of: advertisement.receiver).utf8) + [0]
        rank.append(bigEndian: advertisement.address.bits)
        rank.append(UInt8(bitPattern: advertisement.rssi ?? 127))
        rank.append(UInt8(bitPattern: advertisement.txPower ?? 127))
        rank.append(payload)
      }
      return rank
    }
  }

  private let tracks: [Track]
  private var clock = RecordingClock()

  /// Opens captures; `-` is standard input. `hall=FILE` is a recording of another gateway, whose receivers are `hall/hci0` and so
  /// on, as in the observations that it publishes.
  ///
  /// - Parameter onRefusal: see `CaptureFile`.
  package init(paths: [String], onRefusal: (([CaptureError], UInt64) -> Void)? = nil) throws(CaptureError) {
    var tracks: [Track] = []
    for path in paths {
      let (gateway, path) = Self.gateway(in: path)
      tracks.append(
        Track(
          try CaptureFile(path: path, onRefusal: onRefusal), prefix: gateway.map { "\($0)/" } ?? ""))
    }
    self.tracks = tracks
  }

  /// `hall=FILE`, unless a file has that very name.
  private static func gateway(in path: String) -> (gateway: String?, path: String) {
    guard let sign = path.firstIndex(of: "="), sign != path.startIndex, access(path, F_OK) != 0 else {
      return (nil, path)
    }
    let name = path[..<sign]
    guard !name.contains("/") else { return (nil, path) }
    return (String(name), String(path[path.index(after: sign)...]))
  }

  /// Bytes read so far, and in total; nil if the total is unknown.
  package var progress: (offset: Int64, length: Int64?) {
    var offset: Int64 = 0
    var length: Int64? = 0
    for track in tracks {
      offset += track.file.offset
      length = if let known = length, let more = track.file.length { known + more } else { nil }
    }
    return (offset, length)
  }

  /// Malformed reports in the captures.
  package var malformedEvents: Int64 { tracks.reduce(0) { $0 + $1.file.malformedEvents } }

  /// Entries that are earlier than one before them: by up to a second, and by more.
  package var late: (few: UInt64, steps: UInt64) { clock.late }
  /// Entries of files that were up to two seconds earlier than one before them, and were put in order.
  package var moved: UInt64 { tracks.reduce(0) { $0 + ($1.file.length == nil ? 0 : $1.order.moved) } }

  /// Receivers of one name in recordings of the same time.
  package var sharedReceivers: [String] {
    var shared: Set<String> = []
    for (place, track) in tracks.enumerated() {
      for other in tracks[..<place] {
        guard let span = track.span, other.span?.overlaps(span) == true else { continue }
        shared.formUnion(track.names.intersection(other.names))
      }
    }
    return shared.sorted()
  }

  /// Empties the batch and fills it with the next advertisements. `receiver` returns the index for a name.
  ///
  /// A capture with a fault ends there. The first such fault is thrown after everything before it was returned.
  package mutating func next(
    into batch: inout AdvertisementBatch, receiver: (String) -> ReceiverIndex?
  ) throws(CaptureError) -> CaptureDecoder.Step {
    while true {
      batch.removeAll()
      for track in tracks { track.refill() }
      guard let track = earliest() else {
        for track in tracks { if let failure = track.failure { throw failure } }
        return .end
      }
      track.receivers.learn(track.file.receivers) { receiver(track.prefix + $0) }
      if let time = track.head {
        let span = track.span ?? time...time
        track.span = min(span.lowerBound, time)...max(span.upperBound, time)
      }
      if track.position < track.batch.count {
        if tracks.count == 1, track.receivers.isComplete {
          takeAll(track, into: &batch)
        } else {
          take(track, into: &batch)
        }
        if !batch.isEmpty { return .advertisements }
      } else if let event = track.event.take(), let step = take(event, track.receivers) {
        return step
      }
    }
  }

  /// nil: there are too many receivers, and this one is skipped.
  private mutating func take(_ event: CaptureDecoder.Step, _ receivers: ReceiverMap) -> CaptureDecoder.Step? {
    switch event {
    case .observation(var observation):
      guard let index = receivers[observation.receiver] else { return nil }
      observation.receiver = index
      observation.time = clock.time(at: observation.wallTime)
      return .observation(observation)
    case .health(var change):
      guard let index = receivers[change.receiver] else { return nil }
      change.receiver = index
      change.time = clock.time(at: change.wallTime)
      return .health(change)
    case .report(var report):
      report.time = clock.time(at: report.wallTime)
      return .report(report)
    case .advertisements, .end: return nil
    }
  }

  /// The track with the earliest next entry.
  private func earliest() -> Track? {
    var earliest: (track: Track, time: WallTime)?
    for track in tracks {
      guard let time = track.head else { continue }
      if let best = earliest {
        if best.time < time { continue }
        if best.time == time, !track.rank.lexicographicallyPrecedes(best.track.rank) { continue }
      }
      earliest = (track, time)
    }
    return earliest?.track
  }

  /// Moves the batch of the only track, without copying.
  private mutating func takeAll(_ track: Track, into batch: inout AdvertisementBatch) {
    var clock = clock
    let receivers = track.receivers
    track.batch.mapAdvertisements { advertisement in
      if let index = receivers[advertisement.receiver] { advertisement.receiver = index }
      advertisement.time = clock.time(at: advertisement.wallTime)
    }
    self.clock = clock
    swap(&batch, &track.batch)
  }

  /// Takes the entries of one track that are earlier than those of all others.
  private mutating func take(_ track: Track, into batch: inout AdvertisementBatch) {
    let limit = tracks.filter { $0 !== track }.compactMap(\.head).min()
    var end = track.position + 1
    while end < track.batch.count, limit.map({ track.batch[end].wallTime < $0 }) ?? true { end += 1 }
    track.batch.forEach(in: track.position..<end) { advertisement, payload in
      var advertisement = copy advertisement
      guard let index = track.receivers[advertisement.receiver] else { return }
      advertisement.receiver = index
      advertisement.time = clock.time(at: advertisement.wallTime)
      batch.append(advertisement, payload: payload)
    }
    track.position = end
  }
}

extension Recording {
  /// Plays a capture in real time, as if it were received now: advertisements one by one. Returns at its end.
  ///
  /// Throws `CaptureError`, or `CancellationError`.
  static func play(
    _ path: String, _ hear: (CaptureDecoder.Step, borrowing AdvertisementBatch, ReceiverTable) -> Void
  ) async throws {
    var recording = try Recording(paths: [path])
    var table = ReceiverTable()
    var batch = AdvertisementBatch()
    var heard = AdvertisementBatch()
    let (start, wallStart) = (LiveClock.now, LiveClock.wallNow)
    func wait(for time: MonotonicTime) async throws -> (MonotonicTime, WallTime) {
      let offset = time - MonotonicTime.zero
      let rest = start + offset - LiveClock.now
      if rest > .zero { try await Task.sleep(for: .nanoseconds(rest.nanoseconds)) }
      return (start + offset, wallStart + offset)
    }
    while case let step = try recording.next(into: &batch, receiver: { table.index(of: $0) }), step != .end {
      if let moment = step.moment {
        let (time, wallTime) = try await wait(for: moment.time)
        hear(step.moved(to: time, wallTime), batch, table)
      }
      for index in 0..<batch.count {
        let (time, wallTime) = try await wait(for: batch[index].time)
        heard.removeAll()
        batch.forEach(in: index..<(index + 1)) { advertisement, payload in
          var advertisement = copy advertisement
          (advertisement.time, advertisement.wallTime) = (time, wallTime)
          heard.append(advertisement, payload: payload)
        }
        hear(.advertisements, heard, table)
      }
    }
  }
}

extension CaptureDecoder.Step {
  /// The time of an observation, a change of health or a report; nil: advertisements have their own.
  var moment: (time: MonotonicTime, wallTime: WallTime)? {
    switch self {
    case .observation(let observation): (observation.time, observation.wallTime)
    case .health(let change): (change.time, change.wallTime)
    case .report(let report): (report.time, report.wallTime)
    case .advertisements, .end: nil
    }
  }

  func moved(to time: MonotonicTime, _ wallTime: WallTime) -> Self {
    switch self {
    case .observation(var observation):
      (observation.time, observation.wallTime) = (time, wallTime)
      return .observation(observation)
    case .health(var change):
      (change.time, change.wallTime) = (time, wallTime)
      return .health(change)
    case .report(var report):
      (report.time, report.wallTime) = (time, wallTime)
      return .report(report)
    case .advertisements, .end: return self
    }
  }
}
