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

private func sentences(_ beacon: BeaconSettings) -> [String] {
  var sentences = [sentence(beacon.pattern, name: beacon.name, key: beacon.identityKey)]
  if let power = beacon.measuredPower {
    sentences.append("Its signal is assumed to be \(Measure(.signal, power)) at 1 m.")
  }
  if !beacon.names.isEmpty {
    let names = beacon.names.sorted { $0.key < $1.key }.map { "\($0.value) (\(beacon.name):\($0.key))" }
    sentences.append("Names: \(listed(names, joining: "and")).")
  }
  if let key = beacon.bindKey {
    sentences.append(
      "Its readings are decrypted with the key \(quoted(key)); others from its address do not count.")
  }
  return sentences
}

private func sentence(_ pattern: BeaconPattern, name: String, key: String?) -> String {
  switch pattern {
  case .iBeacon(let uuid, let major?, let minor?):
    "The iBeacon \(uuidText(uuid).uppercased()) with major \(major) and minor \(minor)."
  case .iBeacon(let uuid, let major?, nil):
    "A region: every iBeacon \(uuidText(uuid).uppercased()) with major \(major), each as \(name):\(major).minor."
  case .iBeacon(let uuid, nil, _):
    "A region: every iBeacon \(uuidText(uuid).uppercased()), each as \(name):major.minor."
  case .altBeacon(let prefix):
    prefix.count == 20
      ? "The AltBeacon \(hexadecimal(prefix))."
      : "A region: every AltBeacon whose id begins with \(hexadecimal(prefix)), each with its own name after \(name):."
  case .eddystoneUID(let namespace, let instance?):
    "The Eddystone beacon \(hexadecimal(namespace, octets: 10)), \(hexadecimal(UInt128(instance), octets: 6))."
  case .eddystoneUID(let namespace, nil):
    "A region: every Eddystone beacon of \(hexadecimal(namespace, octets: 10)), each as \(name):instance."
  case .eddystoneURL(let url): "The Eddystone beacon that sends \(quoted(url))."
  case .address(let bits): "The device with the address \(DeviceAddress(bits: bits, kind: .public))."
  case .resolvingKey:
    "The device whose addresses the identity resolving key \(quoted(key ?? "")) resolves."
  }
}

private func sentences(_ zone: ZoneSettings, known: [String]) -> [String] {
  let beacons =
    zone.beacons.map { listed($0, joining: "and") }
    ?? (known.isEmpty ? "nothing yet: no beacon is configured" : "every beacon")
  if let rooms = zone.rooms {
    let isOne = rooms.count == 1
    return [
      "Made of \(isOne ? "the room" : "the rooms") \(listed(rooms, joining: "and")); watches \(beacons).",
      "enter: once a beacon is in \(isOne ? "it" : "one of them")\(lasting(zone.enter.dwell)).",
      "exit: once it is in \(isOne ? "another room" : "none of them")\(lasting(zone.exit.dwell)), or is no longer heard.",
    ]
  }
  let receivers = zone.receivers.map { listed($0, joining: "and") } ?? "every receiver"
  var sentences = ["Receives through \(receivers); watches \(beacons)."]
  if let near = zone.near {
    sentences.append(
      "near: once a beacon stays \(inside(near.rule)), and again only after it was \(beyond(near.rearm)).")
  }
  if zone.enter.threshold == ZoneSettings.heardAtAll {
    sentences.append("enter: once a beacon is heard at all\(lasting(zone.enter.dwell)).")
  } else {
    sentences.append("enter: once a beacon stays \(inside(zone.enter)).")
  }
  let silence =
    switch zone.lost {
    case .auto: "not heard for a time learned from its own interval"
    case .after(let time): "not heard for \(Measure(.time, time.seconds))"
    }
  if zone.enter.threshold == ZoneSettings.heardAtAll {
    sentences.append("exit: when it is \(silence).")
  } else {
    sentences.append(
      "exit: once it stays \(beyond(zone.exit.threshold))\(lasting(zone.exit.dwell)), or is \(silence).")
  }
  return sentences
}

private func inside(_ rule: Rule) -> String {
  let place =
    switch rule.threshold {
    case .distance: "within \(rule.threshold.words)"
    case .signal: "at \(rule.threshold.words) or stronger"
    }
  return place + lasting(rule.dwell)
}

private func beyond(_ threshold: Threshold) -> String {
  switch threshold {
  case .distance: "beyond \(threshold.words)"
  case .signal: "weaker than \(threshold.words)"
  }
}

private func lasting(_ dwell: TimeSpan) -> String {
  dwell > .zero ? " for \(Measure(.time, dwell.seconds))" : ""
}
