import Beacons
import Core
import Proximity

/// Encodes events one after another, each as the difference from a prediction made from earlier events. A
/// usual sighting takes 7 or 8 octets: the receiver and the list of further fields; the time since the last
/// event; the beacon; the signal; the drift of the wall clock. Nothing is rounded. Arithmetic wraps, so no
/// time can trap, and each event is decoded exactly.
///
/// All numbers have seven bits in an octet, lowest first; the highest bit says that more follow.
struct EventCoder {
  /// The most octets of an event: the head, three numbers of 64 bits, receiver, beacon, two levels.
  static let longest = 1 + 3 * 10 + 3 + 5 + 2 * 2

  /// The pipeline's time after the last event.
  private(set) var latest = MonotonicTime(nanoseconds: .min)
  /// How far the wall clock was ahead of the monotonic one at the last sighting, in ns.
  private var lead: Int64 = 0
  /// The last measured power of beacons whose number ends with these bits.
  private var powers = InlineArray<256, Int8?>(repeating: nil)

  /// The first octet of an event.
  private struct Head {
    enum Kind: UInt8 { case sighting, blind, sees, retirement }

    var bits: UInt8

    init(bits: UInt8) { self.bits = bits }

    init(_ kind: Kind, _ receiver: UInt16 = 0) {
      bits = kind.rawValue | UInt8(min(receiver, Self.otherReceiver)) << 5
    }

    var kind: Kind { Kind(rawValue: bits & 3) ?? .sighting }
    var receiver: UInt16 { UInt16(bits >> 5) }

    /// A receiver with this or a larger index follows in full.
    static let otherReceiver: UInt16 = 7

    // Bits for the fields that follow in a sighting.
    static let lateness: UInt8 = 1 << 2
    static let lead: UInt8 = 1 << 3
    static let power: UInt8 = 1 << 4
    /// In an event of kind `sees`: the receiver is doubted.
    static let doubt: UInt8 = 1 << 2

    func has(_ bit: UInt8) -> Bool { bits & bit != 0 }
  }

  // MARK: Writing

  /// - Returns: the place after the event.
  mutating func write(
    _ event: SightingHistory.Event, numbers: inout BeaconNumbers, into octets: inout [UInt8], at place: Int
  ) -> Int {
    // The array's uniqueness is checked once, instead of for each octet.
    var octets = octets.mutableSpan
    var place = place
    switch event {
    case .sighting(let sighting, let now):
      let number = numbers.number(of: sighting.beacon)
      write(sighting, UInt64(number), at: now, into: &octets, &place)
    case .sight(let receiver, let state, let time):
      var head = Head(state == .blind ? .blind : .sees, receiver.rawValue)
      if state == .doubted { head.bits |= Head.doubt }
      write(head, receiver, at: time, into: &octets, &place)
    case .retirement(let beacon, let time):
      write(Head(.retirement), nil, at: time, into: &octets, &place)
      octets.write(number: UInt64(numbers.number(of: beacon)), at: &place)
    }
    return place
  }

  private mutating func write(
    _ sighting: Sighting, _ number: UInt64, at now: MonotonicTime,
    into octets: inout MutableSpan<UInt8>, _ place: inout Int
  ) {
    let lateness = now.nanoseconds &- sighting.time.nanoseconds
    let lead = sighting.wallTime.nanoseconds &- sighting.time.nanoseconds
    let power = powers[Int(number & 0xFF)]
    var head = Head(.sighting, sighting.receiver.rawValue)
    if lateness != 0 { head.bits |= Head.lateness }
    if lead != self.lead { head.bits |= Head.lead }
    if power != sighting.measuredPower { head.bits |= Head.power }
    write(head, sighting.receiver, at: now, into: &octets, &place)
    octets.write(number: number, at: &place)
    octets.write(level: sighting.rssi, at: &place)
    if lateness != 0 { octets.write(number: UInt64(bitPattern: lateness), at: &place) }
    if lead != self.lead { octets.write(signed: lead &- self.lead, at: &place) }
    if power != sighting.measuredPower { octets.write(level: sighting.measuredPower, at: &place) }
    self.lead = lead
    powers[Int(number & 0xFF)] = sighting.measuredPower
  }

