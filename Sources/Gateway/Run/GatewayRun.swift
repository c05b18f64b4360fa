import Beacons
import CMalloc
import Configuration
import Contract
import Core
import FoundationEssentials
import Logging
import Mosquitto
import Outbox
import Pipeline
import Radio
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The running gateway: a source of advertisements, the pipeline that decides, and the broker.
package struct GatewayRun: Sendable {
  /// Where advertisements come from.
  package enum Input: Sendable {
    case radio(LiveRadio.Options)
    /// A capture that is played in real time, again and again.
    ///
    /// - Parameter sandbox: a demonstration's folder, where it keeps its state; nil: it is no demonstration.
    case walk(path: String, sandbox: String?)
    /// Advertisements in one of the capture formats, as they arrive.
    case standardInput
  }

  /// Callbacks for people's messages.
  package struct Listener: Sendable {
    /// The broker is connected; with the `mosquitto_sub` line to watch it.
    package var onReady: @Sendable (String) -> Void = { _ in }
    /// A transition was given to the MQTT client.
    package var onTransition: @Sendable (TransitionMessage) -> Void = { _ in }
    /// A verdict was given to the MQTT client.
    package var onVerdict: @Sendable (VerdictMessage) -> Void = { _ in }
    /// The dashboard is served; with its address.
    package var onDashboard: @Sendable (String) -> Void = { _ in }

    package init() {}
  }

  private var configuration: Configuration
  private let reloads: ReloadRequests?
  private let input: Input
  private let listener: Listener
  private let logger: Logger
  private let notifier: ServiceNotifier?
  private let alive: AliveFile?
  private let recorder: Recorder?

  /// - Parameters:
  ///   - reloads: nil: there is no file to read again.
  ///   - notifier: reports the gateway's state to the service manager.
  ///   - alive: the file in which the gateway records that it is alive.
  ///   - recorder: records what radios and scanners hear.
  package init(
    _ configuration: Configuration, reloads: ReloadRequests?, input: Input, listener: Listener,
    logger: Logger, notifier: ServiceNotifier? = nil, alive: AliveFile? = nil, recorder: Recorder? = nil
  ) {
    self.configuration = configuration
    self.reloads = reloads
    self.input = input
    self.listener = listener
    self.logger = logger
    self.notifier = notifier
    self.alive = alive
    self.recorder = recorder
  }

  /// Works until SIGINT or SIGTERM. With another broker it begins anew, as after a restart; if that one refuses the gateway, it
  /// goes back to the former one.
  ///
  /// Throws errors that prevent working: `EmbeddedBrokerError`, `InvalidOptions`, `ConnectionFailure` for a permanent refusal,
  /// `RadioError`, `CaptureError`, `OutboxInUse`, `NewerOutbox`, `UnfinishedRestore`; or `TransitionsLost` at the end.
  package func run() async throws {
    let end = await EndRequest()
    var run = self
    var former: BrokerSettings?
    while true {
      do {
        try await run.runOnce(until: end)
      } catch  where former != nil && Self.isOfBroker(error) {
        logger.error("\(error); goes back to the former broker. A reload tries the other one again")
        reloads?.refusedBroker = run.configuration.broker
        if let broker = former.take() { run.configuration.broker = broker }
        continue
      }
      guard !end.isAsked, let next = reloads?.takeNext() else { return }
      former = run.configuration.broker
      run.configuration = next.configuration
      reloads?.refusedBroker = nil
      reloads?.revision.set(next.revision)
    }
  }

  private static func isOfBroker(_ error: any Error) -> Bool {
    error is BrokerRefusal || error is InvalidOptions || error is EmbeddedBrokerError
  }

  private func runOnce(until end: EndRequest) async throws {
    switch configuration.broker {
    case .remote(let broker):
      let options = Options(broker, gateway: configuration.gatewayName)
      try await run(options, watch: watchLine(broker), until: end)
    case .embedded:
      guard let broker = try await startBroker(until: end) else { return }
      let options = Options(broker, gateway: configuration.gatewayName)
      do {
        // The folder contains the port and the password. Users who may not read it must not see them in a list of processes
        // either.
        let watch = "XDG_CONFIG_HOME=\(shellWord(broker.watchFolder)) mosquitto_sub -v -t 'beaconkeeper/#'"
        try await run(options, watch: watch, beside: EmbeddedBrokerService(broker: broker), until: end)
      } catch {
        await broker.stop()
        throw error
      }
      await broker.stop()
    }
  }

  /// nil: the end was asked for meanwhile.
  private func startBroker(until end: EndRequest) async throws -> EmbeddedBroker? {
    let start = Task { [logger] in try await EmbeddedBroker.start(log: logger) }
    let watch = Task {
      try await end.run()
      start.cancel()
    }
    defer { watch.cancel() }
    do { return try await start.value } catch {
      if end.isAsked { return nil }
      throw error
    }
  }

  /// - Parameter companion: a service that must live as long as the gateway.
  private func run(
    _ options: Options, watch: String, beside companion: EmbeddedBrokerService? = nil,
    until end: EndRequest
  ) async throws {
    let client = try Client(options)
    do { try await run(client, options, watch: watch, beside: companion, until: end) } catch {
      await client.stop()
      throw error
    }
  }

  private func run(
    _ client: Client, _ options: Options, watch: String, beside companion: EmbeddedBrokerService?,
    until end: EndRequest
  ) async throws {
    let instance = InstanceMessage.beginning(at: LiveClock.wallNow)
    let outbox = try openOutbox(instance)
    reloads?.askIfReplaced()
    for notice in outbox.notices { logger.warning("\(notice)") }
    if outbox.isVolatile, sandbox == nil {
      logger.warning(
        "the state directory is in memory (tmpfs): transitions that wait for the broker, and who is where, are lost when the machine restarts"
      )
    }
    // It connects while maps are made: those of 200 rooms take a second. Nobody else has this gateway's outbox, so nobody else's
    // connection ends because of it.
    client.start()
    let former = outbox.former
    var output = Pipeline.Output()
    let pipeline = pipeline(outbox, into: &output)
    if let configurationFile {
      DiaryStore.adopt(
        from: former.filter { $0.configuration == configurationFile }, as: configuration.gatewayName,
        in: stateDirectory)
    }
    let diary = try Diary(
      configuration, stateDirectory, present: pipeline.occupancies, told: output.transitions, logger)
    let delivery = try Delivery(
      client, pipeline.topics, user: options.credentials?.username,
      saysWhatItRefuses: options.protocolVersion == .v5, outbox,
      remembered: RememberedTopics(path: stateDirectory.topics(gateway: configuration.gatewayName)),
      diary: diary, listener: listener, logger: logger)
    let decisions = DecisionLoop(
      pipeline, output, delivery: delivery, recorder: recorder, logger: logger)
    let homeAssistant = HomeAssistantLink(configuration, decisions, logger)
    let leftovers = LeftoverService(configuration, decisions, homeAssistant)
    let broker = "\(options.host):\(options.port)"
    // The diary comes first, so that it stops last: it records what the others do at their end.
    var features: [any Feature] = [
      diary, delivery, decisions, Rivals(delivery, instance, broker: broker), homeAssistant,
      FormerNameService(former, configuration, configurationFile, delivery, leftovers, logger),
      MendingService(configuration, decisions, logger) { leftovers.lookAgain() },
      // `leftovers` waits until Home Assistant has removed the entities of the topics that it clears.
      leftovers,
      ScannerLink(configuration, decisions, logger),
      ObservationService(decisions, options, stateDirectory, logger),
      HealthService(decisions: decisions, interval: configuration.telemetry.health), FreedMemoryService(),
    ]
    if options.protocolVersion == .v311 {
      features.append(AccessService(options, delivery))
    }
    if let http = configuration.http {
      let editor = (reloads?.writer).map { [reloads] writer in
        ConfigurationEditor(writer, environment: ProcessInfo.processInfo.environment) { reloads?.ask($0) }
      }
      let stage = LiveStage(
        decisions, isDemonstration: sandbox != nil, broker: companion == nil ? broker : "embedded",
        editor: editor, revision: reloads?.revision ?? RunningRevision())
      features.append(
        DashboardService(
          settings: http, stage: stage, logins: stateDirectory.logins(gateway: configuration.gatewayName),
          onReady: listener.onDashboard, logger: logger))
    }
    if let metrics = configuration.metrics {
      features.append(
        MetricsService(settings: metrics, logger: logger) { [decisions] in decisions.metrics() })
    }
    if let source = try source(for: decisions) { features.append(source) }
    if notifier != nil || alive != nil {
      features.append(
        WatchdogService(notifier: notifier, file: alive, heartbeat: decisions.heartbeat) { [reloads] in
          reloads?.isRestarting == true
        })
    }
    let link = BrokerLink(
      features, delivery, logger, onReady: listener.onReady, watch: watch, broker: broker,
      clientID: options.clientID, farewell: farewell)
    // They stop in reverse order: the radio first, the connection to the broker last.
    decisions.reporters.withLock { [features] in $0 = features + [link] }
    var services: [any Service] = [link] + features + [end]
    if let companion { services.insert(companion, at: 0) }
    if let reloads {
      services.append(
        ReloadService(
          reloads: reloads, configuration: configuration, features: features + [link], notifier: notifier,
          logger: logger
        ) { [input] in
          // Its reader cannot be ended.
          if case .standardInput = input { return "advertisements come from standard input" }
          return delivery.isKept ? delivery.diskFault : "nothing is kept on disk"
        })
    }
    do { try await NamedService.run(services, signals: [], logger) } catch {
      // After an orderly disconnect the broker publishes no last will, so we say `offline` here. If another
      // gateway has the name, that one is online.
      if !(error is GatewayNameInUse) { delivery.sayOffline() }
      _ = decisions.close()
      throw error
    }
    let lost = decisions.close()
    if lost > 0 { throw TransitionsLost(count: lost) }
  }

  /// The source of advertisements; nil: only scanners.
  private func source(for decisions: DecisionLoop) throws -> (any Feature)? {
    switch input {
    case .radio where configuration.radio.duty == .off: return nil
    case .radio(let radio): return try RadioService(radio, decisions, configuration, logger)
    case .walk(let path, _):
      if configuration.wake != nil {
        logger.warning("wake regions are not broadcast while a recording plays")
      }
      return WalkService(path: path, decisions: decisions, logger: logger)
    case .standardInput: return StandardInputService(decisions: decisions, logger: logger)
    }
  }

  /// nil: this is no demonstration.
  private var sandbox: String? {
    if case .walk(_, let sandbox) = input { sandbox } else { nil }
  }

  private var stateDirectory: StateDirectory {
    StateDirectory(configured: sandbox.map { $0 + "/state" } ?? configuration.stateDirectory)
  }

  /// As an absolute path, without links; nil: there is no file.
  private var configurationFile: String? {
    reloads.map { URL(fileURLWithPath: $0.path).standardizedFileURL.path }
  }

  private func openOutbox(_ instance: InstanceMessage) throws -> OpenOutbox {
    try OpenOutbox(
      gateway: configuration.gatewayName, directory: stateDirectory, configuration: configurationFile,
      instance: instance.instance, wallTime: LiveClock.wallNow)
  }

  /// A pipeline that continues from the outbox's state.
  private func pipeline(_ outbox: OpenOutbox, into output: inout Pipeline.Output) -> Pipeline {
    let (now, wallNow) = (LiveClock.now, LiveClock.wallNow)
    var pipeline = Pipeline(configuration)
    if configuration.http != nil { pipeline.keepHistory() }
    guard let remains = outbox.remains else { return pipeline }
    let unread = pipeline.restore(
      remains.beacons, isSameBoot: remains.isSameBoot, at: now, wallTime: wallNow, into: &output)
    if unread > 0 { logger.warning("what is saved of \(unread) beacons cannot be read; they begin anew") }
    pipeline.restore(counters: remains.counters)
    pipeline.restore(gains: remains.gains)
    pipeline.restore(
      records: remains.records, isSameBoot: remains.isSameBoot, at: now, wallTime: wallNow, into: &output)
    return pipeline
  }

  /// How to clear what stays at this broker when the gateway goes to another one; nil: it stays, or the broker goes, too.
  private var farewell: BrokerLink.Farewell? {
    guard case .remote(let broker) = configuration.broker, let reloads else { return nil }
    let discovery = AnnouncementPlan(configuration).discovery
    let remedy =
      "\(broker.subscriber) -t \(shellWord(configuration.topics.base + "/#")) -t \(shellWord(discovery.filter)) --retained-only --remove-retained -W 3"
    return BrokerLink.Farewell(isFirst: discovery.isOwn, remedy: remedy) {
      switch reloads.next?.broker {
      case nil: false
      case .remote(let next)?: !next.isAtSamePlace(as: broker)
      case .embedded?: true
      }
    }
  }

  private func watchLine(_ broker: RemoteBroker) -> String {
    "\(broker.subscriber) -v -t \(shellWord(broker.baseTopic + "/#"))"
      + (broker.subscriberNeeds.map { "  # \($0)" } ?? "")
  }
}

