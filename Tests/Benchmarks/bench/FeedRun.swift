import Beacons
import Configuration
import Core
import Feed
import Gateway
import Logging
import Mosquitto
import Pipeline
import Radio
import Synchronization

/// Processes advertisements from another process as `run` does those of an adapter: receive loop, keeper, decision loop,
/// outbox. There is no broker, so messages wait in memory.
struct FeedRun: Sendable {
  private let descriptor: Int32
  private let decisions: DecisionLoop

  /// - Parameter limits: for a benchmark, whose devices all appear within seconds.
  /// - Throws: `InvalidOptions`.
  init(_ configuration: Configuration, limits: AdmissionLimits, descriptor: Int32) throws {
    self.descriptor = descriptor
    var pipeline = Pipeline(configuration, limits: limits)
    if configuration.http != nil { pipeline.keepHistory() }
    let logger = Logger(label: "feed") { _ in SwiftLogNoOpLogHandler() }
    let delivery = try Delivery(
      try Client(Options(host: "127.0.0.1", port: 1883)), pipeline.topics, listener: GatewayRun.Listener(),
      logger: logger)
    decisions = DecisionLoop(pipeline, delivery: delivery, logger: logger)
  }

  /// Receives until the sender closes its end. Blocks.
  /// - Parameter onBatch: is called after each batch.
  /// - Throws: `SystemError` for a descriptor that is not a connected socket of type SOCK_SEQPACKET; `RadioError`.
  func run(onBatch: @escaping @Sendable () -> Void) throws {
    let radio = try LiveRadio(feed: descriptor)
    var handlers = LiveRadio.Handlers { [decisions] batch, table in
      decisions.observe(batch, table)
      onBatch()
    }
    handlers.onHealth = { [decisions] change, table in
      decisions.apply(change, table)
      if change.health == .gone { radio.stop() }
    }
    handlers.onCounts = { [decisions] in decisions.count($0, $1) }
    try radio.run(handlers)
  }

  /// What the pipeline has counted, and how many beacons it knows.
  var counts: (Pipeline.Counts, beacons: Int) {
    decisions.look { ($0.counts, $0.beaconCount) }
  }
}
