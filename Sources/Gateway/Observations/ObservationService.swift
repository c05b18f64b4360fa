import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Outbox
import ServiceLifecycle
import Synchronization

/// Publishes the observations of this gateway's radios for other gateways, at the configured interval.
final class ObservationService: Feature {
  private let decisions: DecisionLoop
  private let options: Options
  /// nil: nothing is kept on disk.
  private let directory: StateDirectory?
  private let logger: Logger
  /// Rings after a reload.
  private let reloads = Alarm()
  private let state = Mutex(State())

  private struct State {
    /// nil while observations do not wait.
    var line: ObservationLine?
    /// Observations that earlier lines lost.
    var lost: UInt64 = 0
  }

  init(_ decisions: DecisionLoop, _ options: Options, _ directory: StateDirectory?, _ logger: Logger) {
    self.decisions = decisions
    self.options = options
    self.directory = directory
    self.logger = logger
  }

  func configure(_ new: Configuration) { reloads.ring() }

  func report(into health: inout HealthMessage) {
    let state = state.withLock { $0 }
    health.waitingObservations = state.line?.figures
    health.lostObservations? += state.lost
  }

  func run() async throws {
    var line: ObservationLine?
    while true {
      // Without settings nothing is published, until a reload turns it on.
      let (batches, settings) = decisions.takeObservations()
      if let limit = settings?.buffer {
        let open = try line ?? open(limit: limit)
        line = open
        open.take(batches, limit: limit)
        await open.tend()
      } else {
        if let ended = line {
          await ended.close()
          line = nil
          state.withLock { state in
            state.line = nil
            state.lost += ended.figures.lost
          }
        }
        if !batches.isEmpty { decisions.delivery.sendNow(batches.map(\.message)) }
      }
      if Task.isCancelled || Task.isShuttingDownGracefully { break }
      let interval = settings.map { Duration.nanoseconds($0.interval.nanoseconds) }
      await cancelWhenGracefulShutdown { await self.reloads.wait(for: interval) }
    }
    await line?.close()
  }

  private func open(limit: Int) throws -> ObservationLine {
    let line = try ObservationLine(
      options, gateway: decisions.delivery.topics.gateway, directory, limit: limit, logger)
    state.withLock { $0.line = line }
    line.start()
    return line
  }
}

/// Publishes observations that wait for the broker, on a connection of its own: transitions must not wait behind thousands of
/// them.
final class ObservationLine: Sendable {
  /// How long the disk may take at the end.
  private static let patience = Duration.seconds(3)

  private struct State {
    var queue: ObservationQueue
    /// The largest file size in octets.
    var limit: Int
    var toldFault: String?
    /// The file is closed, or about to be.
    var isClosed = false
  }

  private let state: Mutex<State>
  private let client: Client
  /// nil: batches wait in memory only.
  private let disk: BlockingThread<ObservationStore>?
  /// Why there is no `disk`.
  private let diskFault: String?
  private let logger: Logger

  init(
    _ options: Options, gateway: String, _ directory: StateDirectory?, limit: Int, _ logger: Logger
  ) throws {
    var options = options
    options.clientID += "-observations"
    options.will = nil
    client = try Client(options)
    self.logger = logger
    var queue = ObservationQueue()
    var disk: BlockingThread<ObservationStore>?
    var fault: String? = "no state directory is configured"
    if let directory {
      do {
        let opened = try ObservationStore.open(gateway: gateway, directory: directory)
        if let notice = opened.notice { logger.warning("\(notice)") }
        queue = ObservationQueue(try opened.store.extent())
        (disk, fault) = (try BlockingThread(owning: opened.store), nil)
      } catch {
        fault = words(error)
        logger.error("observations wait in memory only: \(words(error))")
      }
    }
    (self.disk, diskFault) = (disk, fault)
    state = Mutex(State(queue: queue, limit: limit))
  }

