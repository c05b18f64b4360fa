import Beacons
import Core

/// Limits how often the occupancy of a crowded place is published. It lists all members, so publishing each change
/// would cost the square of the crowd. With few members each change is published. A crowd is published at most once
/// in `pause` times the number of members, or in `longest`.
package struct CrowdPace: Sendable {
  package struct Measure: Sendable {
    /// Up to this many members are not a crowd.
    var few: Int
    var pause: TimeSpan

    package static let gateway = Measure(few: 100, pause: TimeSpan(nanoseconds: 100_000))
    /// At a large site, members come and go in each place many times a second. 200 rooms of 500 tags would publish 40
    /// MB a second.
    package static let site = Measure(few: 20, pause: .milliseconds(10))

    /// The limits for one partition, which has its share of each crowd.
    func shared(by partitions: Int) -> Measure {
      Measure(few: few / partitions, pause: TimeSpan(nanoseconds: pause.nanoseconds * Int64(partitions)))
    }
  }

  private static let longest = TimeSpan.seconds(10)

  private let measure: Measure
  /// By place: when it was last published as a crowd.
  private var told: [MonotonicTime?]
  /// Places with unpublished changes, and when each is due.
  private var waiting: [Int: MonotonicTime] = [:]
  /// When the first place is due.
  package private(set) var next: MonotonicTime?

  package init(places: Int, _ measure: Measure) {
    self.measure = measure
    told = Array(repeating: nil, count: places)
  }

  /// Records that a member entered or left. Returns whether to publish now. Otherwise the place becomes due later.
  package mutating func isToBeTold(_ place: Int, members: Int, at time: MonotonicTime) -> Bool {
    guard members > measure.few else {
      told[place] = nil
      if waiting.removeValue(forKey: place) != nil { next = waiting.values.min() }
      return true
    }
    if waiting[place] != nil { return false }
    if let last = told[place] {
      let pause = min(TimeSpan(nanoseconds: measure.pause.nanoseconds * Int64(members)), Self.longest)
      let due = last + pause
      if due > time {
        waiting[place] = due
        next = min(next ?? due, due)
        return false
      }
    }
    told[place] = time
    return true
  }

  /// The places that are due at `time`, in order.
  package mutating func takeDue(at time: MonotonicTime) -> [Int] {
    guard let next, next <= time else { return [] }
    let due = waiting.filter { $0.value <= time }.keys.sorted()
    for place in due {
      told[place] = time
      waiting[place] = nil
    }
    self.next = waiting.values.min()
    return due
  }
}

extension CrowdPace: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "told", &told)
    try coder("waiting", &waiting)
    try coder.check(waiting.keys.allSatisfy(told.indices.contains))
    if coder.isReading { next = waiting.values.min() }
  }
}
