import Beacons
import Captures
import Contract
import Core
import Phones
import Radio
import Synchronization

/// Writes the advertisements of a live radio to a file, as btsnoop or in the text format.
package final class Recorder: Sendable {
  package enum Format: String, Sendable, CaseIterable {
    /// HCI events as the controller sent them, for btmon and Wireshark. It has no health.
    case btsnoop
    /// One JSON object a line, including changes of health.
    case text

    /// By the name: `.jsonl`, `.json`, `.txt` and standard output (`-`) are text, everything else is btsnoop.
    package init(path: String) {
      let isText = path == "-" || [".jsonl", ".json", ".txt"].contains { path.hasSuffix($0) }
      self = isText ? .text : .btsnoop
    }
  }

  package struct Count: Equatable, Sendable {
    package var advertisements: Int64 = 0
    package var bytes: Int64 = 0
    /// Why writing stopped.
    package var failure: SystemError?
  }

  private struct State: ~Copyable {
    var file: RecordingFile
    var btsnoop = BtsnoopEncoder()
    var text = TextEncoder()
    var count = Count()
    /// The latest health of each receiver.
    var health: [ReceiverIndex: ReceiverHealthChange] = [:]

    /// Records that the receivers were blind during a pause.
    mutating func notePause(_ length: TimeSpan, until wallTime: WallTime, _ receivers: ReceiverTable) {
      let seeing = health.values.filter { !$0.health.isBlind }.sorted { $0.receiver < $1.receiver }
      for var change in seeing {
        (change.health, change.wallTime) = (.deaf, wallTime - length)
        change.reason = "the recording process did not run"
        text.append(change, receivers: receivers)
      }
      for var change in seeing {
        change.wallTime = wallTime
        text.append(change, receivers: receivers)
      }
    }
  }

  private let format: Format
  private let state: Mutex<State>

  package init(path: String, format: Format) throws(SystemError) {
    self.format = format
    state = Mutex(State(file: try RecordingFile(path: path)))
    write()
  }

  package var count: Count { state.withLock { $0.count } }

  /// Handlers for `LiveRadio`. Everything is on disk when a handler returns.
  ///
  /// - Parameter onFailure: called once, when the file cannot be written.
  package func handlers(
    onFailure: @escaping @Sendable (SystemError) -> Void, onNotice: @escaping @Sendable (String) -> Void
  ) -> LiveRadio.Handlers {
    var handlers = LiveRadio.Handlers { batch, receivers in
      self.record(batch, receivers)
      if let failure = self.write() { onFailure(failure) }
    }
    handlers.onNotice = onNotice
    switch format {
    case .btsnoop:
      handlers.onEvent = { event, adapter, wallTime in
        self.state.withLock {
          $0.btsnoop.append(
            event: event, adapter: adapter.index, address: adapter.address, wallTime: wallTime)
        }
      }
    case .text:
      handlers.onHealth = { change, receivers in
        self.state.withLock {
          $0.health[change.receiver] = change
          $0.text.append(change, receivers: receivers)
        }
        if let failure = self.write() { onFailure(failure) }
      }
      handlers.onPause = { length, wallTime, receivers in
        self.state.withLock { $0.notePause(length, until: wallTime, receivers) }
        if let failure = self.write() { onFailure(failure) }
      }
    }
    return handlers
  }

  /// Records what a running gateway hears, in the text form; returns the error the first time the file cannot be written.
  func note(_ batch: borrowing AdvertisementBatch, _ receivers: ReceiverTable) -> SystemError? {
    record(batch, receivers)
    return write()
  }

  func note(_ hearing: borrowing Hearing, _ receivers: ReceiverTable) -> SystemError? {
    state.withLock { state in
      for change in hearing.changes { state.text.append(change, receivers: receivers) }
      for observation in hearing.observations { state.text.append(observation, receivers: receivers) }
      state.count.advertisements += Int64(hearing.observations.count)
    }
    record(hearing.batch, receivers)
    return write()
  }

  func note(_ observation: Observation, _ receivers: ReceiverTable) -> SystemError? {
    state.withLock { state in
      state.text.append(observation, receivers: receivers)
      state.count.advertisements += 1
    }
    return write()
  }

  /// A report that no gateway reads is not kept.
  func note(_ report: AppReport) -> SystemError? {
    guard report.payload.count <= AppReports.largest else { return nil }
    state.withLock { $0.text.append(report) }
    return write()
  }

  func note(_ change: ReceiverHealthChange, _ receivers: ReceiverTable) -> SystemError? {
    state.withLock { $0.text.append(change, receivers: receivers) }
    return write()
  }

  private func record(_ batch: borrowing AdvertisementBatch, _ receivers: ReceiverTable) {
    state.withLock { state in
      state.count.advertisements += Int64(batch.count)
      guard format == .text else { return }
      // swift-format-ignore: ReplaceForEachWithForLoop
      batch.forEach { state.text.append($0, payload: $1, receivers: receivers) }
    }
  }

  /// Writes the encoded bytes; returns the error the first time it fails.
  @discardableResult
  private func write() -> SystemError? {
    state.withLock { state in
      guard state.count.failure == nil else {
        state.btsnoop.bytes.removeAll()
        state.text.bytes.removeAll()
        return nil
      }
      let length = format == .btsnoop ? state.btsnoop.bytes.count : state.text.bytes.count
      do throws(SystemError) {
        if format == .btsnoop {
          try state.file.write(&state.btsnoop.bytes)
        } else {
          try state.file.write(&state.text.bytes)
        }
        state.count.bytes += Int64(length)
        return nil
      } catch {
        state.count.failure = error
        return error
      }
    }
  }
}
