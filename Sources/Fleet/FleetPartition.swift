import Beacons
import Messages
import Pipeline
import Scanners
import Settings

/// The decisions about one partition of a site's beacons: a function of the messages in its queue, in their order. It asks no
/// clock. So whoever takes the queue over decides the same, with the same numbers and ids.
///
/// Time in it is wall time: a `MonotonicTime` counts from 1970.
public struct FleetPartition: Sendable {
  /// How much later than the last tick a message may have come. While no worker lives there are no ticks, but the gateways' own
  /// clocks go on.
  private static let longestSilence = TimeSpan.seconds(60)
  private static let gap = TimeSpan.seconds(2)
  private static let lookEvery = TimeSpan.seconds(2)

  public private(set) var number: Int
  public let names: FleetNames
  let partitions: Int
  var intake: ScannerIntake
  var pipeline: Pipeline
  var receivers = ReceiverMap()
  var numbers: TransitionNumbers
  /// The time of the latest tick; nil: there was none yet.
  public internal(set) var time: MonotonicTime?
  var looked = MonotonicTime(nanoseconds: .min)
  public internal(set) var counts = Counts()
  private var hearing = Hearing()
  var output = Pipeline.Output()
  /// All of the site.
  let phones: [PhoneSettings]
  /// When a refused report was last told. It changes nothing that is published, and is no part of the state.
  var refusalTold: MonotonicTime?

  public struct Counts: Hashable, Sendable {
    /// Messages of the queue, ticks too.
    public var messages: UInt64 = 0
    public var observations: UInt64 = 0
    public var transitions: UInt64 = 0
    /// Batches from before the first tick.
    public var early: UInt64 = 0
    /// Observations of beacons that belong to another partition: the gateway has another number of partitions.
    public var misplaced: UInt64 = 0
  }

  /// Partition `number` of a site about which nothing is known yet.
  ///
  /// - Parameter epoch: of the transitions' numbers; no earlier epoch may come again.
  public init(_ configuration: Configuration, _ number: Int, of partitions: Int, epoch: UInt64) {
    self.number = number
    self.partitions = partitions
    names = FleetNames(site: configuration.gatewayName)
    // A large site has many tags, each heard by many gateways.
    pipeline = Pipeline(configuration, isLean: true)
    intake = Self.intake(configuration, pipeline)
    numbers = TransitionNumbers(epoch: epoch)
    phones = configuration.phones
    followOwnPhones()
  }

  /// Another partition of a site about which nothing is known yet. What follows from the configuration is not computed again.
  ///
  /// - Parameter fresh: a partition that has taken nothing in yet.
  public init(_ fresh: FleetPartition, _ number: Int, epoch: UInt64) {
    self = fresh
    self.number = number
    numbers = TransitionNumbers(epoch: epoch)
    followOwnPhones()
  }

  static func intake(_ configuration: Configuration, _ pipeline: Pipeline) -> ScannerIntake {
    ScannerIntake(
      scanners(configuration), ownGateway: configuration.gatewayName, expected: pipeline.receivers.names)
  }

  static func scanners(_ configuration: Configuration) -> [Scanner] {
    var configuration = configuration
    if configuration.scanners.isEmpty {
      let interval = configuration.fleet?.interval ?? Scanner.usualInterval
      configuration.scanners = [Scanner(kind: .beaconkeeper, interval: interval)]
    }
    return configuration.resolvedScanners
  }

  public var epoch: UInt64 { numbers.epoch }
  public var beacons: Int { pipeline.beaconCount }
  /// Observations that came too late to count for rooms.
  public var droppedForRooms: UInt64 { pipeline.droppedForRooms ?? 0 }

