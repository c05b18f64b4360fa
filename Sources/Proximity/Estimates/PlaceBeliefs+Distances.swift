import Glibc

/// How far a beacon is from a receiver, by what is believed of its place.
extension PlaceBeliefs {
  /// log10 of two distances to a receiver in metres: of the one within which the beacon is with a probability of `coming`, and of
  /// the median.
  mutating func logDistances(of beacon: Int, to receiver: Int) -> (within: Float, median: Float)? {
    guard spread(beacon, receiver) else { return nil }
    return (quantile(Self.coming), quantile(0.5))
  }

  /// How probable it must be that a beacon is within a threshold for it to come in, if it stays so for the dwell time. It leaves
  /// when it is as probably beyond the threshold of exit as not.
  private static let coming: Float = 0.35

  /// Standard deviation of the distance to a receiver, metres.
  func deviation(of beacon: Int, to receiver: Int) -> Double? {
    var copy = self
    guard copy.spread(beacon, receiver) else { return nil }
    var (sum, squares) = (0.0, 0.0)
    for bin in 0..<Self.binCount {
      let distance = pow(10, Double(Self.logDistance(Float(bin) + 0.5)))
      sum += Double(copy.shares[bin]) * distance
      squares += Double(copy.shares[bin]) * distance * distance
    }
    let quantum = grid.edge * grid.edge / 12
    return Self.modesty * max(squares - sum * sum, quantum).squareRoot()
  }

  /// Of the walks in the office, where it would otherwise hold 82 % within 3 m.
  private static let modesty = 0.85

  /// Sums the belief up by distance.
  private mutating func spread(_ beacon: Int, _ receiver: Int) -> Bool {
    guard let hearer = hearer(receiver), slots.indices.contains(beacon), slots[beacon] >= 0 else {
      return false
    }
    Self.add(
      beliefs, from: Int(slots[beacon]) * prior.count, count: prior.count, bins[hearer], into: &shares)
    return true
  }

  private static func add(
    _ beliefs: [Float], from start: Int, count: Int, _ bins: [UInt8], into shares: inout [Float]
  ) {
    var shares = shares.mutableSpan
    let (beliefs, bins) = (beliefs.span, bins.span)
    for bin in shares.indices { shares[bin] = 0 }
    for cell in 0..<count { shares[Int(bins[cell])] += beliefs[start + cell] }
  }

  private func quantile(_ part: Float) -> Float {
    var sum: Float = 0
    for bin in 0..<Self.binCount {
      let next = sum + shares[bin]
      if next >= part { return Self.logDistance(Float(bin) + (part - sum) / max(shares[bin], 1e-9)) }
      sum = next
    }
    return Self.logDistance(Float(Self.binCount))
  }

  /// log10 of the distance in metres at a place between bins.
  private static func logDistance(_ bin: Float) -> Float {
    Float(log10(nearest)) + bin * Float(log10(2) / binsPerDoubling)
  }
}
