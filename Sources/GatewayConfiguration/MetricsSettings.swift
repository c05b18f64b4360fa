import Glibc

/// `metrics:` – where the gateway's counters can be scraped.
public struct MetricsSettings: Hashable, Sendable {
  /// An IPv4 or IPv6 address of this machine.
  public var address: String
  public var isIPv6: Bool
  public var port: UInt16

  public init(address: String, isIPv6: Bool, port: UInt16) {
    self.address = address
    self.isIPv6 = isIPv6
    self.port = port
  }

  /// As a URL has it.
  public var host: String { isIPv6 ? "[\(address)]" : address }
}

/// Reads `metrics:`.
struct MetricsReader {
  private static let hint = "127.0.0.1:9464 for this machine only, 0.0.0.0:9464 for all, or [::]:9464"

  func read(_ value: Value) -> MetricsSettings? {
    guard let section = value.section(hint: "for example { listen: 127.0.0.1:9464 }") else { return nil }
    defer { section.finish() }
    guard let listen = section.take("listen") else {
      value.error("metrics needs listen", hint: Self.hint)
      return nil
    }
    guard let text = listen.text(hint: Self.hint) else { return nil }
    guard let place = hostAndPort(text[...]), let port = place.port else {
      listen.error(
        "listen must be an address and a port from 1 to 65535, not \(quoted(text))", hint: Self.hint)
      return nil
    }
    let isIPv6 = text.first == "["
    var room = in6_addr()
    guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, place.host, &room) == 1 else {
      listen.error("\(quoted(place.host)) is no address of a machine in numbers", hint: Self.hint)
      return nil
    }
    return MetricsSettings(address: place.host, isIPv6: isIPv6, port: port)
  }
}
