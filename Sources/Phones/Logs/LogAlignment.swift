/// How far the clock of a phone's log is from another clock, found from events that both have.
public struct LogAlignment: Hashable, Sendable {
  /// Subtracted from a time of the log, it gives the time on the other clock.
  public var offset: Milliseconds
  /// The events on which it rests.
  public var matches: Int
  /// The middle half of these events differs from `offset` by at most this.
  public var spread: Milliseconds

  /// An event whose time both clocks have.
  struct Mark: Hashable {
    var kind: String
    var time: Milliseconds
  }

  /// Offsets that differ by less belong to the same match.
  private static let width: Milliseconds = 4000
  /// The most marks of a kind. More would cost time and change nothing.
  private static let markLimit = 200

  /// nil: they have nothing in common. Each pair of equal events suggests an offset. The result is the median of the densest
  /// cluster, so that events which only one of them has do no harm. Among equally dense ones the first pair of events decides.
  init?(seen: [Mark], truth: [Mark]) {
    let others = Dictionary(grouping: truth, by: \.kind).mapValues { $0.prefix(Self.markLimit) }
    var count: [String: Int] = [:]
    var offsets: [Milliseconds] = []
    for mark in seen where count[mark.kind, default: 0] < Self.markLimit {
      count[mark.kind, default: 0] += 1
      for other in others[mark.kind] ?? [] {
        offsets.append(mark.time.subtractingReportingOverflow(other.time).partialValue)
      }
    }
    guard let first = offsets.first else { return nil }
    offsets.sort()
    var best = 0..<0
    var end = 0
    for start in offsets.indices {
      while end < offsets.count,
        offsets[end] < offsets[start].addingReportingOverflow(Self.width).partialValue
      {
        end += 1
      }
      let holdsFirst = offsets[start] <= first && offsets[end - 1] >= first
      if end - start > best.count || (end - start == best.count && holdsFirst) { best = start..<end }
    }
    let cluster = offsets[best]
    guard let middle = Self.median(Array(cluster)) else { return nil }
    offset = middle
    matches = cluster.count
    spread = Self.median(cluster.map { abs($0 - middle) }.sorted()) ?? 0
  }

  static func median(_ sorted: [Milliseconds]) -> Milliseconds? {
    sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}
