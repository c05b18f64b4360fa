import Configuration
import Contract
import Core
import Fleet
import Logging
import Mosquitto
import Pipeline

/// The topics of the whole site, published by one worker at a time: the occupancy of each zone and room, whether the site is
/// online, and Home Assistant's discovery. It stores nothing: the partitions' messages are retained at the broker.
struct FuseLead {
  /// The first messages of all partitions arrive together after the subscription.
  private static let gathering = TimeSpan.milliseconds(500)

  /// After this time Home Assistant has removed what is no longer configured; an entity logs an error about an empty state.
  private static let settling = TimeSpan.seconds(60)
  private static let looking = TimeSpan.seconds(10)

  private let site: Topics
  private let fleet: FleetSettings
  private let configuration: Configuration
  private let options: Options
  private var occupancy: SiteOccupancy
  private var announcer: Announcer
  private var announces: MonotonicTime?
  private var output: FuseOutput
  /// nil: another worker leads.
  private var leadsSince: MonotonicTime?
  private var restsUntil: MonotonicTime?
  private var tellsFrom: MonotonicTime?
  private let leftovers: Leftovers
  /// When the search for retained places that are no longer configured begins; nil: it is done.
  private var looks: MonotonicTime?
  /// When the search ends.
  private var looksUntil: MonotonicTime?

  init(_ configuration: Configuration, _ fleet: FleetSettings, _ broker: RemoteBroker) {
    self.configuration = configuration
    self.fleet = fleet
    site = configuration.topics
    var options = Options(broker, gateway: configuration.gatewayName)
    options.clientID = "beaconkeeper-\(configuration.gatewayName)-site"
    self.options = options
    output = FuseOutput(options)
    occupancy = Self.occupancy(configuration, fleet)
    announcer = Announcer(configuration)
    leftovers = Leftovers(configuration)
  }

  private static func occupancy(_ configuration: Configuration, _ fleet: FleetSettings) -> SiteOccupancy {
    SiteOccupancy(
      site: configuration.gatewayName, partitions: fleet.partitions, zones: configuration.zones.map(\.name),
      rooms: configuration.rooms.map(\.name))
  }

  var isLeading: Bool { leadsSince != nil }
  var nextDeadline: MonotonicTime? {
    guard let tellsFrom else { return nil }
    return [occupancy.nextDeadline.map { max($0, tellsFrom) }, announces, looks, looksUntil].compactMap(
      \.self
    )
    .min()
  }

  /// The queue of the lead delivered to us: we lead the site.
  mutating func take(at time: MonotonicTime, _ inbox: FuseInbox, _ logger: Logger) {
    guard leadsSince == nil, restsUntil.map({ $0 <= time }) ?? true else { return }
    leadsSince = time
    occupancy = Self.occupancy(configuration, fleet)
    announcer = Announcer(configuration)
    output = FuseOutput(options, after: output)
    do throws(InvalidOptions) {
      try output.connect { generation, event in
        inbox.add(.lead(generation: generation, event))
      } ended: { generation in
        inbox.add(.leadEnded(generation: generation))
      }
    } catch {
      logger.error("\(error)")
      ended(output.generation)
    }
  }

  mutating func take(_ event: Event, _ generation: UInt64, _ logger: Logger) {
    guard generation == output.generation, leadsSince != nil else { return }
    switch event {
    case .connected:
      output.connected()
      tellsFrom = LiveClock.now + Self.gathering
      looks = LiveClock.now + Self.settling
      announcer.connected(at: LiveClock.now)
      announces = announcer.nextTime(after: LiveClock.now)
      output.subscribe(to: [occupancy.filter] + announcer.discovery.filters, logger)
      output.add(Status.online.message(topics: site))
      logger.notice("this worker now publishes the site-wide topics")
    case .message(let message): take(message, at: LiveClock.now)
    case .acknowledged(let id): output.acknowledged(id)
    case .rejected(let message, let reason):
      logger.warning("the broker refuses \(message.topic): \(reason)")
      output.refused(message.id)
    case .refused(let failure): logger.warning("the broker: \(failure)")
    case .subscriptionRefused(let filter, let reason):
      logger.error("the broker refuses the subscription to \(filter): \(reason)")
    case .disconnected, .subscribed: break
    }
  }

  private mutating func take(_ message: ReceivedMessage, at now: MonotonicTime) {
    if announcer.take(message.payload, topic: message.topic, isRetained: message.retain, at: now) {
      announces = announcer.nextTime(after: now)
    } else if !leftovers.isOwn(message.topic) {
      occupancy.take(message.payload, topic: message.topic, at: now)
    } else if message.retain, !message.payload.isEmpty, let removal = leftovers.removal(of: message.topic) {
      output.add(removal)
    }
  }

  /// The connection is gone, perhaps because another worker leads now.
  mutating func ended(_ generation: UInt64) {
    guard generation == output.generation else { return }
    drop()
    restsUntil = LiveClock.now + .seconds(1)
  }

  mutating func tend(at now: MonotonicTime, _ logger: Logger) {
    guard let tellsFrom, tellsFrom <= now, leadsSince != nil, !output.isCrowded else { return }
    for message in occupancy.takeDue(at: now) { output.add(message) }
    let met = occupancy.takeMet()
    for name in met { announcer.note(name, HeardBeacon()) }
    if !met.isEmpty { announces = announcer.nextTime(after: now) }
    if let announces, announces <= now {
      for message in announcer.next(at: now) { output.add(message) }
      // Home Assistant cannot process more.
      self.announces = announcer.nextTime(after: now).map { max($0, now + .milliseconds(250)) }
    }
    look(at: now, logger)
    for notice in output.send() { logger.warning("\(notice)") }
  }

  /// Retained zones, rooms and phones of an earlier configuration are cleared.
  private mutating func look(at now: MonotonicTime, _ logger: Logger) {
    if let looks, looks <= now {
      self.looks = nil
      looksUntil = now + Self.looking
      output.subscribe(to: leftovers.places, logger)
    }
    if let looksUntil, looksUntil <= now {
      self.looksUntil = nil
      for filter in leftovers.places { output.unsubscribe(from: filter) }
    }
  }

  mutating func drop() {
    output.close()
    (leadsSince, tellsFrom, announces, looks, looksUntil) = (nil, nil, nil, nil, nil)
  }
}
