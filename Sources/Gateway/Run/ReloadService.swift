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
/// reported.
struct ReloadService: Service {
  let reloads: ReloadRequests
  let configuration: Configuration
  let features: [any Feature]
  let notifier: ServiceNotifier?
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var current = configuration
      await reloads.forEach { saved in
        notifier?.tell(.reloading)
        defer { notifier?.tell(.ready) }
        do throws(ConfigurationErrors) {
          try await load(saved, &current)
        } catch {
          tell(error.diagnostics)
          logger.error("keeping the old configuration")
        }
        // Twice as much memory as before was in use for a moment.
        beaconkeeper_release_freed_memory()
      }
    }
  }

  private func load(
    _ saved: Configuration.Loaded?, _ current: inout Configuration
  ) async throws(ConfigurationErrors) {
    let loaded = try await read(saved)
    tell(loaded.warnings)
    var new = loaded.configuration
    let late = differences(new)
    // The gateway keeps its name until it is restarted.
    new.gatewayName = configuration.gatewayName
    // What the page has saved is whole.
    let isEmpty = new.zones.isEmpty && new.beacons.isEmpty
    if saved == nil, isEmpty, !(current.zones.isEmpty && current.beacons.isEmpty) {
      logger.warning(
        "the file has no beacons and no zones, perhaps because it is being written; keeping the old configuration"
      )
      return
    }
    for feature in features { feature.configure(new) }
    reloads.revision.set(loaded.revision)
    logger.notice("configuration reloaded")
    if !late.isEmpty {
      logger.warning("\(late.joined(separator: ", ")): unchanged until the gateway is restarted")
    }
    current = new
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
      ("broker", new.broker != configuration.broker), ("radio", new.radio != configuration.radio),
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
  /// The file that is read again.
  let path: String
  private let signals: UnixSignalsSequence
  /// The content that the page has written; nil: read the file. Only the latest matters.
  private let asked = AsyncStream.makeStream(
    of: Configuration.Loaded?.self, bufferingPolicy: .bufferingNewest(1))
  package let revision = RunningRevision()
  /// The inode of the file before it was first read.
  private let inode: ino_t

  /// Called before the configuration is first read: earlier requests need no reload.
  package init(of path: String) async {
    self.path = path
    inode = Self.inode(path)
    signals = await UnixSignalsSequence(trapping: .sighup)
  }

  private static func inode(_ path: String) -> ino_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_ino : 0
  }

  /// Requests a reload if the file was replaced since the beginning, for example by a restore that did not see this gateway yet.
  func askIfReplaced() { if Self.inode(path) != inode { ask(nil) } }

  /// Requests a reload; nil: read the file again.
  func ask(_ loaded: Configuration.Loaded?) { asked.continuation.yield(loaded) }

  /// Calls `body` for each request, one after another, until the task is cancelled.
  func forEach(_ body: (Configuration.Loaded?) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signals { ask(nil) } }
      for await loaded in asked.stream { await body(loaded) }
      group.cancelAll()
    }
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