  /// Takes the next message of the queue in.
  ///
  /// - Parameters:
  ///   - key: with which it was published.
  ///   - messages: what is to be published is appended, in order.
  /// - Returns: notices for people, each once.
  public mutating func take(key: String, _ payload: [UInt8], into messages: inout [Message]) -> [String] {
    counts.messages += 1
    if key == names.tick {
      if let tick = Tick(payload) { advance(to: tick.time, into: &messages) }
      return []
    }
    guard let time else {
      counts.early += 1
      return []
    }
    let topic = FleetNames.topic(ofKey: key)
    if key.hasSuffix(FleetNames.appReport) {
      let notices = report(payload, topic: topic, at: time)
      return notices + process(into: &messages)
    }
    _ = intake.take(
      payload, topic: topic, isRetained: false, at: time,
      wallTime: WallTime(nanoseconds: time.nanoseconds), slack: Self.longestSilence, into: &hearing)
    return process(into: &messages)
  }

  private mutating func advance(to tick: WallTime, into messages: inout [Message]) {
    let now = MonotonicTime(nanoseconds: tick.nanoseconds)
    let wallNow = WallTime(nanoseconds: tick.nanoseconds)
    if let time {
      // Workers' clocks differ a little.
      guard now > time else { return }
      // There was no worker for a while.
      if now - time > Self.gap { intake.arrivalsWereWrong(since: time) }
    } else {
      intake.brokerConnected(at: now)
      pipeline.begin(at: now, wallTime: wallNow, into: &output)
    }
    time = now
    pipeline.advance(to: now, into: &output)
    if now - looked >= Self.lookEvery || looked.nanoseconds == .min {
      looked = now
      intake.look(at: now, wallTime: wallNow, into: &hearing)
    }
    _ = process(into: &messages)
  }

  /// What was heard becomes decisions, and these messages.
  private mutating func process(into messages: inout [Message]) -> [String] {
    receivers.learn(intake.table) { pipeline.receiver($0) }
    for change in hearing.changes {
      guard let receiver = receivers[change.receiver] else { continue }
      pipeline.setBlind(receiver, change.health.isBlind, at: change.time, into: &output)
    }
    if partitions > 1 {
      let count = hearing.observations.count
      hearing.observations.removeAll {
        ObservationsMessage.partition(of: $0.key, among: partitions) != number
      }
      counts.misplaced += UInt64(count - hearing.observations.count)
    }
    counts.observations += UInt64(hearing.observations.count)
    if !hearing.observations.isEmpty {
      pipeline.observe(remote: hearing.batch, hearing.observations, from: receivers, into: &output)
    }
    let notices = hearing.notices + pipeline.takeNotices()
    hearing.removeAll()
    numbers.number(&output)
    for item in output.items { messages.append(contentsOf: message(of: item)) }
    output.removeAll()
    return notices
  }

  private mutating func message(of item: Pipeline.Output.Item) -> [Message] {
    switch item {
    case .transition(let transition):
      counts.transitions += 1
      var message = transition.message(topics: pipeline.topics)
      message.payload.removeLast()
      message.payload += ",\"partition\":\(number)}".utf8
      return [message]
    case .state(let state): return [placed(state.message(topics: pipeline.topics))]
    case .room(let room): return [room.message()]
    case .verdict(let verdict): return [verdict.message(topics: pipeline.topics)]
    }
  }

  /// A place has beacons of all partitions. What one of them knows is published below `partition/<p>`, for `SiteOccupancy`.
  private func placed(_ message: Message) -> Message {
    guard message.topic.hasSuffix("/occupancy") else { return message }
    var message = message
    message.topic =
      "\(pipeline.topics.base)/partition/\(number)" + message.topic.dropFirst(pipeline.topics.base.utf8.count)
    return message
  }

  /// What is retained of these beacons, by name, as it is now.
  public func states(of names: Set<String>) -> [Message] { pipeline.states(of: names) }

  /// What is retained of zones and rooms, as it is now.
  public var placeStates: [Message] { pipeline.placeStates.map(placed) }

  /// All retained states as they are, for a broker that may have lost them.
  public func allStates() -> [Message] { pipeline.allStates().map(placed) }
}
