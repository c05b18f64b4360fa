/// Judges the RSSI at 1 m that a sender states, by what radios can do and by how loud the sender is heard. Some tags are sold
/// with −3 or +1 dBm; others state the value for 0 m. With such a value a tag would seem far away, or always near.
///
/// ```swift
/// var power = StatedPower()
/// power.judge(-3, heard: -60)  // nil: no radio is that strong
/// ```
///
/// Source: https://github.com/AltBeacon/android-beacon-library/issues/838, https://github.com/mKeRix/room-assistant/issues/37
public struct StatedPower: Equatable, Sendable {
  /// The strongest tags send with +8 dBm, and the first metre takes 41 dB. The +20 dBm that Bluetooth allows are rarer than a
  /// wrong statement.
  public static let strongest: Int8 = -33
  /// Receivers need about −95 dBm, so nobody could hear such a tag from two metres.
  public static let weakest: Int8 = -95
  /// A receiver that hears a tag this much louder than stated is within three centimetres of it, or the statement is wrong.
  private static let excess = 40
  /// How many advertisements in a row must be that loud: radios report a wrong level now and then.
  private static let proof: UInt8 = 3

  /// The last value that was not believed.
  public private(set) var disbelieved: Int8?
  /// How many advertisements in a row were too loud.
  private var loud: UInt8 = 0

  public init() {}

  /// The stated value if it is believed. nil is no statement.
  public mutating func judge(_ stated: Int8?, heard: Int8?) -> Int8? {
    guard let stated else { return nil }
    if stated > Self.strongest || stated < Self.weakest {
      disbelieved = stated
      return nil
    }
    if disbelieved == stated { return nil }
    guard let heard, Self.contradicts(stated, heard: heard) else {
      loud = 0
      return stated
    }
    loud += 1
    guard loud >= Self.proof else { return stated }
    loud = 0
    disbelieved = stated
    return nil
  }

  /// An advertisement was as loud as its power allows. That ends the row of loud ones.
  @inline(__always) mutating func noteBelievable() { if loud != 0 { loud = 0 } }

  /// Whether a level is far above what a power allows.
  static func contradicts(_ stated: Int8, heard: Int8) -> Bool {
    heard <= 20 && Int(heard) > Int(stated) + excess
  }

  /// Why the last value was not believed; nil: it was.
  public var complaint: String? {
    disbelieved.map { (stated) -> String in
      if stated > Self.strongest { return "states \(stated) dBm at 1 m, which tags do not reach" }
      if stated < Self.weakest { return "states \(stated) dBm at 1 m, which no receiver would hear" }
      return "states \(stated) dBm at 1 m, and is heard far louder"
    }
  }
}

extension StatedPower: StateElement {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("disbelieved", &disbelieved)
    try coder("loud", &loud)
  }
}

extension BeaconCatalogue {
  /// The measured power of a sighting: the configured one, or else the stated one if it is believed.
  mutating func power(_ stated: Int8?, of beacon: BeaconIndex, heard: Int8?) -> Int8? {
    let place = Int(beacon.rawValue)
    if let configured = traits[place].measuredPower { return configured }
    let before = traits[place].stated.disbelieved
    let power = traits[place].stated.judge(stated, heard: heard)
    if traits[place].stated.disbelieved != before { noteDisbelief(of: beacon) }
    return power
  }

  /// Reports one beacon of each entry only, because a region may have many members of one make.
  private mutating func noteDisbelief(of beacon: BeaconIndex) {
    guard let entry = tracked[Int(beacon.rawValue)].entries.first, disbelievers.insert(entry).inserted else {
      return
    }
    disbelieved.append(beacon)
  }

  /// Beacons whose stated power was not believed since the last call, with the reason; one for each entry.
  public mutating func takeDisbelieved() -> [(beacon: BeaconIndex, complaint: String)] {
    defer { disbelieved.removeAll() }
    return disbelieved.compactMap { beacon in
      traits[Int(beacon.rawValue)].stated.complaint.map { (beacon, $0) }
    }
  }

  public var hasDisbelieved: Bool { !disbelieved.isEmpty }
}
