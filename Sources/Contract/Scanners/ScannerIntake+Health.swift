import Beacons
import Core

/// Scanners' reports about themselves. Retained ones count here, because they are the latest.
extension ScannerIntake {
  mutating func takeStatus(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    let isOffline: Bool
    switch String(decoding: message.payload.prefix(20), as: UTF8.self).lowercased() {
    case "online", "connected", "true", "1": isOffline = false
    case "offline", "disconnected", "false", "0": isOffline = true
    default: return
    }
    for receiver in known(by: fields, of: message.scanner) {
      receivers.setOffline(
        receiver, isOffline, scanner: message.scanner, at: message.arrival, message.wallTime,
        into: &hearing.changes)
    }
    if !isOffline { noteLife(message, fields, into: &hearing) }
  }

  /// Any message of a receiver proves that it works, even if it is malformed or has no device.
  mutating func noteLife(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    if message.isRetained { return }
    for receiver in known(by: fields, of: message.scanner) {
      receivers.lives(
        receiver, scanner: message.scanner, at: message.arrival, message.wallTime, into: &hearing.changes)
    }
  }

  mutating func takeTelemetry(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    if scanners[message.scanner].kind == .beaconkeeper {
      takeHealth(message, fields, into: &hearing)
    } else {
      noteLife(message, fields, into: &hearing)
    }
  }

  /// Processes another gateway's `health`: which of its radios are blind.
  private mutating func takeHealth(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    guard let gateway = fields[.gateway].flatMap(name(ofTopicLevel:)), gateway != ownGateway,
      message.payload.count <= Self.largestMessage, let health = try? JSONTree(message.payload),
      case .list(let radios)? = health["receivers"]
    else { return }
    for radio in radios.prefix(ObservationBatch.receiverLimit) {
      guard case .text(let name)? = radio["name"], case .text(let state)? = radio["state"] else { continue }
      let scanner = scanners[message.scanner]
      guard let receiver = receivers.index(ofKnown: scanner.name(of: Self.receiver(name, of: gateway))) else {
        continue
      }
      // A state of a later version is ignored.
      guard let told = state == "missing" ? .gone : ReceiverHealth(rawValue: state) else { continue }
      var reason = "\(gateway) says that it is \(state)"
      if case .text(let words)? = radio["reason"] { reason += ": \(String(words.prefix(200)).printable)" }
      receivers.setFault(
        receiver, told, told.isBlind ? reason : "", scanner: message.scanner, at: message.arrival,
        message.wallTime, into: &hearing.changes)
    }
  }

  /// The receivers of a status, if they are known or configured. Others are ignored, because many devices that are no scanners
  /// have a last will.
  private func known(by fields: [TopicPattern.Field: String], of place: Int) -> [ReceiverIndex] {
    let scanner = scanners[place]
    if let gateway = fields[.gateway].flatMap(name(ofTopicLevel:)) {
      if gateway == ownGateway { return [] }
      let all = Self.receiver("", of: gateway)
      let aliased = Set(scanner.aliases.filter { $0.key.hasPrefix(all) }.values)
      return receivers.all.filter { $0.name.hasPrefix(scanner.prefix + all) || aliased.contains($0.name) }
        .map(\.index)
    }
    guard let name = (fields[.receiver] ?? scanner.receiver).map(scanner.name(of:)) else { return [] }
    return receivers.index(ofKnown: name).map { [$0] } ?? []
  }
}
