import MQTT
import Settings
import JSON
import Beacons
import Proximity

/// Describes in plain words what a configuration makes the gateway do. It contains no secrets: keys appear by name only.
public struct Explanation: Hashable, Sendable {
  /// A named item, and sentences about it.
  public struct Item: Hashable, Sendable {
    public var name: String
    public var sentences: [String]
  }

  public var broker: String
  public var radio: String
  public var receivers: [Item]
  public var scanners: [Item]
  public var keys: [String]
  public var beacons: [Item]
  public var zones: [Item]
  /// About the rooms together; nil: there are none.
  public var plan: String?
  public var rooms: [Item]
  public var phones: [Item]
  public var wake: [Item]
  public var homeAssistant: String
  /// nil: there is no server.
  public var http: String?
  /// nil: metrics are off.
  public var metrics: String?
  /// nil: no observations are published.
  public var observations: String?
  /// nil: this is one gateway.
  public var fleet: String?

  public init(_ configuration: Configuration) {
    broker = words(configuration.broker)
    radio = words(configuration.radio)
    receivers = configuration.receivers.map { Item(name: $0.name, sentences: [sentence($0)]) }
    scanners = configuration.scanners.map(item)
    keys = configuration.keys.keys.sorted()
    beacons = configuration.beacons.map { Item(name: $0.name, sentences: sentences($0)) }
    let known = configuration.beacons.map(\.name)
    zones = configuration.zones.map { Item(name: $0.name, sentences: sentences($0, known: known)) }
    let plan = RoomExplanation(configuration)
    self.plan = plan.summary
    rooms = plan.items
    phones = configuration.phones.map { Item(name: $0.name, sentences: sentences($0)) }
    wake = configuration.wake.map(items) ?? []
    homeAssistant = sentence(configuration.homeAssistant)
    http = configuration.http.map(sentence)
    let isFleet = configuration.fleet != nil
    metrics = configuration.metrics.map { metrics in
      let file = isFleet ? metrics.file.dropLast(".prom".utf8.count) + "-<worker>.prom" : metrics.file
      return "counters in \(file), every \(Int(metrics.interval.seconds)) s"
    }
    observations = configuration.publish.observations.map(sentence)
    fleet = configuration.fleet.map(sentence)
  }
}

private func words(_ radio: RadioSettings) -> String {
  let duty =
    switch radio.duty {
    case .full: "listens all the time"
    case .balanced: "listens half the time"
    case .wifiFriendly: "listens a quarter of the time, and leaves the rest to Wi-Fi"
    case .off: "is not used: everything comes over MQTT"
    }
  return duty + (radio.unblocks ? "; an rfkill block is lifted" : "")
}

private func words(_ broker: BrokerSettings) -> String {
  guard case .remote(let remote) = broker else {
    return "a private mosquitto on this machine, which the gateway starts and stops"
  }
  let version = remote.version?.rawValue ?? "5 (3.1.1 with a libmosquitto before 2.0.21)"
  var parts = ["\(remote.host), port \(remote.port)", "MQTT \(version)"]
  if let tls = remote.tls {
    parts.append("encrypted, trusting \(tls.caFile ?? "the authorities that this machine trusts")")
    if let certificate = tls.certFile { parts.append("with the certificate \(certificate)") }
  } else {
    parts.append("in the clear")
  }
  if let username = remote.username {
    parts.append("as \(quoted(username))\(remote.password == nil ? " without a password" : "")")
  }
  return parts.joined(separator: ", ")
}

private func sentence(_ receiver: ReceiverSettings) -> String {
  let calibration = receiver.calibration
  var parts = ["path-loss exponent \(calibration.exponent)"]
  if let power = calibration.measuredPower {
    parts.append("reads \(Measure(.signal, power)) at 1 m, replacing the value that beacons send")
  }
  if calibration.offset != 0 {
    let side = calibration.offset > 0 ? "stronger" : "weaker"
    parts.append("hears \(Measure(.gain, abs(calibration.offset))) \(side) than usual")
  }
  parts.append("signal fluctuates by \(Measure(.gain, calibration.deviation))")
  if let position = calibration.position {
    let place = [position.x, position.y, position.z].map { "\(Measure(.distance, $0))" }
    parts.append("at \(place.joined(separator: ", "))")
  }
  if let adapter = receiver.adapter { parts.insert("the adapter \(adapter)", at: 0) }
  return parts.joined(separator: ", ")
}