/// A service with the name for the group's log. Without it the group would print each service with all its members, which takes
/// longer than the whole rest of the start.
///
/// A service that ends by itself ends the gateway, but in the usual order: the group would treat it as a failure if a service
/// ended while another is being shut down.
struct NamedService: Service, CustomStringConvertible {
  private let service: any Service
  private let ending: Ending
  let description: String

  private init(_ service: any Service, _ ending: Ending) {
    self.service = service
    self.ending = ending
    description = _typeName(type(of: service), qualified: false)
  }

  func run() async throws {
    try await service.run()
    await ending.request()
    try await gracefulShutdown()
  }

  /// Runs services until a signal, or until one of them ends. They stop in reverse order.
  static func run(
    _ services: [any Service], signals: [UnixSignal] = EndRequest.signals, _ logger: Logger
  ) async throws {
    var quiet = logger
    quiet.logLevel = .error
    let ending = Ending()
    let group = ServiceGroup(
      configuration: .init(
        services: services.map {
          .init(service: NamedService($0, ending), successTerminationBehavior: .gracefullyShutdownGroup)
        }, gracefulShutdownSignals: signals, logger: quiet))
    ending.group.withLock { $0 = group }
    try await group.run()
  }

  /// Ends the group, once there is one.
  private final class Ending: Sendable {
    let group = Mutex<ServiceGroup?>(nil)

