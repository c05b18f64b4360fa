public import Beacons
public import Machine
import Logging
import Mosquitto
import Synchronization
public import Pipeline
public import Radio
public import Settings

/// Takes the advertisements of a feed the way that `run` takes those of an adapter: receive, keeper, decision loop, outbox. There
/// is no broker, so what is decided waits in memory, as it does while the broker is away.
public struct FeedRun: ~Copyable {
  private var feed: AdvertisementFeed
  private let decisions: DecisionLoop
  private let table: ReceiverTable

  /// - Parameter limits: a benchmark's devices all come within seconds.
  /// - Throws: `SystemError` for a descriptor that is not a connected socket of type SOCK_SEQPACKET; `InvalidOptions`.
  public init(
    _ configuration: Configuration, limits: AdmissionLimits, form: AdvertisementFeed.Form,
    descriptor: Int32
  ) throws {
    var table = ReceiverTable()
    guard let receiver = table.index(of: "hci0") else { preconditionFailure("a table without room") }
    let pipeline = Pipeline(configuration, limits: limits)
    let ignoring = GatewayRun.Listener(
      onReady: { _ in }, onTransition: { _ in }, onVerdict: { _ in })
    let logger = Logger(label: "feed") { _ in SwiftLogNoOpLogHandler() }
    let delivery = Delivery(
      try Client(Options(host: "127.0.0.1", port: 1883)), pipeline.topics, listener: ignoring,
      logger: logger)
    feed = try AdvertisementFeed(form, descriptor: descriptor, receiver: receiver)
    decisions = DecisionLoop(pipeline, delivery: delivery, logger: logger)
    self.table = table
  }

  /// Waits for advertisements and takes them in; false once the sender has gone and all are taken in.
  public mutating func next(into batch: inout AdvertisementBatch) throws(SystemError) -> Bool {
    batch.removeAll()
    guard try feed.next(into: &batch) else { return false }
    decisions.observe(batch, table)
    return true
  }

  /// Datagrams that were no advertisement, or a damaged one.
  public var malformed: UInt64 { feed.malformed }

  /// What the pipeline has counted, and how many beacons it knows.
  public var counts: (Pipeline.Counts, beacons: Int) {
    decisions.state.withLock { ($0.pipeline.counts, $0.pipeline.beaconCount) }
  }
}
