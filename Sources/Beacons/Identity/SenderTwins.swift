import Core

/// Detects several devices that send one identity, each from an address of its own: cloned tags, or tags that were never
/// configured. Together they would seem to be somewhere between their places. So only one of them counts, until it falls silent.
///
/// With several devices, an address comes back again and again; a single device that changes its address never returns to an
/// earlier one. Only one receiver is considered, because others may write the address of the same device differently.
struct SenderTrail: Equatable, Sendable {
  /// How often an address must come back. It is odd, so that the device that was known first comes back at last.
  private static let proof: UInt8 = 9

  /// Hashes of the latest address, and of the one before; 0: none.
  private var latest: UInt32 = 0
  private var before: UInt32 = 0
  private var returns: UInt8 = 0
  /// The receiver that is considered, and how often others have heard the identity since.
  private var receiver: UInt16 = 0
  private var elsewhere: UInt8 = 0
  /// After this many sightings by other receivers, another receiver is considered, unless an address has
  /// begun to come back: this receiver may hear only one of the devices.
  private static let patience: UInt8 = 250

  /// How many times in turn the considered receiver heard its latest address, and other receivers another
  /// one. A takeover or reload counts from zero.
  private var apart: UInt8 = 0
  private var wasApart = false
  /// This many turns prove that there are two devices, or receivers that write addresses differently: once a
  /// device has changed its address, nobody hears the earlier one.
  private static let apartProof: UInt8 = 30

  enum News { case none, twins, apart }

  var hasTwins: Bool { returns >= Self.proof }

  static func hash(_ address: DeviceAddress) -> UInt32 {
    UInt32(truncatingIfNeeded: address.bits ^ address.bits >> 24) | 1
  }

  /// Returns what this sighting has proved, once.
  @inline(__always) mutating func note(_ sender: UInt32, at receiver: ReceiverIndex) -> News {
    if hasTwins { return .none }
    if receiver.rawValue != self.receiver {
      if sender != latest, sender != before { wasApart = true }
      elsewhere += 1
      guard elsewhere == Self.patience || latest == 0 else { return .none }
      elsewhere = 0
      // By two, so that the parity stays: see `proof`.
      guard returns < 2 else {
        returns -= 2
        return .none
      }
      // The device that was known first stays the first.
      let first = returns == 0 && before != 0 ? before : latest
      // A result that was returned is not returned again.
      let turns = apart == Self.apartProof ? apart : 0
      self = SenderTrail()
      (latest, self.receiver, apart) = (first, receiver.rawValue, turns)
    }
    if sender == latest {
      guard wasApart, apart < Self.apartProof else { return .none }
      wasApart = false
      apart += 1
      return apart == Self.apartProof ? .apart : .none
    }
    if apart < Self.apartProof { apart = 0 }
    if sender == before {
      returns += 1
    } else if returns > 0 {
      returns -= 1
    }
    (before, latest) = (latest, sender)
    return hasTwins ? .twins : .none
  }
}

extension SenderTrail: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("latest", &latest)
    try coder("before", &before)
    try coder("returns", &returns)
    try coder("receiver", &receiver)
    try coder("elsewhere", &elsewhere)
    try coder.check(elsewhere < Self.patience)
  }
}

/// The device that counts among those that send one identity: the one that was known first, and another while that is silent.
package struct CountingTwin: StateElement {
  /// After this silence of the device that counts, another one counts.
  private static let patience = TimeSpan.seconds(10)

  private var first: UInt32 = 0
  private var sender: UInt32 = 0
  private var heard = MonotonicTime.zero
  /// Whether it was reported that there are several.
  private var isTold = false

  package init() {}

  init(_ sender: UInt32, at time: MonotonicTime) {
    first = sender
    self.sender = sender
    heard = time
  }

  mutating func counts(_ other: UInt32, at time: MonotonicTime) -> Bool {
    guard other == sender || other == first || time - heard > Self.patience else { return false }
    (sender, heard) = (other, max(heard, time))
    return true
  }

  /// Returns whether to report now that there are several: once, while the one that counts is heard.
  mutating func isNews() -> Bool {
    defer { isTold = true }
    return !isTold
  }

  func isFirst(_ sender: UInt32) -> Bool { sender == first }

  /// The same for a later run, which must detect again that there are several.
  package func restored(at time: MonotonicTime) -> CountingTwin {
    var twin = self
    (twin.sender, twin.heard, twin.isTold) = (first, time, false)
    return twin
  }

  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("first", &first)
    try coder("sender", &sender)
    try coder("heard", &heard)
    try coder("is_told", &isTold)
  }
}

extension BeaconCatalogue {
  /// Whether a sender of a beacon's identity counts.
  @inline(__always) mutating func counts(
    _ address: DeviceAddress, as beacon: BeaconIndex, from receiver: ReceiverIndex, at time: MonotonicTime
  ) -> Bool {
    // Scanners may not say the address.
    if address.bits == 0 { return true }
    let sender = SenderTrail.hash(address)
    let place = Int(beacon.rawValue)
    switch traits[place].trail.note(sender, at: receiver) {
    case .none: break
    case .twins: if twins[beacon] == nil { twins[beacon] = CountingTwin(sender, at: time) }
    case .apart: if !isMember(beacon) || apartNews.count < Self.twinNoticeLimit { apartNews.append(beacon) }
    }
    if twins.isEmpty { return true }
    return countsAmongTwins(sender, address, as: beacon, at: time)
  }

  private mutating func countsAmongTwins(
    _ sender: UInt32, _ address: DeviceAddress, as beacon: BeaconIndex, at time: MonotonicTime
  ) -> Bool {
    guard var twin = twins[beacon] else { return true }
    guard twin.counts(sender, at: time) else { return false }
    if !traits[Int(beacon.rawValue)].trail.hasTwins {
      // Known from an earlier run. If another device than the first one counts now, there are no twins until
      // that is detected again.
      twins[beacon] = twin.isFirst(sender) ? twin : nil
      return true
    }
    if twin.isNews(), !isMember(beacon) || twinNews.count < Self.twinNoticeLimit {
      twinNews.append((beacon, address))
    }
    twins[beacon] = twin
    return true
  }

  /// The device that counts among several; nil: there is only one.
  package func twin(of beacon: BeaconIndex) -> CountingTwin? { twins[beacon] }

  /// Adopts what an earlier run knew.
  package mutating func restore(_ twin: CountingTwin, of beacon: BeaconIndex, at time: MonotonicTime) {
    twins[beacon] = twin.restored(at: time)
  }

  private static var twinNoticeLimit: Int { 20 }

  /// Beacons whose identity several devices send, since the last call; with the address of the one that counts.
  public mutating func takeTwins() -> [(beacon: BeaconIndex, address: DeviceAddress)] {
    defer { if !twinNews.isEmpty { twinNews.removeAll() } }
    return twinNews
  }

  /// Beacons that receivers have heard in turns from different addresses since the last call.
  public mutating func takeApart() -> [BeaconIndex] {
    defer { if !apartNews.isEmpty { apartNews.removeAll() } }
    return apartNews
  }
}
