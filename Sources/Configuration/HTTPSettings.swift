import Glibc

/// `http:` – the dashboard, the API and the metrics.
package struct HTTPSettings: Hashable, Sendable {
  /// `listen`: an IP address; default 127.0.0.1.
  package var address: String
  /// 0: any free one.
  package var port: Int
  /// `password_file`: allows viewing; nil: everybody who reaches the address may view, which is possible only on loopback.
  package var readPassword: Secret?
  /// `write_password_file`: also allows changing the configuration; nil: nobody may.
  package var writePassword: Secret?
  /// `hosts`: names by which browsers reach the gateway, besides IP addresses, localhost and this machine's own name.
  package var hosts: [String]
  /// `proxies`: addresses of proxies that authenticate users, such as Home Assistant's ingress. They may look without a
  /// password and send any host.
  package var proxies: [String]
  /// `tls`; nil: in the clear.
  package var tls: Certificate?

  /// `tls: { cert_file: …, key_file: … }`, absolute paths of PEM files.
  package struct Certificate: Hashable, Sendable {
    package var certFile: String
    package var keyFile: String
  }

  package static let defaultPort = 8099

  package init(
    address: String = "127.0.0.1", port: Int = HTTPSettings.defaultPort, readPassword: Secret? = nil,
    writePassword: Secret? = nil, hosts: [String] = [], proxies: [String] = [], tls: Certificate? = nil
  ) {
    self.address = address
    self.port = port
    self.readPassword = readPassword
    self.writePassword = writePassword
    self.hosts = hosts
    self.proxies = proxies
    self.tls = tls
  }

  /// Whether only programs on this machine can reach it.
  package var isLoopback: Bool {
    let octets = address.split(separator: ".", omittingEmptySubsequences: false)
    return address == "::1"
      || octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
  }

  /// The address as in a URL.
  package var host: String { address.contains(":") ? "[\(address)]" : address }

  /// Sets the address, the port or both.
  package mutating func listen(to place: ListenAddress) {
    if let address = place.address { self.address = address }
    if let port = place.port { self.port = port }
  }
}

/// An IP address as text in its shortest form; nil for anything else. Names are refused, because they may resolve to another
/// address later.
package func ipAddress(_ text: some StringProtocol) -> String? {
  for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
    var bytes = [UInt8](repeating: 0, count: size)
    guard unsafe inet_pton(family, String(text), &bytes) == 1 else { continue }
    var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(family, bytes, &shortest, socklen_t(shortest.count)) != nil else { continue }
    return String(decoding: shortest.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  return nil
}

/// Whether a text can be the name of a host (RFC 1123, section 2.1), or has underscores as in some local networks.
func isHostName(_ text: String) -> Bool {
  func isPartOfLabel(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
  }
  return (1...253).contains(text.utf8.count)
    && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isPartOfLabel)
    }
}

/// Where a server listens: `127.0.0.1:8099`, `[::1]:8099`, an address alone or a port alone.
package struct ListenAddress: Equatable {
  package var address: String?
  package var port: Int?

  private static let hint =
    "an address and a port, for example \"127.0.0.1:8099\"; \"0.0.0.0:8099\" is every network"

  package init(_ text: String) throws(SettingFault) {
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      port = try Self.port(text[...])
      return
    }
    guard let (host, rest) = Self.split(text) else {
      throw SettingFault("\(quoted(text)) is not an address to listen on", hint: Self.hint)
    }
    guard let address = ipAddress(host) else {
      throw SettingFault(
        "listen must be an IP address, not \(quoted(String(host)))", hint: Self.remedy(host))
    }
    self.address = address
    port = try rest.map(Self.port)
  }

  /// Host, and port if there is a colon; the host of IPv6 without its brackets.
  private static func split(_ text: String) -> (host: Substring, port: Substring?)? {
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      return (text[text.index(after: text.startIndex)..<end], rest.isEmpty ? nil : rest.dropFirst())
    }
    guard let colon = text.firstIndex(of: ":") else { return (text[...], nil) }
    let rest = text[text.index(after: colon)...]
    // Several colons are an IPv6 address; its end only looks like a port.
    return rest.contains(":") ? nil : (text[..<colon], rest)
  }

  private static func port(_ text: Substring) throws(SettingFault) -> Int {
    guard let port = UInt16(text) else {
      throw SettingFault(
        "\(quoted(String(text))) is not a port", hint: "from 1 to 65535; 0 takes any that is free")
    }
    return Int(port)
  }

  private static func remedy(_ host: Substring) -> String {
    switch host.lowercased() {
    case "localhost": "127.0.0.1 is this machine alone"
    case "", "*": "0.0.0.0 is every network of this machine, 127.0.0.1 this machine alone"
    default: "an address of this machine; names by which browsers reach it go into hosts"
    }
  }
}
