/// A rotation of wake regions: which of them a gateway broadcasts when, repeated forever.
///
/// Times are whole milliseconds. The rotation has no beginning: a broadcast that extends beyond the end of a period
/// continues at the start of the next, and so is also on air at the start of the first.
public struct WakePlan: Sendable, Equatable {
  /// One region on air for a while, once per period.
  public struct Broadcast: Sendable, Hashable {
    /// The index of the region, from 0.
    public var region: Int
    /// From the start of the period; less than the period.
    public var start: Milliseconds
    /// At most the period; then the region is always on air.
    public var duration: Milliseconds

    public init(region: Int, start: Milliseconds, duration: Milliseconds) {
      self.region = region
      self.start = start
      self.duration = duration
    }
  }

  /// Why a plan is not valid.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Core Location does not monitor more regions for one app.
  public static let mostRegions = 20
  public static let mostBroadcasts = 1000
  /// A day.
  public static let longestPeriod: Milliseconds = 86_400_000

  public let period: Milliseconds
  /// How many regions there are; each has at least one broadcast.
  public let regions: Int
  /// By start, then by region.
  public let broadcasts: [Broadcast]
  /// Every change within a period, in order, beginning with its start.
  let steps: [Step]

  struct Step: Sendable, Hashable {
    var from: Milliseconds
    var regions: RegionSet
  }

  /// The number of regions is one more than the largest index in the broadcasts.
  public init(period: Milliseconds, broadcasts: [Broadcast]) throws(Fault) {
    try Self.check(period, broadcasts)
    self.period = period
    self.broadcasts = broadcasts.sorted { ($0.start, $0.region) < ($1.start, $1.region) }
    regions = (broadcasts.map(\.region).max() ?? -1) + 1
    steps = Self.steps(of: broadcasts, over: period)
  }

  private static func check(_ period: Milliseconds, _ broadcasts: [Broadcast]) throws(Fault) {
    guard (1...longestPeriod).contains(period) else {
      throw Fault(description: "a period lasts from a millisecond to a day, not \(period) ms")
    }
    guard (1...mostBroadcasts).contains(broadcasts.count) else {
      throw Fault(description: "a plan has from 1 to \(mostBroadcasts) broadcasts, not \(broadcasts.count)")
    }
    var used = RegionSet()
    for broadcast in broadcasts {
      guard (0..<mostRegions).contains(broadcast.region) else {
        throw Fault(
          description:
            "a region's index is from 0 to \(mostRegions - 1), not \(broadcast.region): an app may "
            + "register \(mostRegions)")
      }
      guard (0..<period).contains(broadcast.start) else {
        throw Fault(
          description: "a broadcast starts within the period of \(period) ms, not at \(broadcast.start) ms")
      }
      guard (1...period).contains(broadcast.duration) else {
        throw Fault(
          description: "a broadcast lasts from a millisecond to the period of \(period) ms, not "
            + "\(broadcast.duration) ms")
      }
      used.insert(broadcast.region)
    }
    guard let last = used.last, used.count == last + 1 else {
      let missing = (0..<mostRegions).first { !used.contains($0) } ?? 0
      throw Fault(description: "region \(missing) is never on air, though one with a larger index is")
    }
  }

  private static func steps(of broadcasts: [Broadcast], over period: Milliseconds) -> [Step] {
    // How many broadcasts currently hold each region on air; they may overlap.
    var held = [Int](repeating: 0, count: mostRegions)
    var edges: [(time: Milliseconds, region: Int, by: Int)] = []
    for broadcast in broadcasts {
      let end = broadcast.start + broadcast.duration
      edges.append((broadcast.start, broadcast.region, 1))
      if end > period { held[broadcast.region] += 1 }
      edges.append((end > period ? end - period : end, broadcast.region, -1))
    }
    edges.sort { ($0.time, $0.by) < ($1.time, $1.by) }
    var steps: [Step] = []
    var index = 0
    var time: Milliseconds = 0
    while time < period {
      while index < edges.count, edges[index].time == time {
        held[edges[index].region] += edges[index].by
        index += 1
      }
      var regions = RegionSet()
      for region in held.indices where held[region] > 0 { regions.insert(region) }
      if steps.last?.regions != regions { steps.append(Step(from: time, regions: regions)) }
      time = index < edges.count ? edges[index].time : period
    }
    return steps
  }
}

extension WakePlan {
  /// The regions on air at a moment, and until when.
  public struct OnAir: Sendable, Hashable {
    public var regions: RegionSet
    /// When that changes next, on the same clock; nil: never.
    public var until: Milliseconds?
  }

  /// The regions on air at a time since the plan's start; none before the start.
  public func onAir(at elapsed: Milliseconds) -> OnAir {
    guard elapsed >= 0 else { return OnAir(regions: RegionSet(), until: 0) }
    let phase = elapsed % period
    let current = lastStep(through: phase)
    let regions = steps[current].regions
    guard steps.count > 1 else { return OnAir(regions: regions, until: nil) }
    let next =
      (1...steps.count).first { steps[(current + $0) % steps.count].regions != regions } ?? steps.count
    let wraps = current + next >= steps.count
    let to = steps[(current + next) % steps.count].from + (wraps ? period : 0)
    let (until, overflows) = (elapsed - phase).addingReportingOverflow(to)
    return OnAir(regions: regions, until: overflows ? nil : until)
  }

  /// The last step at or before `phase`; the first step begins at 0.
  private func lastStep(through phase: Milliseconds) -> Int {
    var low = 0
    var high = steps.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if steps[middle].from <= phase { low = middle } else { high = middle }
    }
    return low
  }

  /// The same rotation without one of its regions, with the later ones renumbered; nil if none is left.
  public func without(_ region: Int) -> WakePlan? {
    let rest = broadcasts.filter { $0.region != region }.map { broadcast in
      var broadcast = broadcast
      if broadcast.region > region { broadcast.region -= 1 }
      return broadcast
    }
    return try? WakePlan(period: period, broadcasts: rest)
  }

  /// The largest number of regions on air at once: the advertising instances that a controller needs.
  public var mostAtOnce: Int { steps.map(\.regions.count).max() ?? 0 }

  /// Time on air, summed over the regions, as a share of all time.
  public var airShare: Double { Double(airTime) / Double(period) }

  /// Milliseconds on air in a period, summed over the regions.
  public var airTime: Milliseconds {
    var sum: Milliseconds = 0
    for (index, step) in steps.enumerated() {
      let to = index + 1 < steps.count ? steps[index + 1].from : period
      sum += Milliseconds(step.regions.count) * (to - step.from)
    }
    return sum
  }
}
