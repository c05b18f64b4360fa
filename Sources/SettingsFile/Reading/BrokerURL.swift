/// `mqtt://host`, `mqtts://host:8883`, `mqtt://[::1]:1883`.
struct BrokerURL: Equatable {
  var isTLS: Bool
  var host: String
  var port: UInt16
}

/// The protocol that a broker speaks.
enum BrokerProtocol: String {
  case mqtt, amqp

  var sealed: String { rawValue + "s" }
  fileprivate var ports: (plain: UInt16, sealed: UInt16) { self == .mqtt ? (1883, 8883) : (5672, 5671) }
}

/// Reads the URL. Messages do not repeat it, because it may contain a password.
func readURL(_ value: Value, _ kind: BrokerProtocol = .mqtt) -> BrokerURL? {
  let (plain, sealed) = (kind.rawValue, kind.sealed)
  let hint = "\(plain)://host, \(plain)://host:\(kind.ports.plain) or \(sealed)://host"
  guard let text = value.text(hint: hint) else { return nil }
  guard let separator = text.firstRange(of: "://") else {
    return value.refused("the url has no scheme", hint: hint)
  }
  let isTLS: Bool
  switch text[..<separator.lowerBound].lowercased() {
  case plain: isTLS = false
  case sealed: isTLS = true
  case "tcp", "http":
    return value.refused("the url's scheme must be \(plain) or \(sealed)", hint: "did you mean \(plain)://?")
  case "ssl", "tls", "https":
    return value.refused("the url's scheme must be \(plain) or \(sealed)", hint: "did you mean \(sealed)://?")
  case "ws", "wss":
    return value.refused("MQTT over WebSockets is not supported", hint: hint)
  default:
    return value.refused("the url's scheme must be \(plain) or \(sealed)", hint: hint)
  }
  var rest = text[separator.upperBound...]
  if rest.last == "/" { rest.removeLast() }
  guard !rest.contains("@") else {
    return value.refused("the url holds a user", hint: "write username and password_file beside url")
  }
  guard !rest.contains(where: { "/?#".contains($0) }) else {
    return value.refused("unexpected text after the host", hint: hint)
  }
  guard let place = hostAndPort(rest) else {
    return value.refused("the url names no host, or no port from 1 to 65535", hint: hint)
  }
  return BrokerURL(
    isTLS: isTLS, host: place.host, port: place.port ?? (isTLS ? kind.ports.sealed : kind.ports.plain))
}

private func hostAndPort(_ text: Substring) -> (host: String, port: UInt16?)? {
  var host = text
  var port: Substring?
  if text.first == "[" {
    guard let end = text.firstIndex(of: "]") else { return nil }
    host = text[text.index(after: text.startIndex)..<end]
    let rest = text[text.index(after: end)...]
    guard rest.isEmpty || rest.first == ":" else { return nil }
    port = rest.isEmpty ? nil : rest.dropFirst()
  } else if let colon = text.firstIndex(of: ":") {
    host = text[..<colon]
    port = text[text.index(after: colon)...]
  }
  let isHost = host.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !host.isEmpty && host.utf8.count <= 253
  guard isHost else { return nil }
  guard let port else { return (String(host), nil) }
  guard let number = UInt16(port), number > 0 else { return nil }
  return (String(host), number)
}
