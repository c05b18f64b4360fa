import Beacons
import CMalloc
import Configuration
import Core
import Glibc
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Applies another configuration: the file after SIGHUP, or what the page has saved. An invalid file changes nothing and is
/// reported. With another broker it returns, so that the gateway begins anew.
struct ReloadService: Service {
  let reloads: ReloadRequests
  let configuration: Configuration
  let features: [any Feature]
  let notifier: ServiceNotifier?
  let logger: Logger
  /// Why the gateway cannot begin anew; nil: it can.
  var obstacle: @Sendable () -> String? = { nil }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var current = configuration
      var waiting: [String] = []
      await reloads.forEach { saved in
        notifier?.tell(.reloading)
        // A gateway that begins anew reports that it is ready once it has begun.
        defer {
          // For a moment, twice the memory was in use.
          beaconkeeper_release_freed_memory()
          if !reloads.isRestarting { notifier?.tell(.ready) }
        }
        do throws(ConfigurationErrors) {
          let loaded = try await read(saved)
          tell(loaded.warnings)
          var new = loaded.configuration
          var late = differences(new)
          // The gateway keeps its name until it is restarted.
          new.gatewayName = configuration.gatewayName
          // A file may be empty because it is being written. What the page has saved is complete.
          let isEmpty = new.zones.isEmpty && new.beacons.isEmpty
          if saved == nil, isEmpty, !(current.zones.isEmpty && current.beacons.isEmpty) {
            logger.warning(
              "the file has no beacons and no zones, perhaps because it is being written; keeping the old configuration"
            )
            return
          }
          if new.broker != configuration.broker {
            if let obstacle = obstacle(to: loaded, isSaved: saved != nil) {
              late.append("broker (\(obstacle))")
            } else {
              logger.notice("begins anew with another broker")
              if !late.isEmpty { warn(late) }
              // The page gets its answer first.
              if saved != nil { try? await Task.sleep(for: .milliseconds(300)) }
              var next = loaded
              next.configuration = keepingLate(new)
              reloads.restart(with: next)
              return
            }
          }
          for feature in features { feature.prepare(for: new) }
          for feature in features { feature.configure(new) }
          reloads.revision.set(loaded.revision)
          logger.notice("configuration reloaded\(current == new ? "; nothing in it has changed" : "")")
          if late != waiting, !late.isEmpty { warn(late) }
          if late == waiting, !late.isEmpty {
            logger.notice("still waits for a restart of the gateway: \(late.joined(separator: ", "))")
          }
          (current, waiting) = (new, late)
        } catch {
          tell(error.diagnostics)
          logger.error("keeping the old configuration")
        }
      }
    }
  }

  private func warn(_ late: [String]) {
    logger.warning("\(late.joined(separator: ", ")): unchanged until the gateway is restarted")
  }

  /// Why another broker is not used yet; nil: it can be.
  private func obstacle(to loaded: Configuration.Loaded, isSaved: Bool) -> String? {
    // In a configuration that the page has saved, a missing password is only a warning.
    let absences = ["the password file cannot be read", "the environment has no variable"]
    if loaded.warnings.contains(where: { warning in absences.contains { warning.message.hasPrefix($0) } }) {
      return "a password cannot be read"
    }
    // Saving a zone must not try this broker again.
    if isSaved, loaded.configuration.broker == reloads.refusedBroker { return "it has refused the gateway" }
    return obstacle()
  }

  /// The new configuration, with the present values of settings that need a restart of the process.
  private func keepingLate(_ new: Configuration) -> Configuration {
    var kept = new
    kept.stateDirectory = configuration.stateDirectory
    (kept.radio, kept.wake) = (configuration.radio, configuration.wake)
    (kept.http, kept.metrics) = (configuration.http, configuration.metrics)
    return kept
  }

  private func tell(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      logger.log(level: diagnostic.severity == .error ? .error : .warning, "\(diagnostic.unmarked)")
    }
  }

  private func read(_ saved: Configuration.Loaded?) async throws(ConfigurationErrors) -> Configuration.Loaded
  {
    if let saved { return saved }
    return try await Thread.run { [path = reloads.path] in
      Result { () throws(ConfigurationErrors) in try Configuration.load(path: path) }
    }.get()
  }

  /// Changes that need a restart.
  private func differences(_ new: Configuration) -> [String] {
    [
      ("the gateway's name", new.gatewayName != configuration.gatewayName),
      ("state_directory", new.stateDirectory != configuration.stateDirectory),
      ("radio", new.radio != configuration.radio),
      ("receivers: adapter", adapters(new) != adapters(configuration)),
      ("telemetry: health", new.telemetry.health != configuration.telemetry.health),
      ("http", new.http != configuration.http),
      ("metrics", new.metrics != configuration.metrics), ("wake", new.wake != configuration.wake),
    ].filter(\.1).map(\.0)
  }

  /// The receivers that are identified by their adapter's address.
  private func adapters(_ configuration: Configuration) -> [DeviceAddress: String] {
    let pairs = configuration.receivers.compactMap { receiver in receiver.adapter.map { ($0, receiver.name) }
    }
    return Dictionary(pairs) { $1 }
  }
}

