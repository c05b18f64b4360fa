import Contract
import Core

/// Reads `broker:`.
struct BrokerReader {
  var files: NamedFileReader

  private static let hint = "embedded, or { url: mqtt://host:1883 }"

  func read(_ value: Value) -> BrokerSettings? {
    if let word = value.scalar, !value.isNull {
      if word == "embedded" { return .embedded }
      // The value may be a URL with a password in it, so the message does not repeat it.
      return value.refused(
        "broker must be embedded, or a mapping with a url",
        hint: nearest(to: word, among: ["embedded"]).map { "did you mean \($0)?" } ?? Self.hint)
    }
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    let url = section.require("url", hint: "for example url: mqtt://broker.lan").flatMap { readURL($0) }
    let username = section.take("username").flatMap(readUsername)
    let password = readPassword(section, username: username)
    var certificates = readFiles(section, isTLS: url?.isTLS)
    certificates.serverName = section.take("server_name").flatMap { readServerName($0, isTLS: url?.isTLS) }
    let version = section.take("protocol").flatMap(readVersion)
    let clientID = section.take("client_id").flatMap(readClientID)
    let baseTopic = section.take("base_topic").flatMap(readBaseTopic)
    let keepAlive = section.take("keepalive").flatMap {
      readTime($0, from: .seconds(5), upTo: .seconds(65535))
    }
    guard let url else { return nil }
    return .remote(
      RemoteBroker(
        host: url.host, port: url.port, tls: url.isTLS ? certificates : nil, username: username,
        password: password,
        version: version, clientID: clientID, baseTopic: baseTopic ?? Topics.usualRoot,
        keepAlive: keepAlive ?? .seconds(60)))
  }

  private func readBaseTopic(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    guard isStartOfTopic(text), !text.utf8.contains(where: { "{}".utf8.contains($0) }) else {
      return value.refused(
        "\(quoted(text)) cannot be the start of a topic",
        hint: "for example home/ble; the gateway's name follows it")
    }
    return text
  }

  private func readVersion(_ value: Value) -> ProtocolVersion? {
    guard let text = value.text() else { return nil }
    switch text {
    case "5", "5.0": return .v5
    case "3.1.1": return .v311
    default:
      return value.refused("protocol must be 5 or 3.1.1, not \(quoted(text))")
    }
  }

  private func readClientID(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    guard (1...65535).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.value < 32 })
    else {
      return value.refused(
        "\(quoted(text)) cannot be a client id", hint: "remove it to have one made of the gateway's name")
    }
    warnOfVariables(text, value)
    return text
  }

  // MARK: Secrets

  private func readUsername(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    guard text.utf8.count <= 65535, !text.unicodeScalars.contains(where: { $0.value < 32 }) else {
      return value.refused(
        "\(quoted(String(text.prefix(20)))) cannot be a username",
        hint: "MQTT allows no control characters, and 65,535 octets")
    }
    warnOfVariables(text, value)
    return text
  }

  func readPassword(_ section: Section, username: String?) -> Secret? {
    let file = section.take("password_file")
    let variable = section.take("password_env")
    section.refusePassword("password")
    if let variable, file != nil {
      return variable.refused("both password_file and password_env are given", hint: "keep one of them")
    }
    guard let given = file ?? variable else { return nil }
    if username == nil, section.keys.contains("username") == false {
      given.error("a password needs a username", hint: "add username, or remove the password")
    }
    return file == nil ? readVariable(given) : files.password(given)
  }

  private func readVariable(_ value: Value) -> Secret? {
    guard let name = value.text() else { return nil }
    let isName = name.utf8.allSatisfy {
      $0 == 0x5F || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
    }
    guard isName else {
      return value.refused(
        "password_env must name an environment variable", hint: "for example MQTT_PASSWORD")
    }
    guard let password = files.environment[name] else {
      files.lacks(
        "the environment has no variable \(quoted(name))", value, hint: "set it where the gateway is started")
      return files.check == nil ? nil : .absent
    }
    return files.checkedPassword(password, value)
  }

  // MARK: TLS

  func readFiles(_ section: Section, isTLS: Bool?, _ kind: BrokerProtocol = .mqtt) -> TLSSettings {
    var settings = TLSSettings()
    let authorities = section.take("ca_file")
    settings.caFile = readPath(authorities, kind, isTLS: isTLS)
    if let authorities, let path = settings.caFile { files.checkAuthorities(authorities, path) }
    let cert = section.take("cert_file")
    let key = section.take("key_file")
    settings.certFile = readPath(cert, kind, isTLS: isTLS)
    settings.keyFile = readPath(key, kind, isTLS: isTLS, isPrivate: true)
    if let cert, let key, let certFile = settings.certFile, let keyFile = settings.keyFile {
      files.checkPair(cert, certFile, key, keyFile)
    }
    if let cert, key == nil { cert.error("cert_file needs its private key", hint: "add key_file") }
    if let key, cert == nil { key.error("key_file needs its certificate", hint: "add cert_file") }
    return settings
  }

  private func readServerName(_ value: Value, isTLS: Bool?) -> String? {
    guard let name = value.text() else { return nil }
    guard isTLS != false else { return refuseInTheClear(value, .mqtt) }
    guard ipAddress(name) != nil || isHostName(name) else {
      return value.refused(
        "\(quoted(name)) is not the name of a host",
        hint: "as it is in the certificate, for example broker.lan")
    }
    return name
  }

  private func refuseInTheClear(_ value: Value, _ kind: BrokerProtocol) -> String? {
    value.refused(
      "\(value.name) is of no use with \(kind.rawValue)://",
      hint: "write \(kind.sealed):// for an encrypted connection")
  }

  private func readPath(_ value: Value?, _ kind: BrokerProtocol, isTLS: Bool?, isPrivate: Bool = false)
    -> String?
  {
    guard let value else { return nil }
    guard isTLS != false else { return refuseInTheClear(value, kind) }
    return files.path(value, isPrivate: isPrivate)
  }
}

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
    return value.refused(
      "MQTT over WebSockets is not supported",
      hint: "\(hint); if the broker has only WebSockets, put a program such as websocat in between")
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
  if rest.contains("$") {
    return value.refused(
      "variables such as ${HOST} are not replaced here", hint: "write the name itself, as in \(hint)")
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
