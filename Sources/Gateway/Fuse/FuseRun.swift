import CMalloc
import Configuration
import Core
import Glibc
import Logging
import Mosquitto
import ServiceLifecycle

/// A worker of a fleet: reads the observations of a site's gateways from RabbitMQ, decides, and publishes.
package struct FuseRun: Sendable {
  /// The configuration is not one of a fleet; with a description.
  package struct NoFleet: Error, CustomStringConvertible {
    package var description: String
  }

  /// The folder for journals cannot be written; with a description.
  package struct NoJournal: Error, CustomStringConvertible {
    package var description: String
  }

  private let configuration: Configuration
  private let fleet: FleetSettings
  private let broker: RemoteBroker
  private let name: String
  private let journal: String?
  private let logger: Logger

  /// - Parameters:
  ///   - name: the worker's name; nil: made from the machine's name and random digits. Two workers of one name disconnect each
  ///     other again and again.
  ///   - journal: a folder for the messages of the queues; nil: they are not written.
  /// - Throws: `NoFleet`, `NoJournal`.
  package init(_ configuration: Configuration, name: String?, journal: String?, logger: Logger) throws {
    guard let fleet = configuration.fleet, case .remote(let broker) = configuration.broker else {
      throw NoFleet(
        description: "the configuration has no section fleet; add fleet: { rabbitmq: \"amqp://…\" }")
    }
    if let journal {
      do throws(SystemError) { try JournalFile.check(journal) } catch {
        throw NoJournal(description: "\(error)")
      }
    }
    self.configuration = configuration
    self.fleet = fleet
    self.broker = broker
    self.name = name ?? Self.inventedName
    self.journal = journal
    self.logger = logger
  }

  private static var inventedName: String {
    var host = [CChar](repeating: 0, count: 65)
    gethostname(&host, 64)
    let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
    return
      "\(String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))-\(digits)"
  }

  /// Works until SIGINT or SIGTERM. Throws permanent errors: `RabbitMQError`, `InvalidOptions`.
  package func run() async throws {
    beaconkeeper_return_large_blocks()
    let metrics = configuration.metrics == nil ? nil : FuseMetrics()
    var services: [any Service] = [FuseService(worker: self, metrics: metrics), FreedMemoryService()]
    if let metrics, let settings = configuration.metrics {
      services.append(
        MetricsService(settings: FuseMetrics.settings(settings, worker: name), logger: logger) {
          metrics.text
        })
    }
    try await NamedService.run(services, logger)
  }

  fileprivate func work(_ metrics: FuseMetrics?, _ inbox: FuseInbox) throws {
    try FuseWorker(configuration, fleet, broker, name: name, journal: journal, metrics, inbox, logger).run()
  }
}

/// The worker's thread as a service.
private struct FuseService: Service {
  let worker: FuseRun
  let metrics: FuseMetrics?
  let inbox = FuseInbox()

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        do {
          try Thread.start { continuation.resume(with: Result { try worker.work(metrics, inbox) }) }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onGracefulShutdown: {
      self.inbox.stop()
    }
  }
}
