import Beacons

/// The numbers by which a history knows beacons. They stay when a reload gives beacons other indices, so that nothing must be
/// encoded again.
struct BeaconNumbers: Sendable {
  private struct Owner: Sendable {
    /// nil: it was dropped.
    var beacon: BeaconIndex?
    /// nil: new events get this number. Otherwise the number is used up: only events before this one have it.
    var end: UInt64?
  }

  /// By beacon; nil: none yet.
  private var numbers: [Int32?] = []
  /// By number.
  private var owners: [Owner] = []
  /// Numbers that no event has any more.
  private var vacant: [Int32] = []

  /// Gives the beacon a number if it has none.
  mutating func number(of beacon: BeaconIndex) -> Int32 {
    if let number = self[beacon] { return number }
    let number = vacant.popLast() ?? Int32(owners.count)
    if number == owners.count { owners.append(Owner()) }
    owners[Int(number)] = Owner(beacon: beacon)
    self[beacon] = number
    return number
  }

  /// nil: the beacon was dropped.
  func beacon(_ number: UInt64) -> BeaconIndex? { owners[Int(number)].beacon }

  /// - Parameter events: the numbers of those that are kept.
  mutating func renumber(_ indices: [BeaconIndex?], keeping events: Range<UInt64>) {
    numbers.removeAll(keepingCapacity: true)
    vacant.removeAll(keepingCapacity: true)
    for number in owners.indices {
      let beacon = owners[number].beacon.flatMap { former in
        Int(former.rawValue) < indices.count ? indices[Int(former.rawValue)] : nil
      }
      owners[number].beacon = beacon
      if let end = owners[number].end {
        if end <= events.lowerBound { vacant.append(Int32(number)) }
      } else if let beacon, self[beacon] == nil {
        self[beacon] = Int32(number)
      } else {
        // It was dropped, or is the same as another one now.
        owners[number].end = events.upperBound
      }
    }
  }

  private subscript(beacon: BeaconIndex) -> Int32? {
    get { Int(beacon.rawValue) < numbers.count ? numbers[Int(beacon.rawValue)] : nil }
    set {
      let missing = Int(beacon.rawValue) + 1 - numbers.count
      if missing > 0 { numbers += repeatElement(nil, count: missing) }
      numbers[Int(beacon.rawValue)] = newValue
    }
  }
}
