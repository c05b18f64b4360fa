import Beacons
import Core

/// Which receivers can hear. The silence of a blind receiver says nothing about beacons.
///
/// One owner keeps it and shows it to each engine; see `ZoneEngine.see` and `RoomTracker.see`.
public struct ReceiverSight: Hashable, Sendable {
  public enum State: UInt8, StateCoded, Sendable {
    /// The receiver never reported an advertisement or its own state.
    case unknown
    case sees
    case blind
    /// An earlier run used the receiver. It counts as blind until it reports.
    case unproven
    /// The receiver is not known to be blind, but it may have failed after the last beacon that it heard. No
    /// beacon leaves because of its silence.
    case doubted

    var isBlind: Bool { self == .blind || self == .unproven }
  }

  /// By `ReceiverIndex`; those beyond the end are unknown.
  private var states: [State] = []
  /// How many receivers are not unknown, and how many of these are blind.
  private var knownCount = 0
  private var blindCount = 0

  public init() {}

  public subscript(receiver: ReceiverIndex) -> State {
    get { Int(receiver.rawValue) < states.count ? states[Int(receiver.rawValue)] : .unknown }
    set {
      let index = Int(receiver.rawValue)
      while states.count <= index { states.append(.unknown) }
      states[index] = newValue
      recount()
    }
  }

  private mutating func recount() {
    knownCount = states.count { $0 != .unknown }
    blindCount = states.count(where: \.isBlind)
  }

  public func isKnown(_ receiver: ReceiverIndex) -> Bool { self[receiver] != .unknown }

  public func isBlind(_ receiver: ReceiverIndex) -> Bool { self[receiver].isBlind }

  /// Whether the receiver reported in this run. An advertisement proves that an unproven receiver can hear.
  /// If the receiver's own state says that it is blind, only that state can end it.
  public func isProven(_ receiver: ReceiverIndex) -> Bool {
    let state = self[receiver]
    return state == .sees || state == .blind || state == .doubted
  }

  /// Whether any of these receivers is known; nil: of all.
  func isWatched(_ receivers: Set<ReceiverIndex>?) -> Bool {
    receivers.map { $0.contains(where: isKnown) } ?? (knownCount > 0)
  }

  /// Whether all known ones of these receivers are blind; nil: of all.
  func isBlind(_ receivers: Set<ReceiverIndex>?) -> Bool {
    guard let receivers else { return isBlind }
    return isWatched(receivers) && receivers.allSatisfy { !isKnown($0) || isBlind($0) }
  }

  /// Whether all known receivers are blind.
  public var isBlind: Bool { knownCount > 0 && blindCount == knownCount }

  /// The receivers in a state, ascending.
  public func receivers(_ state: State) -> [ReceiverIndex] {
    states.indices.filter { states[$0] == state }.map { ReceiverIndex(rawValue: UInt16($0)) }
  }

  /// The number of receivers up to the last known one.
  var count: Int { states.count }

  /// The receivers that were blind in an earlier sight and are not now, or the other way round.
  func turned(since earlier: ReceiverSight) -> [ReceiverIndex] {
    states.indices.map { ReceiverIndex(rawValue: UInt16($0)) }
      .filter { earlier.isBlind($0) != isBlind($0) }
  }
}

extension ReceiverSight: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("states", &states, atMost: coder.bounds.receivers)
    if coder.isReading { recount() }
  }
}
