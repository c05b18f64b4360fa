import Beacons
import JSON

extension HealthMessage {
  /// One scanner of the configuration.
  public struct Scanner: Hashable, Sendable {
    public var kind: String
    /// The filter of its topic.
    public var topic: String
    public var messages: UInt64 = 0
    public var observations: UInt64 = 0
    /// Messages that the broker had kept: heard at some time, so they are no observations.
    public var retained: UInt64 = 0
    /// Devices without a signal strength, or what was in their place: the scanner's own state, for example.
    public var withoutSignal: UInt64 = 0
    /// By cause.
    public var refused: [String: UInt64] = [:]

    public init(kind: String, topic: String) {
      self.kind = kind
      self.topic = topic
    }
  }

  /// Another Beaconkeeper whose observations come in.
  public struct Gateway: Hashable, Sendable {
    public var name: String
    public var boot: String
    /// Our monotonic clock minus its; nil: not known.
    public var offset: TimeSpan?
    public var batches: UInt64
    public var observations: UInt64
    /// Batches that never arrived.
    public var lost: UInt64
    public var refused: UInt64
    /// Whether a second gateway uses its name.
    public var hasTwin: Bool
    /// The cause of the last refusal; nil: there was none.
    public var lastRefusal: String?

    public init(
      name: String, boot: String, offset: TimeSpan?, batches: UInt64, observations: UInt64, lost: UInt64,
      refused: UInt64, hasTwin: Bool, lastRefusal: String?
    ) {
      self.name = name
      self.boot = boot
      self.offset = offset
      self.batches = batches
      self.observations = observations
      self.lost = lost
      self.refused = refused
      self.hasTwin = hasTwin
      self.lastRefusal = lastRefusal
    }
  }
}

extension HealthMessage {
  /// Observations that the broker does not have yet.
  public struct WaitingObservations: Hashable, Sendable {
    public var batches: Int
    /// Observations that had to make room, or that the broker refused.
    public var lost: UInt64
    /// Why they wait in memory only; nil: they are on disk once they have waited for some seconds.
    public var fault: String?

    public init(batches: Int, lost: UInt64, fault: String?) {
      self.batches = batches
      self.lost = lost
      self.fault = fault
    }

    func write(in json: inout JSONWriter) {
      json.object("observations_waiting") {
        $0.field("batches", batches)
        $0.field("durable", fault == nil)
        if let fault { $0.field("reason", fault) }
      }
    }
  }
}

extension HealthMessage.Remote {
  func write(in json: inout JSONWriter) {
    json.objects("scanners", scanners) { json, scanner in
      json.field("kind", scanner.kind)
      json.field("topic", scanner.topic)
      json.field("messages", scanner.messages)
      json.field("observations", scanner.observations)
      json.field("retained", scanner.retained)
      json.field("without_signal", scanner.withoutSignal)
      json.object("refused") {
        for (cause, count) in scanner.refused.sorted(by: { $0.key < $1.key }) {
          $0.key(named: cause)
          $0.value(count)
        }
      }
    }
    if !gateways.isEmpty {
      json.objects("gateways", gateways) { json, gateway in
        json.field("name", gateway.name)
        json.field("boot", gateway.boot)
        json.field("clock_offset_s", gateway.offset?.seconds, decimals: 3)
        json.field("batches", gateway.batches)
        json.field("observations", gateway.observations)
        json.field("lost", gateway.lost)
        json.field("refused", gateway.refused)
        if let cause = gateway.lastRefusal { json.field("last_refused", cause) }
        if gateway.hasTwin { json.field("name_used_twice", true) }
      }
    }
    json.field("messages_lost", lostMessages)
  }
}
