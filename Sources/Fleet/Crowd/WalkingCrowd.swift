import Core

/// A crowd of tags that walks through a site, and what the site's gateways hear and publish of it: a function of the settings and
/// of time. It knows where every tag really is.
///
/// ```swift
/// var crowd = WalkingCrowd(CrowdSettings())
/// crowd.advance(to: .zero + .seconds(10))
/// for batch in crowd.takeBatches() { … }
/// for move in crowd.takeMoves() { … }
/// ```
package struct WalkingCrowd: Sendable {
  /// The resolution of time.
  package static let step = TimeSpan.milliseconds(100)

  package let settings: CrowdSettings
  package let site: CrowdSite
  private var gateways: [CrowdGateway]
  private var walkers: [Walker]
  private let keys: [String]
  private var steps = 0
  /// How many steps are between two advertisements of a tag, and between two publications of a gateway.
  private let period: Int
  private let pause: Int
  private var batches: [CrowdBatch] = []
  private var moves: [CrowdMove] = []
  /// How many observations there were so far.
  package private(set) var observations: UInt64 = 0

  package init(_ settings: CrowdSettings) {
    self.settings = settings
    let site = CrowdSite(settings)
    self.site = site
    gateways = site.gateways.enumerated().map { CrowdGateway($1.name, number: $0, settings) }
    walkers = (0..<settings.tags).map {
      Walker(seed: settings.seed, number: $0, site, stay: settings.stay.seconds)
    }
    keys = (0..<settings.tags).map(Self.key)
    period = max(1, Int((settings.advertising.seconds / Self.step.seconds).rounded()))
    pause = max(1, Int((settings.interval.seconds / Self.step.seconds).rounded()))
    moves = walkers.indices.map { CrowdMove(tag: $0, room: walkers[$0].room, time: .zero) }
  }

  /// Topics of the gateways, in their order.
  package var gatewayNames: [String] { site.gateways.map(\.name) }

  package mutating func advance(to time: MonotonicTime) {
    while MonotonicTime.zero + Self.step * Double(steps + 1) <= time { advance() }
  }

  private mutating func advance() {
    let start = Double(steps) * Self.step.seconds
    let stay = settings.stay.seconds
    for tag in stride(from: steps % period, to: walkers.count, by: period) {
      // Advertisements have random delays, as Bluetooth requires.
      let time = start + walkers[tag].dice.share() * Self.step.seconds
      walkers[tag].move(to: time, site, stay: stay) { room, moment in
        moves.append(CrowdMove(tag: tag, room: room, time: .zero + .seconds(moment)))
      }
      let room = walkers[tag].room
      for gateway in site.audience[room] {
        let level =
          site.level(x: walkers[tag].x, y: walkers[tag].y, in: room, to: gateway)
          + walkers[tag].dice.noise() * settings.noise
        guard level >= CrowdSite.weakest else { continue }
        gateways[gateway].hear(tag, level, at: time)
        observations += 1
      }
    }
    steps += 1
    let end = Double(steps) * Self.step.seconds
    // Gateways do not publish all at the same moment.
    for gateway in stride(from: steps % pause, to: gateways.count, by: pause) {
      gateways[gateway].publish(
        at: end, number: gateway, key: { keys[$0] }, duplicates: settings.duplicates, into: &batches)
    }
  }

  /// The batches published since the last call.
  package mutating func takeBatches() -> [CrowdBatch] {
    defer { batches.removeAll(keepingCapacity: true) }
    return batches
  }

  /// The tags that entered a room since the last call; at first, the room of every tag. A move is known once its tag advertises
  /// again.
  package mutating func takeMoves() -> [CrowdMove] {
    defer { moves.removeAll(keepingCapacity: true) }
    return moves
  }
}

/// The crowd and the site.
package struct CrowdSettings: Hashable, Sendable {
  /// The same seed gives the same walk.
  package var seed: UInt64 = 1
  package var gateways = 8
  package var tags = 100
  /// At most one a gateway.
  package var rooms = 8
  /// Over how many topics each gateway spreads the beacons.
  package var partitions = 16
  /// How often a tag advertises.
  package var advertising = TimeSpan.seconds(2)
  /// How many gateways are considered near a tag. Those that are too far for its signal do not receive it.
  package var audience = 4
  /// How long a gateway collects observations before it publishes them.
  package var interval = TimeSpan.seconds(1)
  /// How long a tag stays in a room on average before it walks to one next to it.
  package var stay = TimeSpan.seconds(60)
  /// The share of batches that are published twice, 0 to 1.
  package var duplicates = 0.0
  /// The share of time for which a gateway is cut off, 0 to 1. Its observations of that time come late.
  package var late = 0.0
  /// The loss of a wall, dB.
  package var wall = 6.0
  /// Standard deviation of a signal, dB.
  package var noise = 4.0
  /// How many parts in a million a gateway's clock may be fast or slow.
  package var skew = 50.0

  package init() {}

  /// Sets how often a tag advertises, for this many observations a second in total.
  package mutating func setRate(_ observations: Double) {
    advertising = .seconds(Double(tags * min(audience, gateways)) / observations)
  }
}
