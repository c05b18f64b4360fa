import Pages
import RangingPolicy

/// The layout of the drawing of one phone's approach.
struct ChartFrame {
  static let width = 420.0
  static let left = 38.0, right = 412.0, top = 30.0, floor = 148.0
  static let bandTop = 156.0, bandBottom = 178.0
  static let titleHeight = 17.0, rowHeight = 13.0, curveHeight = 30.0, laneGap = 5.0

  let time: Scale
  let metres: Scale
  let lanes: [Lane]
  let remaining: RemainingCurve?
  /// The top of each lane, then of the remaining time and of the callbacks.
  private(set) var laneTops: [Double] = []
  private(set) var remainingTop = 0.0
  private(set) var callbackTop = 0.0
  private(set) var bottom: Double

  var height: Double { bottom + 44 }

  init(_ result: Simulation, near: NearDistances, farthest: Double?, until: Milliseconds) {
    let heard = Double(min(result.profile.strategy.heardDistance.value, 200_000_000)) / 1e6
    let far = max(farthest ?? heard, 2 * Double(near.near ?? 1_000_000) / 1e6)
    time = Scale(from: 0, to: max(0.001, Double(until) / 1000), start: Self.left, end: Self.right)
    metres = Scale(from: 0, to: 1.05 * far, start: Self.floor, end: Self.top)
    lanes = Lane.all(of: result)
    remaining = RemainingCurve(result)
    bottom = Self.bandBottom + Self.laneGap
    for lane in lanes {
      laneTops.append(bottom)
      bottom += Self.titleHeight + Self.height(of: lane) + Self.laneGap
    }
    if remaining != nil {
      remainingTop = bottom
      bottom += Self.titleHeight + Self.curveHeight + Self.laneGap
    }
    callbackTop = bottom
    bottom += Self.titleHeight + Self.rowHeight + Self.laneGap
  }

  /// Marks have a row of their own above the spans.
  private static func height(of lane: Lane) -> Double {
    Double(min(lane.rows.count, Lane.rowLimit) + (lane.marks.isEmpty ? 0 : 1)) * (rowHeight + 2)
  }

  func x(_ time: Milliseconds) -> Double { self.time(Double(time) / 1000) }
}
