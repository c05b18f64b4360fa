import Beacons

/// The latest packets of each beacon that may say that something happened. A sender repeats each packet, several receivers hear it,
/// and one that is elsewhere is late.
struct PacketLedger: Sendable {
  /// A packet as it is known again.
  struct Packet: Hashable, Sendable {
    /// What it says, and its number if it has one.
    var content: UInt64
    /// When it was heard last.
    var heard: MonotonicTime
  }

  /// What a packet is that was heard just now.
  enum Novelty {
    case new
    /// The latest one once more.
    case again
    /// An earlier one. It says nothing of now.
    case late
  }

  /// Packets of a beacon that are kept.
  fileprivate static let limit = 8
  /// For so long an earlier packet may come in late.
  private static let lateness = TimeSpan.seconds(60)

  /// What is known of a sender.
  struct Sender: Sendable {
    /// The latest last.
    var packets: [Packet] = []
    /// Detections that it is known to take back, as `Quantity.detection` counts them.
    var cleared: UInt8 = 0
    /// A dimmer that is turned for a minute has room; who speaks in a sensor's name must not fill the disk.
    var pace = RateLimit(burst: 200, perSecond: 2)
  }

  /// By `BeaconIndex`.
  private var senders: [Sender] = []
  /// Of all members of regions: anybody can invent more.
  private var crowd = RateLimit(burst: 2000, perSecond: 20)
  /// Events that are not told, because there were too many.
  private(set) var refused: UInt64 = 0
  private var hasToldRefusal = false

  /// Takes a packet in.
  ///
  /// - Parameters:
  ///   - isNumbered: whether its number is part of the content. Otherwise it may say again what it said before.
  ///   - patience: after this time in which it was not heard the same content is another packet; nil: never.
  mutating func take(
    _ content: UInt64, isNumbered: Bool, of beacon: BeaconIndex, at time: MonotonicTime, patience: TimeSpan?
  ) -> Novelty {
    let index = Int(beacon.rawValue)
    makeRoom(for: beacon)
    let latest = senders[index].packets.count - 1
    let known = senders[index].packets.lastIndex { $0.content == content }
    if let place = known, isNumbered || place == latest {
      let isLatest = place == latest
      let limit = isLatest ? patience : min(patience ?? Self.lateness, Self.lateness)
      let heard = senders[index].packets[place].heard
      if limit.map({ time - heard <= $0 }) ?? true {
        senders[index].packets[place].heard = max(heard, time)
        return isLatest ? .again : .late
      }
      senders[index].packets.remove(at: place)
    }
    if senders[index].packets.count == Self.limit { senders[index].packets.removeFirst() }
    senders[index].packets.append(Packet(content: content, heard: time))
    return .new
  }

  /// Whether one more event of a beacon is told; if not, it is counted.
  mutating func mayTell(of beacon: BeaconIndex, isMember: Bool, at time: MonotonicTime) -> Bool {
    let index = Int(beacon.rawValue)
    if senders[index].pace.take(at: time), !isMember || crowd.take(at: time) { return true }
    refused += 1
    return false
  }

  /// Once, for people.
  mutating func takeNotice() -> String? {
    guard refused > 0, !hasToldRefusal else { return nil }
    hasToldRefusal = true
    return
      "too many events of one beacon, or of all members of regions; somebody may be speaking in their name "
      + "(events_refused in health counts)"
  }

  /// Whether a reading that is the same as before says nothing new. A sensor that never says that a shake is over says each shake.
  mutating func lasts(_ reading: Reading, of beacon: BeaconIndex) -> Bool {
    guard case .flag(let flag) = reading.value, let detection = reading.quantity.detection else {
      return true
    }
    if !flag { senders[Int(beacon.rawValue)].cleared |= detection }
    return senders[Int(beacon.rawValue)].cleared & detection != 0
  }

  /// nil: nothing is known.
  func sender(_ beacon: BeaconIndex) -> Sender? {
    let index = Int(beacon.rawValue)
    return senders.indices.contains(index) && !senders[index].packets.isEmpty ? senders[index] : nil
  }

  /// Takes over what was known of a beacon. It may be anything that was read.
  mutating func adopt(_ known: Sender?, as beacon: BeaconIndex) {
    guard var known else { return }
    makeRoom(for: beacon)
    known.packets = known.packets.suffix(Self.limit)
    senders[Int(beacon.rawValue)] = known
  }

  /// Takes over what one of an earlier configuration counted.
  mutating func adopt(_ earlier: PacketLedger) {
    (crowd, refused, hasToldRefusal) = (earlier.crowd, earlier.refused, earlier.hasToldRefusal)
  }

  /// Forgets a beacon whose index is reused.
  mutating func retire(_ beacon: BeaconIndex) {
    if senders.indices.contains(Int(beacon.rawValue)) { senders[Int(beacon.rawValue)] = Sender() }
  }

  private mutating func makeRoom(for beacon: BeaconIndex) {
    while senders.count <= Int(beacon.rawValue) { senders.append(Sender()) }
  }
}

extension PacketLedger: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("senders", &senders, atMost: coder.bounds.beacons)
    try coder("crowd", &crowd)
    try coder(tally: "refused", &refused)
    try coder("has_told_refusal", &hasToldRefusal)
  }
}

extension PacketLedger.Sender: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("packets", &packets, atMost: PacketLedger.limit)
    try coder("cleared", &cleared)
    try coder("pace", &pace)
  }
}

extension PacketLedger.Packet: StateElement {
  init() { self.init(content: 0, heard: .zero) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("content", &content)
    try coder("heard", &heard)
  }
}

extension Quantity {
  /// One bit each, for what lasts a moment.
  fileprivate var detection: UInt8? {
    switch self {
    case .motion: 1
    case .sound: 2
    case .tamper: 4
    case .vibration: 8
    default: nil
    }
  }
}
