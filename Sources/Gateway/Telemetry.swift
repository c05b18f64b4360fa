import Beacons

/// A reading in one of several advertisements.
struct HeardReading: Sendable {
  /// Of the advertisement among them.
  var place: Int
  var beacon: BeaconIndex
  var reading: Reading
}

/// How each tracked beacon was last heard, and whose state is to be published: at once after a transition,
/// else no more often than `interval`.
struct Telemetry: Sendable {
  struct Heard: Sendable {
    var wallTime: WallTime
    var readings: [Reading]
    fileprivate var times: Times
  }

  /// Of fixed size, apart from the readings: it is touched at every sighting.
  fileprivate struct Times {
    /// Not so for a beacon that is known and was never sighted, as the second of two identities in one advertisement.
    var isSighted = false
    var isDue = false
    var receiver = ReceiverIndex(rawValue: 0)
    var time = MonotonicTime.zero
    var wallTime = WallTime(nanoseconds: 0)
    /// The earliest time there is, if it never was.
    var published = MonotonicTime(nanoseconds: .min)

    /// Whether a sighting at `time` is reason to publish its state again.
    @inline(__always) func isDue(at time: MonotonicTime, interval: TimeSpan) -> Bool {
      !isDue && time - published >= interval
    }

    @inline(__always) mutating func note(_ sighting: Sighting) {
      isSighted = true
      time = sighting.time
      wallTime = sighting.wallTime
      receiver = sighting.receiver
    }
  }

  let interval: TimeSpan
  /// By `BeaconIndex`.
  private var heard: [Times] = []
  /// By `BeaconIndex` too.
  private var readings: [[Reading]] = []
  private var due: [BeaconIndex] = []
  /// Beacons heard for the first time, or with a reading of a new kind.
  private var news: [BeaconIndex] = []

  init(interval: TimeSpan) { self.interval = interval }

  subscript(beacon: BeaconIndex) -> Heard? {
    let index = Int(beacon.rawValue)
    guard isSighted(index) else { return nil }
    return Heard(wallTime: heard[index].wallTime, readings: readings[index], times: heard[index])
  }

  private func isSighted(_ index: Int) -> Bool { heard.indices.contains(index) && heard[index].isSighted }

  /// All beacons heard so far.
  var known: [BeaconIndex] {
    heard.indices.lazy.filter { heard[$0].isSighted }.map { BeaconIndex(rawValue: Int32($0)) }
  }

  mutating func note(_ sighting: Sighting) {
    let index = Int(sighting.beacon.rawValue)
    if index >= heard.count { makeRoom(for: sighting.beacon) }
    let isNew = !heard[index].isSighted
    let isDue = heard[index].isDue(at: sighting.time, interval: interval)
    heard[index].note(sighting)
    if isNew { tell(sighting.beacon) }
    if isDue { setDue(sighting.beacon) }
  }

  /// How many sightings there are before the first that is reason to publish a state, or of somebody new.
  func silentCount(_ sightings: Span<Sighting>) -> Int {
    let heard = heard.span
    for place in sightings.indices where sightings[place].beacon != .nobody {
      let index = Int(sightings[place].beacon.rawValue)
      guard index < heard.count, heard[index].isSighted,
        !heard[index].isDue(at: sightings[place].time, interval: interval)
      else { return place }
    }
    return sightings.count
  }

  /// Takes in sightings that `silentCount` counts.
  mutating func noteSilent(_ sightings: Span<Sighting>) {
    var heard = heard.mutableSpan
    for place in sightings.indices where sightings[place].beacon != .nobody {
      heard[Int(sightings[place].beacon.rawValue)].note(sightings[place])
    }
  }

  /// Takes over what another one knew of a beacon.
  mutating func adopt(_ known: Heard, of beacon: BeaconIndex) {
    makeRoom(for: beacon)
    let index = Int(beacon.rawValue)
    heard[index] = known.times
    heard[index].isDue = false
    readings[index] = known.readings
    tell(beacon)
  }

  /// Keeps readings of beacons that were sighted until newer ones of the same quantities come.
  mutating func note(_ readings: ArraySlice<HeardReading>) {
    // A beacon sends the same ones in the same order again and again.
    var likely = 0
    var place = -1
    for heard in readings {
      let index = Int(heard.beacon.rawValue)
      guard isSighted(index) else { continue }
      if heard.place != place { likely = 0 }
      place = heard.place
      if !Self.keep(heard.reading, in: &self.readings[index], likely: &likely) { tell(heard.beacon) }
    }
  }

  /// Puts a reading in the place of the one before it; false where there was none.
  private static func keep(_ reading: Reading, in readings: inout [Reading], likely: inout Int) -> Bool {
    var place = likely
    if place >= readings.count || !readings[place].isOfSameKind(as: reading) {
      guard let other = readings.firstIndex(where: { $0.isOfSameKind(as: reading) }) else {
        readings.append(reading)
        return false
      }
      place = other
    }
    readings[place] = reading
    likely = place + 1
    return true
  }

  /// As `ZoneEngine.prefetch`.
  func prefetch(_ beacons: Span<Int32>) -> Int {
    var sum = 0
    for place in beacons.indices where heard.indices.contains(Int(beacons[place])) {
      let beacon = Int(beacons[place])
      sum &+= heard[beacon].isSighted ? 1 : 0
      sum &+= Int(truncatingIfNeeded: heard[beacon].published.nanoseconds)
    }
    return sum
  }

  mutating func takeNews() -> [BeaconIndex] {
    defer { news.removeAll() }
    return news
  }

  /// The news of one frame come together.
  private mutating func tell(_ beacon: BeaconIndex) {
    if news.last != beacon { news.append(beacon) }
  }

  mutating func setDue(_ beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    guard isSighted(index), !heard[index].isDue else { return }
    heard[index].isDue = true
    due.append(beacon)
  }

  var hasDue: Bool { !due.isEmpty }

  /// The beacons whose state is to be published now, in the order in which that became due.
  ///
  /// - Parameter taken: what it held before is lost; its room serves again.
  mutating func takeDue(into taken: inout [BeaconIndex]) {
    for beacon in due {
      let index = Int(beacon.rawValue)
      heard[index].isDue = false
      heard[index].published = heard[index].time
    }
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &due)
  }

  private mutating func makeRoom(for beacon: BeaconIndex) {
    while heard.count <= Int(beacon.rawValue) {
      heard.append(Times())
      readings.append([])
    }
  }
}

extension Telemetry.Heard {
  var receiver: ReceiverIndex { times.receiver }
}

extension Reading {
  fileprivate func isOfSameKind(as other: Reading) -> Bool {
    quantity == other.quantity && ordinal == other.ordinal
  }
}
