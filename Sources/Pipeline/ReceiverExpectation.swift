/// Why a receiver should be there.
package enum ReceiverExpectation: Sendable {
  /// The configuration names it.
  case configured
  /// An earlier run knew it, and somebody is where it heard him.
  case earlier
}
