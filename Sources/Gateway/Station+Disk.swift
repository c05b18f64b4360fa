import Beacons
import Dispatch
import GRDB
import Messages
import Radio
import Synchronization

/// How the station keeps its outbox on disk: one transaction after the other on a queue of their own, each with all
/// that came while the one before was written. Nobody who decides waits for the medium.
extension Station {
  /// Acknowledgements wait for the next transition to be written with, up to this many.
  private static let acknowledgementLimit = 500
  private static let fetchLimit = 1_000

  /// Writes what is to be written, and fetches what is to be sent.
  func tendDisk(_ state: inout State) {
    guard let store, !state.isWriting else { return }
    let pending = state.outbox.pending
    let mustWrite =
      state.diskFault == nil
      && (!pending.transitions.isEmpty || pending.acknowledged.count >= Self.acknowledgementLimit)
    if mustWrite || state.outbox.wantsFetch {
      state.isWriting = true
      disk.async { self.write(store, isWriting: mustWrite) }
    }
  }

  /// Writes whatever is pending, and tries a disk that failed again.
  func flushDisk() {
    state.withLock { state in
      guard let store, !state.isWriting else { return }
      state.outbox.retry()
      guard !state.outbox.pending.isEmpty || state.diskFault != nil else { return }
      state.isWriting = true
      disk.async { self.write(store, isWriting: true) }
    }
  }

  private func write(_ store: OutboxStore, isWriting: Bool) {
    if isWriting {
      let batch = state.withLock { $0.outbox.takePending() }
      let result = Result { try store.commit(batch) }
      if case .success = result { store.mark.set(isLost: false) } else { store.mark.set(isLost: true) }
      state.withLock { state in
        switch result {
        case .success(let firstRow):
          state.outbox.committed(batch, firstRow: firstRow)
          if state.diskFault != nil { onNotice("transitions are kept on disk again") }
          state.diskFault = nil
        case .failure(let error): failed(batch, error, &state)
        }
      }
    }
    if let row = state.withLock({ $0.outbox.wantsFetch ? $0.outbox.lastRow : nil }) {
      let result = Result { try store.waiting(after: row, limit: Self.fetchLimit) }
      state.withLock { state in
        switch result {
        case .success(let page):
          state.outbox.fetched(page.rows, damaged: page.damaged, isLast: page.isLast)
          if !page.damaged.isEmpty {
            onNotice(
              "\(page.damaged.count) transitions that waited on disk are damaged and given up; their numbers are missing"
            )
          }
        case .failure(let error):
          // They stay where they are; another start may read them.
          state.outbox.fetched([], isLast: true)
          onNotice("transitions that wait on disk cannot be read: \(words(error))")
        }
      }
    }
    state.withLock { state in
      state.isWriting = false
      send(&state)
    }
  }

  private func failed(_ batch: OutboxStore.Batch, _ error: any Error, _ state: inout State) {
    state.outbox.failed(batch) { transitions in
      let epoch = UInt64(clamping: LiveClock.wallNow.nanoseconds / 1_000_000)
      state.pipeline.beginEpoch(epoch, lastSequence: UInt64(transitions.count))
      for index in transitions.indices {
        transitions[index].epoch = epoch
        transitions[index].sequence = UInt64(index + 1)
      }
    }
    let fault = words(error)
    if state.diskFault != fault {
      onNotice(
        "transitions cannot be kept on disk: \(fault); until then they wait in memory, where a crash loses them"
      )
    }
    state.diskFault = fault
  }

  /// The last write of a proper end: who is where, and what the broker has.
  func closeDisk() {
    guard let store else { return }
    disk.sync {
      let batch = state.withLock { state in
        for beacon in state.pipeline.savedBeacons(at: LiveClock.now, wallTime: LiveClock.wallNow) {
          state.outbox.save(beacon)
        }
        return state.outbox.takePending()
      }
      do { _ = try store.commit(batch) } catch {
        onNotice("the last transitions cannot be kept on disk: \(words(error))")
      }
      store.close()
    }
  }
}

/// Why SQLite does not do it.
func words(_ error: any Error) -> String {
  if error is OutboxRemoved { return "the file was removed or replaced; a restart begins a new one" }
  guard let error = error as? DatabaseError else { return "the file is damaged" }
  switch error.resultCode {
  case .SQLITE_FULL: return "the disk is full"
  case .SQLITE_READONLY: return "the file is read-only"
  case .SQLITE_CANTOPEN: return "the file cannot be opened or made"
  case .SQLITE_BUSY: return "another process uses the file"
  case .SQLITE_CORRUPT, .SQLITE_NOTADB: return "the file is damaged"
  case .SQLITE_IOERR: return "the medium reports an error"
  default: return error.message ?? "SQLite error \(error.resultCode.rawValue)"
  }
}
