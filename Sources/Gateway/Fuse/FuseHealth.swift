import Beacons
import Configuration
import Contract
import Core
import Fleet
import Mosquitto

/// `worker/<worker>/health` (retained): which partitions a worker has, and how far behind they are.
struct FuseHealth {
  static let interval = TimeSpan.seconds(2)
  private let client: Client
  private let topic: String
  /// - Parameter receive: is called with messages of subscriptions.
  init(
    _ configuration: Configuration, _ broker: RemoteBroker, worker: String,
    receive: @escaping @Sendable (ReceivedMessage) -> Void
  ) throws(InvalidOptions) {
    topic = "\(configuration.topics.base)/worker/\(topicLevel(worker))/health"
    var options = Options(broker, gateway: configuration.gatewayName)
    options.clientID = "beaconkeeper-\(configuration.gatewayName)-worker-\(worker)"
    // The message of a worker that is gone is cleared.
    options.will = Will(topic: topic, payload: [], qos: .atLeastOnce, retain: true)
    client = try Client(options)
    client.start()
    Task { [client] in
      for await case .message(let message) in client.events { receive(message) }
    }
  }

  func tell(_ payload: [UInt8]) {
    // Only the newest message matters, so a slow connection may skip some.
    guard client.isConnected, client.outstanding < 3 else { return }
    try? client.publish(payload, to: topic, retain: true)
  }

  /// With QoS 0: with 1, mosquitto forgets all but some thousand retained messages at once (`max_queued_messages`). False while there
  /// is no connection.
  func subscribe(to filters: [String]) -> Bool {
    guard client.isConnected else { return false }
    for filter in filters {
      do throws(PublishError) { try client.subscribe(to: filter, qos: .atMostOnce) } catch { return false }
    }
    return true
  }

  func unsubscribe(from filters: [String]) { for filter in filters { client.unsubscribe(from: filter) } }

  func close() {
    if client.isConnected { try? client.publish([], to: topic, retain: true) }
    Task { [client] in await client.stop() }
  }
}

extension FuseWorker {
  func report(at now: MonotonicTime) {
    guard now - reported >= FuseHealth.interval else { return }
    reported = now
    let wallNow = wallNow
    if let metrics { metrics.take(metricsText(at: now, wallNow, metrics.depths.now)) }
    health.tell(
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("time", wallNow)
        $0.field("worker", name)
        $0.field("version", version)
        $0.field("rabbitmq", rabbit?.node ?? "")
        $0.field("leads", lead.isLeading)
        if let ahead = clock.system { $0.field("clock_ahead_s", Int(ahead.seconds.rounded())) }
        $0.key("workers")
        $0.array(workers.keys.sorted()) { $0.value($1) }
        $0.objects("began_anew", anew.sorted { $0.key < $1.key }) { json, entry in
          json.field("partition", entry.key)
          json.field("time", entry.value.time)
          json.field("reason", "\(entry.value.reason)")
        }
        $0.key("partitions")
        $0.array(holdings.sorted { $0.key < $1.key }) { json, entry in
          let (number, holding) = entry
          json.object { write(number, holding, at: now, wallNow, into: &$0) }
        }
      })
  }

  private func write(
    _ number: Int, _ holding: FuseHolding, at now: MonotonicTime, _ wallNow: WallTime,
    into json: inout JSONWriter
  ) {
    let partition = holding.partition
    json.field("partition", number)
    json.field("lease", holding.lease)
    json.field("beacons", partition.beacons)
    json.field("messages", partition.counts.messages)
    json.field("observations", partition.counts.observations)
    json.field("transitions", partition.counts.transitions)
    if let time = partition.time {
      json.field("lag_ms", max(wallNow.nanoseconds - time.nanoseconds, 0) / 1_000_000)
    }
    json.field("checkpoint_age_ms", (now - holding.saved).nanoseconds / 1_000_000)
    json.field("checkpoint_octets", holding.octets)
    json.field("unsaved", holding.processed - holding.acknowledged)
    json.field("unacknowledged", holding.output.outstanding)
    json.field("refused_batches", partition.refused)
    json.field("refused_observations", partition.refusedObservations)
    json.field("late_for_rooms", partition.droppedForRooms)
    json.field("misplaced", partition.counts.misplaced)
    json.field("early", partition.counts.early)
    json.field("app_set_refused", partition.refusedReports)
    json.field("app_seen_refused", partition.refusedSightings)
    json.field("refused_messages", holding.output.refused)
  }
}