  private mutating func write(
    _ head: Head, _ receiver: ReceiverIndex?, at now: MonotonicTime,
    into octets: inout MutableSpan<UInt8>, _ place: inout Int
  ) {
    octets.write(head.bits, at: &place)
    octets.write(number: UInt64(bitPattern: now.nanoseconds &- latest.nanoseconds), at: &place)
    if let receiver, head.receiver == Head.otherReceiver {
      octets.write(number: UInt64(receiver.rawValue), at: &place)
    }
    latest = max(latest, now)
  }

  // MARK: Reading

  /// nil: the beacon is not known any more.
  mutating func read(
    _ octets: [UInt8], at place: inout Int, numbers: BeaconNumbers
  ) -> SightingHistory.Event? {
    let octets = octets.span
    let head = Head(bits: octets[place])
    place += 1
    let now = MonotonicTime(nanoseconds: latest.nanoseconds &+ Int64(bitPattern: octets.number(at: &place)))
    latest = max(latest, now)
    let receiver = ReceiverIndex(
      rawValue: head.receiver == Head.otherReceiver
        ? UInt16(truncatingIfNeeded: octets.number(at: &place)) : head.receiver)
    switch head.kind {
    case .blind: return .sight(receiver, .blind, now)
    case .sees: return .sight(receiver, head.has(Head.doubt) ? .doubted : .sees, now)
    case .retirement: return numbers.beacon(octets.number(at: &place)).map { .retirement($0, at: now) }
    case .sighting: break
    }
    let number = octets.number(at: &place)
    let rssi = octets.level(at: &place)
    let lateness = head.has(Head.lateness) ? Int64(bitPattern: octets.number(at: &place)) : 0
    if head.has(Head.lead) { lead &+= octets.signed(at: &place) }
    if head.has(Head.power) { powers[Int(number & 0xFF)] = octets.level(at: &place) }
    guard let beacon = numbers.beacon(number) else { return nil }
    let time = now.nanoseconds &- lateness
    return .sighting(
      Sighting(
        beacon: beacon, receiver: receiver, rssi: rssi, measuredPower: powers[Int(number & 0xFF)],
        time: MonotonicTime(nanoseconds: time), wallTime: WallTime(nanoseconds: time &+ lead)),
      at: now)
  }
}

extension MutableSpan<UInt8> {
  @_lifetime(self: copy self)
  fileprivate mutating func write(_ octet: UInt8, at place: inout Int) {
    self[place] = octet
    place += 1
  }

  @_lifetime(self: copy self)
  @inline(__always)
  fileprivate mutating func write(number: UInt64, at place: inout Int) {
    var rest = number
    while rest > 0x7F {
      write(UInt8(truncatingIfNeeded: rest) | 0x80, at: &place)
      rest >>= 7
    }
    write(UInt8(rest), at: &place)
  }

  /// Small numbers of either sign take few octets.
  @_lifetime(self: copy self)
  fileprivate mutating func write(signed number: Int64, at place: inout Int) {
    write(number: UInt64(bitPattern: (number << 1) ^ (number >> 63)), at: &place)
  }

  /// A level in dBm. 0: none. 1 to 127: −1 to −127 dBm, in one octet; nearly all levels are among these.
  /// Larger numbers take two octets.
  @_lifetime(self: copy self)
  fileprivate mutating func write(level: Int8?, at place: inout Int) {
    write(number: level.map { UInt64($0 < 0 ? -Int($0) : Int($0) + 129) } ?? 0, at: &place)
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func number(at place: inout Int) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let octet = self[place]
      place += 1
      number |= UInt64(octet & 0x7F) &<< shift
      if octet <= 0x7F { return number }
      shift += 7
    }
  }

  fileprivate func signed(at place: inout Int) -> Int64 {
    let number = number(at: &place)
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  fileprivate func level(at place: inout Int) -> Int8? {
    let number = Int(truncatingIfNeeded: number(at: &place))
    return number == 0 ? nil : Int8(truncatingIfNeeded: number < 129 ? -number : number - 129)
  }
}
