import Glibc

/// A tag that stays in a room for a while, walks straight to a place in a room next to it, and stays there.
struct Walker: Sendable {
  private static let speed = 1.2  // m/s

  var dice: Dice
  private(set) var room: Int
  private(set) var x: Double
  private(set) var y: Double
  /// In seconds since the start, as all times here.
  private var leaves: Double
  /// nil: it stays.
  private var walk: Walk?

  private struct Walk: Sendable {
    var left: Double
    var arrives: Double
    /// When it passes the door.
    var crosses: Double
    var fromX: Double
    var fromY: Double
    var toX: Double
    var toY: Double
    var toRoom: Int
  }

  init(seed: UInt64, number: Int, _ site: CrowdSite, stay: Double) {
    dice = Dice(seed: seed, stream: UInt64(number))
    room = number % site.rooms
    (x, y) = Self.place(in: room, site, &dice)
    leaves = dice.wait(mean: stay)
  }

  private static func place(in room: Int, _ site: CrowdSite, _ dice: inout Dice) -> (Double, Double) {
    (
      (Double(room % site.columns) + dice.number(in: 0.1...0.9)) * CrowdSite.width,
      (Double(room / site.columns) + dice.number(in: 0.1...0.9)) * CrowdSite.depth
    )
  }

  /// Moves on to a time.
  ///
  /// - Parameter entered: called with each room that it enters on its way.
  mutating func move(to time: Double, _ site: CrowdSite, stay: Double, entered: (Int, Double) -> Void) {
    while true {
      if let walk {
        if time >= walk.crosses, room != walk.toRoom {
          room = walk.toRoom
          entered(room, walk.crosses)
        }
        guard time >= walk.arrives else {
          let share = (time - walk.left) / (walk.arrives - walk.left)
          x = walk.fromX + share * (walk.toX - walk.fromX)
          y = walk.fromY + share * (walk.toY - walk.fromY)
          return
        }
        (x, y) = (walk.toX, walk.toY)
        leaves = walk.arrives + dice.wait(mean: stay)
        self.walk = nil
      }
      guard time >= leaves else { return }
      depart(site)
      if walk == nil { return }
    }
  }

  private mutating func depart(_ site: CrowdSite) {
    let next = site.neighbours(of: room)
    guard !next.isEmpty else {
      leaves = .infinity
      return
    }
    let target = next[dice.number(below: next.count)]
    let (toX, toY) = Self.place(in: target, site, &dice)
    let length = ((toX - x) * (toX - x) + (toY - y) * (toY - y)).squareRoot()
    let duration = length / Self.speed
    // The only wall between them is across one of the axes.
    let share: Double
    if room / site.columns == target / site.columns {
      let wall = Double(max(room % site.columns, target % site.columns)) * CrowdSite.width
      share = (wall - x) / (toX - x)
    } else {
      let wall = Double(max(room / site.columns, target / site.columns)) * CrowdSite.depth
      share = (wall - y) / (toY - y)
    }
    walk = Walk(
      left: leaves, arrives: leaves + duration, crosses: leaves + share * duration, fromX: x, fromY: y,
      toX: toX, toY: toY, toRoom: target)
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed on every machine.
struct Dice: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// One of many streams that are independent of each other.
  init(seed: UInt64, stream: UInt64) {
    var first = Dice(seed: seed &+ stream &* 0xD134_2543_DE82_EF95)
    state = first.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// 0 ..< 1.
  mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func number(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + share() * (range.upperBound - range.lowerBound)
  }

  /// Exponentially distributed.
  mutating func wait(mean: Double) -> Double { -log(1 - share()) * mean }

  /// Mean 0 and standard deviation 1: the sum of four 16-bit numbers is close enough to a normal distribution.
  mutating func noise() -> Double {
    let bits = next()
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    return (Double(sum) / 65536 - 2) * 1.7320508
  }
}
