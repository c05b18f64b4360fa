/// `http:` – the dashboard, the API and the metrics.
public struct HTTPSettings: Hashable, Sendable {
  /// `listen`: an IP address; default 127.0.0.1.
  public var address: String
  /// 0: any free one.
  public var port: Int
  /// `password_file`: allows viewing; nil: everybody who reaches the address may view, which is possible only on loopback.
  public var readPassword: Secret?
  /// `write_password_file`: also allows changing the configuration; nil: nobody may.
  public var writePassword: Secret?
  /// `hosts`: names by which browsers reach the gateway, besides IP addresses, localhost and this machine's own name.
  public var hosts: [String]
  /// `proxies`: addresses of proxies that authenticate users, such as Home Assistant's ingress. They may look without a
  /// password and send any host.
  public var proxies: [String]
  /// `tls`; nil: in the clear.
  public var tls: Certificate?

  /// `tls: { cert_file: …, key_file: … }`, absolute paths of PEM files.
  public struct Certificate: Hashable, Sendable {
    public var certFile: String
    public var keyFile: String

    public init(certFile: String, keyFile: String) {
      self.certFile = certFile
      self.keyFile = keyFile
    }
  }

  public static let defaultPort = 8099

  public init(
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
  public var isLoopback: Bool {
    let octets = address.split(separator: ".", omittingEmptySubsequences: false)
    return address == "::1"
      || octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
  }

  /// The address as a URL has it.
  public var host: String { address.contains(":") ? "[\(address)]" : address }

  /// An address of this machine's own with a port, such as `127.0.0.1:8099` or `[::1]:8099`; nil for anything else.
  public init?(loopback text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
    self.init(address: host == "localhost" ? "127.0.0.1" : host, port: Int(port))
    guard isLoopback else { return nil }
  }
}
