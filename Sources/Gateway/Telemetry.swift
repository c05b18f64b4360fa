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

  let interval: TimeSpan
  /// By `BeaconIndex`; nil for a beacon that is known and was not sighted, as the second of two identities
  /// in one advertisement.
  private var heard: [Heard?] = []
  private var due: [BeaconIndex] = []
  /// Beacons heard for the first time, or with a reading of a new kind.
  private var news: [BeaconIndex] = []

  init(interval: TimeSpan) { self.interval = interval }

  subscript(beacon: BeaconIndex) -> Heard? {
    let index = Int(beacon.rawValue)
    return heard.indices.contains(index) ? heard[index] : nil
  }

  /// All beacons heard so far.
  var known: [BeaconIndex] {
    heard.indices.lazy.filter { heard[$0] != nil }.map { BeaconIndex(rawValue: Int32($0)) }
  }

  mutating func note(_ sighting: Sighting) {
    let index = makeRoom(for: sighting.beacon)
    if heard[index] == nil {
      heard[index] = Heard(time: sighting.time, wallTime: sighting.wallTime, receiver: sighting.receiver)
      tell(sighting.beacon)
    } else {
      heard[index]?.time = sighting.time
      heard[index]?.wallTime = sighting.wallTime
      heard[index]?.receiver = sighting.receiver
    }
    if heard[index]?.published.map({ sighting.time - $0 >= interval }) ?? true { setDue(sighting.beacon) }
  }

  /// Takes over what another one knew of a beacon.
  mutating func adopt(_ known: Heard, of beacon: BeaconIndex) {
    let index = makeRoom(for: beacon)
    heard[index] = known
    heard[index]?.isDue = false
    tell(beacon)
  }

  /// Keeps a reading of a beacon that was sighted until a newer one of the same quantity comes.
  mutating func note(_ reading: Reading, of beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    // Held in no variable: the list would be copied for each reading.
    guard heard.indices.contains(index), heard[index] != nil else { return }
    let place = heard[index]?.readings.firstIndex {
      $0.quantity == reading.quantity && $0.ordinal == reading.ordinal
    }
    if let place {
      heard[index]?.readings[place] = reading
    } else {
      heard[index]?.readings.append(reading)
      tell(beacon)
    }
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
    guard self[beacon]?.isDue == false else { return }
    heard[Int(beacon.rawValue)]?.isDue = true
    due.append(beacon)
  }

  var hasDue: Bool { !due.isEmpty }

  /// The beacons whose state is to be published now, in the order in which that became due.
  mutating func takeDue() -> [BeaconIndex] {
    for beacon in due {
      let index = Int(beacon.rawValue)
      heard[index]?.isDue = false
      let time = heard[index]?.time
      heard[index]?.published = time
    }
    defer { due.removeAll(keepingCapacity: true) }
    return due
  }

  private mutating func makeRoom(for beacon: BeaconIndex) -> Int {
    let index = Int(beacon.rawValue)
    while heard.count <= index { heard.append(nil) }
    return index
  }
}
