/// Why a receiver should be there.
package enum ReceiverExpectation: Sendable {
  /// The configuration names it.
  case configured
  /// An earlier run used it, and a beacon is in a zone because of it.
  case earlier
}
