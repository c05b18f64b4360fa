extension SeededGenerator {
  /// Extremes of what fields hold: of integers of each width, and of floats; least significant octet first.
  private static let extremes: [[UInt8]] = {
    func octets(_ bits: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }
    let floats: [Float] = [1e30, -1e30, .greatestFiniteMagnitude, 1e4, .nan, .infinity, -0.0]
    let doubles: [Double] = [1e300, -1e300, 1e30, .greatestFiniteMagnitude, .nan, -.infinity]
    return [1, 2, 4, 8].flatMap { count in
      let top = UInt64(1) << UInt64(8 * count - 1)
      return [top - 1, top, top | (top - 1), top | (top - 1) - 6, 0].map { octets($0, count) }
    } + floats.map { octets(UInt64($0.bitPattern), 4) } + doubles.map { octets($0.bitPattern, 8) }
  }()

  /// As if somebody had written it: an octet here and there is another, or so many that a field has an extreme value.
  ///
  /// - Parameter start: what is before it stays.
  package mutating func forged(_ octets: [UInt8], from start: Int = 0) -> [UInt8] {
    var forged = octets
    for _ in 0..<Int.random(in: 1...3, using: &self) {
      let value =
        Bool.random(using: &self)
        ? Self.extremes.randomElement(using: &self)! : [UInt8.random(in: 0...255, using: &self)]
      guard start + value.count <= forged.count else { continue }
      let place = Int.random(in: start...(forged.count - value.count), using: &self)
      forged.replaceSubrange(place..<place + value.count, with: value)
    }
    return forged
  }
}