/// Requests to reload the configuration: by SIGHUP, or from the page, which has changed the file. None is lost from here on,
/// even while the gateway is still starting.
package struct ReloadRequests: Sendable {
  /// Changes the file that is read again. Its steps back outlive a change of the broker.
  let writer: ConfigurationWriter
  private let state = State()
  package let revision = RunningRevision()
  /// The inode of the file before it was first read.
  private let inode: ino_t

  private final class State: Sendable {
    struct Values {
      /// The content that the page has written; nil inside: read the file. Only the latest matters.
      var request: Configuration.Loaded??
      /// The configuration with which the gateway begins anew.
      var next: Configuration.Loaded?
      var hasBegunAnew = false
      var refusedBroker: BrokerSettings?
    }

    let values = Mutex(Values())
    let alarm = Alarm()
  }

  /// Called before the configuration is first read: earlier requests need no reload.
  package init(of path: String) async {
    writer = ConfigurationWriter(path: path)
    inode = Self.inode(path)
    let signals = await UnixSignalsSequence(trapping: .sighup)
    Task { [self] in
      for await _ in signals { ask(nil) }
    }
  }

  var path: String { writer.path }

  private static func inode(_ path: String) -> ino_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : 0
  }

  /// Requests a reload if the file was replaced since the beginning, for example by a restore that did not see this gateway yet.
  func askIfReplaced() {
    if !state.values.withLock(\.hasBegunAnew), Self.inode(path) != inode { ask(nil) }
  }

  /// Requests a reload; nil: read the file again.
  func ask(_ loaded: Configuration.Loaded?) {
    state.values.withLock { $0.request = .some(loaded) }
    state.alarm.ring()
  }

  /// Calls `body` for each request, one after another, until the task is cancelled or the gateway is to begin anew.
  func forEach(_ body: (Configuration.Loaded?) async -> Void) async {
    while !Task.isCancelled, !isRestarting {
      if let request = state.values.withLock({ $0.request.take() }) {
        await body(request)
      } else {
        await state.alarm.wait()
      }
    }
  }

  // MARK: Another broker

  /// Ends this run. The next one has this configuration.
  func restart(with next: Configuration.Loaded) { state.values.withLock { $0.next = next } }

  var next: Configuration? { state.values.withLock(\.next?.configuration) }
  var isRestarting: Bool { next != nil }

  func takeNext() -> Configuration.Loaded? {
    state.values.withLock { values in
      values.hasBegunAnew = true
      return values.next.take()
    }
  }

  /// The broker that the file names and that does not let the gateway in. SIGHUP tries it again.
  var refusedBroker: BrokerSettings? {
    get { state.values.withLock(\.refusedBroker) }
    nonmutating set { state.values.withLock { $0.refusedBroker = newValue } }
  }

  /// Keeps SIGHUP from ending the program until it is handled. Call this first of all.
  package static func ignore() { _ = before }

  /// There is no file to reload: a closing terminal ends the program, unless its parent ignored SIGHUP.
  package static func end() { _ = signal(SIGHUP, before) }

  private static let before = signal(SIGHUP, SIG_IGN)
}

/// The revision of the configuration file that is in use. It is set after a configuration is in use, and clients read it before
/// they read the configuration. So a client that saves over a revision has seen that one or a newer one, never an older one.
package final class RunningRevision: Sendable {
  private let value = Mutex<String?>(nil)

  /// nil: there is no file.
  package var current: String? { value.withLock { $0 } }

  package func set(_ revision: String?) { value.withLock { $0 = revision } }
}
