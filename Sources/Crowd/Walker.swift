import Beacons

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
      depart(site, stay: stay)
      if walk == nil { return }
    }
  }

  private mutating func depart(_ site: CrowdSite, stay: Double) {
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