    func request() async { await group.withLock { $0 }?.triggerGracefulShutdown() }
  }
}

/// SIGINT and SIGTERM, also between a run and the next one. As a service of each run it ends that.
struct EndRequest: Service {
  static let signals: [UnixSignal] = [.sigint, .sigterm]

  private final class State: Sendable {
    let isAsked = Atomic(false)
    let alarm = Alarm()
  }

  private let state = State()

  init() async {
    let signals = await UnixSignalsSequence(trapping: Self.signals)
    Task { [state] in
      for await _ in signals {
        state.isAsked.store(true, ordering: .relaxed)
        state.alarm.ring()
      }
    }
  }

  var isAsked: Bool { state.isAsked.load(ordering: .relaxed) }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !isAsked, !Task.isCancelled { await state.alarm.wait() }
    }
  }
}

/// Returns freed memory to the kernel, two seconds after the start and then every minute. Otherwise the allocator would keep
/// the memory of the start, of beacons that have left, and of tables that grew.
struct FreedMemoryService: Feature {
  func run() async throws {
    await cancelWhenGracefulShutdown { await giveBackFreedMemory() }
  }
}

/// Continues until its task is cancelled.
package func giveBackFreedMemory() async {
  var pause = Duration.seconds(2)
  while (try? await Task.sleep(for: pause)) != nil {
    beaconkeeper_release_freed_memory()
    pause = .seconds(60)
  }
}
