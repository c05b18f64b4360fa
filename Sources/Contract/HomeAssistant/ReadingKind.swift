import Beacons

/// A kind of reading that a beacon has sent; each is a sensor of its own.
package struct ReadingKind: Hashable, Comparable, Sendable {
  package var quantity: Quantity
  /// As in `Reading`.
  package var ordinal: UInt8

  package init(_ reading: Reading) {
    quantity = reading.quantity
    ordinal = reading.ordinal
  }

  init(_ quantity: Quantity, ordinal: UInt8 = 1) {
    self.quantity = quantity
    self.ordinal = ordinal
  }

  /// The kind with a name as in `Reading.name`; nil if there is none.
  package init?(name: String) {
    if let quantity = Quantity(named: name) {
      self.init(quantity)
      return
    }
    guard let end = name.lastIndex(of: "_"), let quantity = Quantity(named: String(name[..<end])),
      let ordinal = UInt8(name[name.index(after: end)...]), ordinal > 1
    else { return nil }
    self.init(quantity, ordinal: ordinal)
  }

  /// As in the beacon's state.
  package var name: String { Reading(quantity, ordinal: ordinal, .flag(false)).name }

  package static func < (a: Self, b: Self) -> Bool {
    (a.quantity.rawValue, a.ordinal) < (b.quantity.rawValue, b.ordinal)
  }
}
