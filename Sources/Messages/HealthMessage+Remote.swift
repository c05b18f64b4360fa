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
      json.key("observations_waiting")
      json.object {
        $0.field("batches", batches)
        $0.field("durable", fault == nil)
        if let fault { $0.field("reason", fault) }
      }
    }
  }
}

extension HealthMessage.Remote {
  func write(in json: inout JSONWriter) {
    json.key("scanners")
    json.array(scanners) { json, scanner in
      json.object {
        $0.field("kind", scanner.kind)
        $0.field("topic", scanner.topic)
        $0.field("messages", scanner.messages)
        $0.field("observations", scanner.observations)
        $0.field("retained", scanner.retained)
        $0.key("refused")
        $0.object {
          for (cause, count) in scanner.refused.sorted(by: { $0.key < $1.key }) {
            $0.key(named: cause)
            $0.value(count)
          }
        }
      }
    }
    if !gateways.isEmpty {
      json.key("gateways")
      json.array(gateways) { json, gateway in
        json.object {
          $0.field("name", gateway.name)
          $0.field("boot", gateway.boot)
          $0.field("clock_offset_s", gateway.offset?.seconds, decimals: 3)
          $0.field("batches", gateway.batches)
          $0.field("observations", gateway.observations)
          $0.field("lost", gateway.lost)
          $0.field("refused", gateway.refused)
          if let cause = gateway.lastRefusal { $0.field("last_refused", cause) }
          if gateway.hasTwin { $0.field("name_used_twice", true) }
        }
      }
    }
    json.field("messages_lost", lostMessages)
  }
}
