import Beacons
import Configuration
import Contract
import Core
import Pipeline

/// The decisions for one partition of a site's beacons: a function of the messages in its queue, in their order. It reads no
/// clock. So any worker that takes the queue over makes the same decisions, with the same numbers and ids.
///
/// Time in it is wall time: a `MonotonicTime` counts from 1970.
package struct FleetPartition: Sendable {
  /// How much later than the last tick a message may have come. Without a living worker there are no ticks, but the gateways'
  /// clocks continue.
  private static let longestSilence = TimeSpan.seconds(60)
  private static let gap = TimeSpan.seconds(2)
  private static let lookEvery = TimeSpan.seconds(2)

  package private(set) var number: Int
  package let names: FleetNames
  let partitions: Int
  var intake: ScannerIntake
  var pipeline: Pipeline
  var receivers = ReceiverMap()
  var numbers: TransitionNumbers
  /// The time of the latest tick; nil: there was none yet.
  package internal(set) var time: MonotonicTime?
  var looked = MonotonicTime(nanoseconds: .min)
  package internal(set) var counts = Counts()
  private var hearing = Hearing()
  var output = Pipeline.Output()
  let phones: [PhoneSettings]
  /// When a refused report was last logged. It does not affect what is published, so it is not in the state.
  var refusalTold: MonotonicTime?

  package struct Counts: Hashable, Sendable {
    /// Messages of the queue, including ticks.
    package var messages: UInt64 = 0
    package var observations: UInt64 = 0
    package var transitions: UInt64 = 0
    /// Batches from before the first tick.
    package var early: UInt64 = 0
    /// Observations of beacons that belong to another partition: the gateway has another number of partitions.
    package var misplaced: UInt64 = 0
  }

  /// Partition `number` of a site about which nothing is known yet.
  ///
  /// - Parameter epoch: of the transitions' numbers; no earlier epoch may come again.
  package init(_ configuration: Configuration, _ number: Int, of partitions: Int, epoch: UInt64) {
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

  /// Another partition of the same site, also without any state. It copies what the configuration determines, instead of
  /// computing it again.
  ///
  /// - Parameter fresh: a partition that has processed nothing yet.
  package init(_ fresh: FleetPartition, _ number: Int, epoch: UInt64) {
    self = fresh
    self.number = number
    numbers = TransitionNumbers(epoch: epoch)
    followOwnPhones()
  }

  static func intake(_ configuration: Configuration, _ pipeline: Pipeline) -> ScannerIntake {
    ScannerIntake(
      scanners(configuration), ownGateway: configuration.gatewayName, expected: pipeline.receivers.names,
      named: pipeline.configuredReceivers)
  }

  static func scanners(_ configuration: Configuration) -> [Scanner] {
    var configuration = configuration
    if configuration.scanners.isEmpty {
      let interval = configuration.fleet?.interval ?? Scanner.usualInterval
      configuration.scanners = [Scanner(kind: .beaconkeeper, interval: interval)]
    }
    return configuration.resolvedScanners
  }

  package var epoch: UInt64 { numbers.epoch }
  package var beacons: Int { pipeline.beaconCount }
  /// Observations that came too late to count for rooms.
  package var droppedForRooms: UInt64 { pipeline.droppedForRooms ?? 0 }

  /// Processes the next message of the queue.
  ///
  /// - Parameters:
  ///   - key: its routing key.
  ///   - messages: the messages to publish are appended, in order.
  /// - Returns: log messages, each once.
  package mutating func take(key: String, _ payload: [UInt8], into messages: inout [Message]) -> [String] {
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
    if FleetNames.appReports.contains(where: key.hasSuffix) {
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
      // No worker was running for a while.
      if now - time > Self.gap { intake.arrivalsWereWrong(since: time) }
    } else {
      intake.brokerConnected(at: now, wallTime: wallNow, into: &hearing)
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

  /// Decides about the collected sightings, and appends the messages.
  private mutating func process(into messages: inout [Message]) -> [String] {
    for renaming in hearing.renamings { _ = receivers.follow(renaming, in: &pipeline) }
    receivers.learn(intake.table) { pipeline.receiver($0) }
    for change in hearing.changes {
      guard let receiver = receivers[change.receiver] else { continue }
      pipeline.setHealth(receiver, change.health, at: change.time, into: &output)
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
    case .roomPresence(let presence): return [presence.message()]
    case .verdict(let verdict): return [verdict.message(topics: pipeline.topics)]
    }
  }

  /// A place may have beacons of all partitions. Each partition publishes its members below `partition/<p>`, and
  /// `SiteOccupancy` adds them up.
  private func placed(_ message: Message) -> Message {
    guard message.topic.hasSuffix("/occupancy") else { return message }
    var message = message
    message.topic =
      "\(pipeline.topics.base)/partition/\(number)" + message.topic.dropFirst(pipeline.topics.base.utf8.count)
    return message
  }

  /// The retained messages of these beacons, by name, as of now.
  package func states(of names: Set<String>) -> [Message] { pipeline.states(of: names) }

  /// The retained messages of zones and rooms, as of now.
  package var placeStates: [Message] { pipeline.placeStates.map(placed) }

  /// All retained messages, for a broker that may have lost them.
  package func allStates() -> [Message] { pipeline.allStates().map(placed) }
}

/// A phone belongs to the partition of its beacon. Only that partition gets the beacon's signals, and only it publishes the
/// phone's window.
extension FleetPartition {
  private static let refusalInterval = TimeSpan.seconds(10)

  mutating func followOwnPhones() {
    if phones.isEmpty { return }
    pipeline.follow(
      phones.filter { phone in
        ObservationsMessage.partition(of: phone.beaconKey ?? phone.beacon, among: partitions) == number
      })
  }

  /// Processes a report of a phone's app; all partitions get it.
  mutating func report(_ payload: [UInt8], topic: String, at time: MonotonicTime) -> [String] {
    guard
      let refusal = pipeline.receive(
        payload, topic: topic, isRetained: false, at: time,
        wallTime: WallTime(nanoseconds: time.nanoseconds), into: &output)
    else { return [] }
    if let told = refusalTold, time - told < Self.refusalInterval { return [] }
    refusalTold = time
    let refused = pipeline.refusedReports + pipeline.refusedSightings
    return ["rejected a message on \(topic): \(refusal) (\(refused) rejected so far)"]
  }

  /// Reports about phones' apps that were refused.
  package var refusedReports: UInt64 { pipeline.refusedReports }
  package var refusedSightings: UInt64 { pipeline.refusedSightings }
}

extension FleetPartition {
  /// The names that belong to beacons that were heard.
  package func known(among names: Set<String>) -> Set<String> { pipeline.known(among: names) }

  /// Refused batches, including repeated ones. Observations that are too old are refused one by one and counted separately.
  package var refused: UInt64 {
    intake.figures.reduce(0) { sum, figure in
      sum + figure.refused.reduce(0) { $1.key == ScannerRefusal.age.rawValue ? $0 : $0 + $1.value }
    }
  }

  /// See `ScannerIntake`.
  package var refusedObservations: UInt64 { intake.refusedObservations }

  /// Batches that came twice.
  package var repeated: UInt64 {
    intake.figures.reduce(0) { $0 + $1.refused[ScannerRefusal.repeated.rawValue, default: 0] }
  }
}

/// The whole state, exactly: a partition with this state answers every further message in the same way, with the same numbers.
extension FleetPartition: StateFields {
  /// - Parameter octets: the expected size.
  package func state(expecting octets: Int = 0) -> [UInt8] {
    var coder = StateCoder()
    coder.reserve(octets + octets / 16)
    snapshot(into: &coder)
    return coder.finished()
  }

  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(same: "number", UInt32(number))
    try coder(same: "partitions", UInt32(partitions))
    try coder("numbers", &numbers)
    try coder("time", &time)
    try coder("looked", &looked)
    try coder("counts", &counts)
    try coder("pipeline", &pipeline)
    try coder("intake", &intake)
  }

  /// Continues from a checkpoint. If the checkpoint cannot be used, the partition begins anew and enters each beacon when it is
  /// heard.
  ///
  /// - Parameters:
  ///   - epoch: for a partition that begins anew, later than any that was used before.
  ///   - payload: the checkpoint; empty: there is none; nil: a part of it is missing.
  ///   - wallNow: the worker's time. A checkpoint from much later is forged or of a wrong clock.
  /// - Returns: also the hashes of the messages that are in the state, and the reason if it begins anew although there is a
  ///   checkpoint.
  package static func resume(
    _ fresh: FleetPartition, _ number: Int, epoch: UInt64, from payload: [UInt8]?, at wallNow: WallTime
  )
    -> (partition: FleetPartition, seen: [UInt64], refusal: StateError?)
  {
    let anew = FleetPartition(fresh, number, epoch: epoch)
    guard let payload else { return (anew, [], .damaged("a part of it is missing")) }
    if payload.isEmpty { return (anew, [], nil) }
    do throws(StateError) {
      let checkpoint = try Checkpoint(payload)
      let known = try FleetPartition(fresh, number, state: checkpoint.state)
      if let lead = known.lead(at: wallNow) {
        throw .damaged("its time is \(Int(lead.seconds)) s ahead of this machine's")
      }
      return (known, checkpoint.seen, nil)
    } catch {
      return (anew, [], error)
    }
  }

  /// How far its time is ahead of the worker's, if that is more than clocks may differ.
  package func lead(at wallNow: WallTime) -> TimeSpan? {
    guard let time else { return nil }
    let lead = WallTime(nanoseconds: time.nanoseconds) - wallNow
    return lead > WorkersClocks.longestLead ? lead : nil
  }

  /// The partition with a saved state. The configuration and the number of partitions must be the same.
  ///
  /// - Parameter fresh: a partition of the same site that has processed nothing yet, from which it copies what the
  ///   configuration determines.
  package init(_ fresh: FleetPartition, _ number: Int, state: [UInt8]) throws(StateError) {
    var coder = try StateCoder(reading: state)
    self.init(fresh, number, epoch: 0)
    intake = ScannerIntake(intake.scanners, ownGateway: names.site, expected: [])
    try restore(from: &coder)
    try coder.finish()
    receivers.learn(intake.table) { pipeline.receiver($0) }
  }
}

extension FleetPartition.Counts: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "messages", &messages)
    try coder(tally: "observations", &observations)
    try coder(tally: "transitions", &transitions)
    try coder(tally: "early", &early)
    try coder(tally: "misplaced", &misplaced)
  }
}