  /// Connects, and processes the connection's events until `close`.
  func start() {
    client.start()
    Task { [weak self, events = client.events, logger] in
      for await event in events {
        guard let self else { return }
        switch event {
        case .connected:
          self.state.withLock { $0.queue.connected() }
          await self.tend()
          self.send()
        case .disconnected: self.state.withLock { $0.queue.disconnected() }
        case .acknowledged(let id):
          self.state.withLock { $0.queue.acknowledged(Int64(clamping: id)) }
          self.send()
          // Fetch the next page, so that sending never waits for it.
          await self.tend()
        case .rejected(let message, let reason):
          // The broker would refuse it again.
          self.state.withLock { $0.queue.refused(Int64(clamping: message.id)) }
          logger.warning("the broker refuses observations on \(message.topic): \(reason)")
          self.send()
        case .refused, .message, .subscribed, .subscriptionRefused: break
        }
      }
    }
  }

  func take(_ batches: [(message: Message, count: Int)], limit: Int) {
    let now = LiveClock.now
    state.withLock { state in
      state.limit = limit
      for (message, count) in batches {
        state.queue.add(topic: message.topic, payload: message.payload, observations: count, at: now)
      }
    }
    send()
  }

  /// Sends as much as the connection accepts.
  private func send() {
    state.withLock { state in
      while let batch = state.queue.next() {
        let held = batch.made.map { LiveClock.now - $0 }
        do throws(PublishError) {
          try client.publish(
            ObservationsMessage.delayed(batch.payload, held: held), to: batch.topic,
            id: UInt64(clamping: batch.number))
        } catch {
          state.queue.takeBack(batch)
          return
        }
      }
    }
  }

  /// Does the work that is due on disk, and returns when it is done.
  private func tend(_ disk: BlockingThread<ObservationStore>) async {
    let finished = Alarm()
    let isBusy = state.withLock { state in
      if state.isClosed { return false }
      let work = state.queue.takeWork(at: LiveClock.now)
      let page = state.queue.wantsPage(at: LiveClock.now)
      guard work != nil || page != nil else { return false }
      let limit = state.limit
      // Under the lock: `close` uses the same thread, and must find this work done.
      disk.perform { store in
        if let work { self.perform(work, store, limit: limit) }
        if let page { self.fetch(after: page, store) }
        finished.ring()
      }
      return true
    }
    if isBusy {
      await finished.wait()
      send()
    }
    tellFault()
  }

  func tend() async { if let disk { await tend(disk) } }

  private func perform(_ work: ObservationQueue.Work, _ store: ObservationStore, limit: Int) {
    do {
      let dropped = try store.perform(work, limit: limit)
      state.withLock { $0.queue.done(work, dropped: dropped) }
    } catch {
      state.withLock { $0.queue.failed(work, words(error)) }
    }
  }

  private func fetch(after number: Int64, _ store: ObservationStore) {
    do {
      let rows = try store.batches(after: number)
      state.withLock { $0.queue.take(page: rows) }
    } catch {
      state.withLock { $0.queue.failed(reading: words(error)) }
    }
  }

  private func tellFault() {
    let news = state.withLock { state -> String?? in
      guard state.queue.fault != state.toldFault else { return nil }
      state.toldFault = state.queue.fault
      return .some(state.queue.fault)
    }
    guard let news else { return }
    if let fault = news {
      logger.warning("observations wait in memory only: \(fault)")
    } else {
      logger.notice("observations are being saved to disk again")
    }
  }

  var figures: HealthMessage.WaitingObservations {
    state.withLock { state in
      HealthMessage.WaitingObservations(
        batches: state.queue.count, lost: state.queue.lost,
        fault: diskFault ?? state.queue.fault)
    }
  }

  /// Waits a little for the broker, and writes the rest to disk.
  func close() async {
    await client.stop()
    guard let disk else { return }
    let finished = Alarm()
    disk.perform { store in
      let (work, limit) = self.state.withLock { state in
        state.isClosed = true
        return (state.queue.takeWork(at: LiveClock.now, isLast: true), state.limit)
      }
      if let work { self.perform(work, store, limit: limit) }
      store.close()
      finished.ring()
    }
    await finished.wait(for: Self.patience)
    tellFault()
  }
}
