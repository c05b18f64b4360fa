import Pages
import RangingPolicy

/// The remaining background time, as pieces between which it jumps.
struct RemainingCurve {
  struct Piece: Hashable {
    var from: Milliseconds
    var to: Milliseconds
    /// The remaining time at the beginning of the piece; it decreases as time passes. nil: unlimited.
    var left: Milliseconds?
  }

  private(set) var pieces: [Piece] = []
  /// The largest remaining time, apart from unlimited.
  private(set) var most: Milliseconds = 0

  /// Android has no background time, so there is nothing to draw.
  init?(_ result: Simulation) {
    guard result.profile.os.family == .iOS else { return nil }
    for (index, window) in result.windows.enumerated() {
      let to = index + 1 < result.windows.count ? result.windows[index + 1].time : result.end
      guard to > window.time else { continue }
      let left = window.remaining(at: window.time)
      if let last = pieces.last, last.left == nil, left == nil, last.to == window.time {
        pieces[pieces.count - 1].to = to
      } else if left != 0 {
        pieces.append(Piece(from: window.time, to: to, left: left))
      }
      most = max(most, left ?? 0)
    }
    if pieces.isEmpty { return nil }
  }

  var title: String {
    most > 0 ? "Background time left, at most \(Figures.time(most))" : "Background time left"
  }
}
