import Beacons
import Core

/// An entry in a partition's lease queue: JSON, or a piece of a state.
package enum LeaseEntry: Hashable, Sendable {
  case record(LeaseRecord)
  /// Only the active consumer gets its own mark back.
  case mark(LeaseMark)
  case piece(StatePiece)

  package var payload: [UInt8] {
    switch self {
    case .piece(let piece): piece.payload
    case .mark(let mark):
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("worker", mark.worker)
        $0.field("turn", mark.turn)
        $0.field("mark", mark.number)
      }
    case .record(let record):
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("worker", record.worker)
        $0.field("lease", record.lease)
        guard let saved = record.saved else { return }
        $0.key("saved")
        $0.object {
          $0.field("lease", saved.lease)
          $0.field("position", saved.position)
        }
      }
    }
  }

  /// nil for anything else.
  package init?(_ payload: [UInt8]) {
    if let piece = StatePiece(payload) {
      self = .piece(piece)
      return
    }
    guard payload.count <= 1000, let tree = try? JSONTree(payload), tree["v"]?.wholeNumber == 1,
      case .text(let worker)? = tree["worker"], (1...200).contains(worker.utf8.count)
    else { return nil }
    func number(_ tree: JSONTree?, from least: Int64) -> UInt64? {
      guard let number = tree?.wholeNumber, number >= least else { return nil }
      return UInt64(number)
    }
    if let mark = number(tree["mark"], from: 0), let turn = number(tree["turn"], from: 0) {
      self = .mark(LeaseMark(worker: worker, turn: turn, number: mark))
      return
    }
    guard let lease = number(tree["lease"], from: 1) else { return nil }
    var saved: LeaseRecord.Saved?
    if let entry = tree["saved"] {
      // There is no state of a later lease; no later record could exceed it.
      guard let earlier = number(entry["lease"], from: 1), earlier <= lease,
        let position = number(entry["position"], from: 0)
      else { return nil }
      saved = LeaseRecord.Saved(lease: earlier, position: position)
    }
    self = .record(LeaseRecord(lease: lease, worker: worker, saved: saved))
  }
}

/// Records which worker has a partition, and which of its states is complete.
package struct LeaseRecord: Hashable, Sendable {
  /// Identifies a state.
  package struct Saved: Hashable, Comparable, Sendable {
    package var lease: UInt64
    package var position: UInt64

    package static func < (left: Self, right: Self) -> Bool {
      (left.lease, left.position) < (right.lease, right.position)
    }
  }

  package var lease: UInt64
  package var worker: String
  /// nil: there is none yet.
  package var saved: Saved?

  /// Whether it contains everything that another record does.
  func covers(_ other: LeaseRecord) -> Bool {
    guard lease >= other.lease else { return false }
    return other.saved.map { theirs in saved.map { $0 >= theirs } ?? false } ?? true
  }
}

package struct LeaseMark: Hashable, Sendable {
  package var worker: String
  /// Distinguishes this wait from earlier ones of the same worker.
  package var turn: UInt64
  package var number: UInt64
}
