import Beacons

/// How each tracked beacon was last heard, and whose state is to be published: at once after a transition,
/// else no more often than `interval`.
struct Telemetry: Sendable {
  struct Heard: Sendable {
    var time: MonotonicTime
    var wallTime: WallTime
    var receiver: ReceiverIndex
    var published: MonotonicTime?
    var isDue = false
    var readings: [Reading] = []
  }

  private let interval: TimeSpan
  /// By `BeaconIndex`.
  private var heard: [Heard] = []
  private var due: [BeaconIndex] = []
  /// Readings of a beacon that is new: they come before its first sighting.
  private var early: [Reading] = []

  init(interval: TimeSpan) { self.interval = interval }

  subscript(beacon: BeaconIndex) -> Heard { heard[Int(beacon.rawValue)] }

  /// All beacons heard so far.
  var known: [BeaconIndex] { heard.indices.map { BeaconIndex(rawValue: Int32($0)) } }

  mutating func note(_ sighting: Sighting) {
    let index = Int(sighting.beacon.rawValue)
    // An advertisement with two identities makes two beacons known, and is a sighting of one.
    while heard.count <= index {
      heard.append(Heard(time: sighting.time, wallTime: sighting.wallTime, receiver: sighting.receiver))
    }
    heard[index].time = sighting.time
    heard[index].wallTime = sighting.wallTime
    heard[index].receiver = sighting.receiver
    for reading in early { note(reading, of: sighting.beacon) }
    early.removeAll(keepingCapacity: true)
    if heard[index].published.map({ sighting.time - $0 >= interval }) ?? true { setDue(sighting.beacon) }
  }

  /// Keeps a reading until a newer one of the same quantity comes.
  mutating func note(_ reading: Reading, of beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    guard index < heard.count else {
      early.append(reading)
      return
    }
    let known = heard[index].readings.firstIndex {
      $0.quantity == reading.quantity && $0.ordinal == reading.ordinal
    }
    if let known {
      heard[index].readings[known] = reading
    } else {
      heard[index].readings.append(reading)
    }
  }

  mutating func setDue(_ beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    guard !heard[index].isDue else { return }
    heard[index].isDue = true
    due.append(beacon)
  }

  /// The beacons whose state is to be published now, in the order in which that became due.
  mutating func takeDue() -> [BeaconIndex] {
    for beacon in due {
      let index = Int(beacon.rawValue)
      heard[index].isDue = false
      heard[index].published = heard[index].time
    }
    defer { due.removeAll(keepingCapacity: true) }
    return due
  }
}
