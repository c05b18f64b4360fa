/// Reads `http:`.
struct HTTPReader {
  var files: NamedFileReader

  private static let hint = "on, or { listen: \"127.0.0.1:8099\" }"
  /// A shorter password can be guessed at the rate that the server allows.
  private static let shortestPassword = 8
  private static let mostNames = 64

  func read(_ value: Value) -> HTTPSettings? {
    if let word = value.scalar, !value.isNull {
      return readSwitch(value, word, hint: Self.hint) == true ? HTTPSettings() : nil
    }
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    var settings = HTTPSettings()
    let listen = section.take("listen")
    if let place = listen.flatMap(readListen) { settings.listen(to: place) }
    readPasswords(section, into: &settings)
    settings.hosts = section.take("hosts").map { names($0, readHost) } ?? []
    settings.proxies = section.take("proxies").map { names($0, readProxy) } ?? []
    settings.tls = section.take("tls").flatMap(readCertificate)
    if let listen, !settings.isLoopback, !section.keys.contains("password_file") {
      listen.error(
        "strangers could look in: \(settings.address) is reached from outside this machine, and there is no password",
        hint: "add password_file: /etc/beaconkeeper/http-password, or listen on 127.0.0.1")
    }
    return settings
  }

  private func readListen(_ value: Value) -> ListenAddress? {
    guard let text = value.text(hint: "put it in quotes, for example \"[::1]:8099\"") else { return nil }
    do throws(SettingFault) { return try ListenAddress(text) } catch {
      return value.refused(error.message, hint: error.hint)
    }
  }

  // MARK: Passwords

  private func readPasswords(_ section: Section, into settings: inout HTTPSettings) {
    section.refusePassword("http-password")
    settings.readPassword = section.take("password_file").flatMap(password)
    let write = section.take("write_password_file")
    settings.writePassword = write.flatMap(password)
    if let write, let word = settings.writePassword, word != .absent,
      settings.writePassword == settings.readPassword
    {
      write.error(
        "the password for writing is the one for reading",
        hint: "give it another, or remove write_password_file so that nobody can change anything")
    }
  }

  private func password(_ value: Value) -> Secret? {
    let secret = files.password(value)
    if secret != .absent, let count = secret?.revealed.count, count < Self.shortestPassword {
      value.warning(
        "the password is short: it has \(count) of at least \(Self.shortestPassword) characters",
        hint: "for example: openssl rand -base64 18")
    }
    return secret
  }

  // MARK: Names and addresses

  private func names(_ value: Value, _ read: (Value) -> String?) -> [String] {
    guard let entries = value.list(hint: "remove the line, or name one: \(value.name): [\(example(value))]")
    else { return [] }
    guard entries.count <= Self.mostNames else {
      value.error("\(value.name) has more than \(Self.mostNames) entries")
      return []
    }
    return entries.compactMap(read)
  }

  private func example(_ value: Value) -> String { value.name == "hosts" ? "gate.lan" : "172.30.32.2" }

  private func readHost(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    guard isHostName(text) else {
      return value.refused(
        "\(quoted(text)) is not the name of a host",
        hint: "as browsers send it, without http:// and port, for example gate.lan")
    }
    return text.lowercased()
  }

  private func readProxy(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    guard let address = ipAddress(text) else {
      return value.refused(
        "\(quoted(text)) is not an IP address",
        hint: "the address from which the proxy connects, for example 172.30.32.2")
    }
    return address
  }

  // MARK: TLS

  private func readCertificate(_ value: Value) -> HTTPSettings.Certificate? {
    let hint = "{ cert_file: /etc/beaconkeeper/gate.pem, key_file: /etc/beaconkeeper/gate.key }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let certificate = section.require("cert_file", hint: hint)
    let privateKey = section.require("key_file", hint: hint)
    let cert = certificate.flatMap { files.path($0) }
    let key = privateKey.flatMap { files.path($0, isPrivate: true) }
    guard let certificate, let privateKey, let cert, let key else { return nil }
    files.checkPair(certificate, cert, privateKey, key)
    return HTTPSettings.Certificate(certFile: cert, keyFile: key)
  }
}

/// What `http:` makes available, and to whom.
func sentence(_ http: HTTPSettings) -> String {
  let host = http.address.contains(":") ? "[\(http.address)]" : http.address
  let place = "\(http.tls == nil ? "http" : "https")://\(host)\(http.port == 0 ? "" : ":\(http.port)")"
  var parts = ["the page and the API at \(place)"]
  if http.port == 0 { parts.append("on any port that is free") }
  parts.append(http.isLoopback ? "for this machine alone" : "for whoever reaches this address")
  if http.tls == nil, !http.isLoopback { parts.append("in the clear") }
  switch (http.readPassword != nil, http.isLoopback) {
  case (true, _): parts.append("with a password")
  case (false, true): parts.append("without a password")
  // The password is in a file that only the gateway may read.
  case (false, false): break
  }
  if !http.proxies.isEmpty {
    let verb = http.proxies.count == 1 ? "authenticates" : "authenticate"
    parts.append("\(listed(http.proxies, joining: "and")) \(verb) users")
  }
  if !http.hosts.isEmpty { parts.append("also called \(listed(http.hosts, joining: "and"))") }
  parts.append(
    http.writePassword == nil
      ? "read-only"
      : "the write password allows changes to the configuration")
  return parts.joined(separator: "; ")
}
