import Beacons
import JSON

/// For people: how receivers differ, such as `kitchen +4 dB` and `hall −3 dB`, for those with a gain of at least 1 dB.
public func gainWords(_ gains: [(receiver: String, decibels: Double)]) -> [String] {
  gains.filter { abs($0.decibels) >= 1 }.map { gain in
    "\(gain.receiver) \(gain.decibels < 0 ? "−" : "+")\(decimal(abs(gain.decibels), decimals: 0)) dB"
      .printable
  }
}
