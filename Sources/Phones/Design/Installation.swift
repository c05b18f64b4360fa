/// Beacons in a row, for example at exhibits, pumps or shelves, and how a visitor passes them.
public struct Installation: Hashable, Sendable {
  public var places: Int
  public var spacing: Micrometres
  /// Within this distance of a place a visitor counts as near.
  public var near: Micrometres
  /// How near to the beacon the visitor stops.
  public var stop: Micrometres
  public var stay: Milliseconds
  /// A trigger that comes later than this after the stop is late.
  public var within: Milliseconds

  /// Within this distance a trigger for a place is right: `near`, or half the spacing if that is more.
  var reach: Micrometres { places > 1 ? max(near, spacing / 2) : near }

  /// A timeline can have no more beacons.
  public static let most = 100
  /// The visitor comes from so far away that no phone hears a beacon yet.
  private static let walk: Micrometres = 300_000_000
  /// How long the app has been in the background when the walk begins: an hour, and part of Android's 15 minutes between two
  /// jobs.
  static let pocket: Milliseconds = 4_037_000

  public init(
    places: Int, spacing: Micrometres, near: Micrometres, stop: Micrometres, stay: Milliseconds,
    within: Milliseconds = 10_000
  ) {
    (self.places, self.spacing, self.near) = (min(max(places, 1), Self.most), spacing, near)
    (self.stop, self.stay, self.within) = (stop, stay, within)
  }

  /// One walk past all places, with a stop at each.
  public struct Visit: Hashable, Sendable {
    /// When the visitor stops at each place.
    public var stops: [Milliseconds] = []
    public var waypoints: [Timeline.Waypoint] = []
    public var end: Milliseconds = 0
  }

  /// `speed`: micrometres per second.
  public func visit(speed: Micrometres) -> Visit {
    var visit = Visit()
    var time = Self.pocket
    func note(_ time: Milliseconds, _ x: Micrometres) {
      for place in 0..<places {
        let along = Double(x - Int64(place) * spacing)
        let distance = (along * along + Double(stop) * Double(stop)).squareRoot()
        visit.waypoints.append(.init(time: time, distance: Micrometres(distance.rounded()), beacon: place))
      }
    }
    func walk(_ distance: Micrometres) -> Milliseconds { distance * 1000 / max(1, speed) }
    note(time, -Self.walk)
    time += walk(Self.walk)
    for place in 0..<places {
      if place > 0 { time += walk(spacing) }
      let x = Int64(place) * spacing
      visit.stops.append(time)
      note(time, x)
      time += stay
      note(time, x)
    }
    time += walk(Self.walk)
    note(time, Int64(places - 1) * spacing + Self.walk)
    visit.end = time
    return visit
  }

  /// The app's region of each place: one for all places, or one for each. Beyond twenty places the regions repeat, so that
  /// neighbours still differ.
  public func regions(ofEach: Bool) -> [Int] {
    (0..<places).map { ofEach ? $0 % BeaconRegion.limit : 0 }
  }

  func timeline(_ visit: Visit, regionOfEach: Bool) -> Timeline {
    let beacons = regions(ofEach: regionOfEach).enumerated().map { place, region in
      Timeline.Beacon(name: "place \(place + 1)", regions: [region])
    }
    return Timeline(
      events: [], waypoints: visit.waypoints, beacons: beacons, end: visit.end, start: .background)
  }
}

/// What can be chosen for an installation.
public struct InstallationChoice: Hashable, Sendable {
  /// Transmit power of the beacons in dBm.
  public var power: Int
  /// Their advertising interval.
  public var interval: Milliseconds
  /// Whether the app monitors a region for each place (at most twenty regions), or one for all places.
  public var hasRegionOfEach: Bool
  /// The distance, as the app estimates it, at which the app fires.
  public var near: Micrometres
  /// How long the phone must be that near before the app fires.
  public var dwell: Milliseconds = 0

  public init(power: Int, interval: Milliseconds, hasRegionOfEach: Bool, near: Micrometres) {
    (self.power, self.interval, self.hasRegionOfEach) = (power, interval, hasRegionOfEach)
    self.near = near
  }

  /// The true distance at which a phone whose signal is off by `offset` dB believes itself near.
  func near(offset: Int) -> Micrometres { Micrometres((Double(near) * Self.factor(offset)).rounded()) }

  /// By how many dB a phone hears the beacon louder than the typical phone, because of its antenna and the body that carries it,
  /// and how common such phones are. An estimate (L).
  public static let offsets = [(decibels: -9, weight: 1), (0, 2), (9, 1)]
  /// Free space: 20 dB for ten times the distance.
  static func factor(_ decibels: Int) -> Double { power(10, Double(decibels) / 20) }

  /// How far away a phone still hears the beacons: 50 m at 0 dBm (S0), changed by the power and by the phone's offset.
  public func heard(offset: Int) -> Micrometres {
    Micrometres((50_000_000 * Self.factor(power + offset)).rounded())
  }

  /// How many of ten ranging callbacks contain none of the beacon's packets, if three of ten packets are lost (L).
  public var emptyTicks: Int64 {
    let packets = max(1, 1000 / max(1, interval))
    return Int64((10 * Self.power(0.3, Double(packets))).rounded())
  }

  /// How many days a beacon lasts on a cell of 1000 mAh: its radio takes 2 µA asleep, and 8 to 17 µC for a packet on three
  /// channels. At most ten years, as long as a cell keeps. An estimate (L).
  public var beaconDays: Double {
    let charge = power <= -16 ? 8.0 : power <= -8 ? 9 : power < 0 ? 10 : power < 4 ? 12 : 17
    return min(3650, 1_000_000 / (2 + charge * 1000 / Double(max(1, interval))) / 24)
  }

  /// Not the C library's function, which may differ in the last digit between machines: results must be the same everywhere.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    // e^(x ln b), halved until the series converges quickly.
    let logarithm = base == 10 ? 2.302_585_092_994_046 : -1.203_972_804_325_936
    let x = exponent * logarithm / 64
    var (term, sum) = (1.0, 1.0)
    for n in 1...12 {
      term *= x / Double(n)
      sum += term
    }
    for _ in 0..<6 { sum *= sum }
    return sum
  }
}
