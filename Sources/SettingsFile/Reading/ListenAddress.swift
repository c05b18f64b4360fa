import Glibc
import Settings

/// An IP address as text in its shortest form; nil for anything else. Names are none: what they mean may change.
func ipAddress(_ text: some StringProtocol) -> String? {
  for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
    var bytes = [UInt8](repeating: 0, count: size)
    guard unsafe inet_pton(family, String(text), &bytes) == 1 else { continue }
    var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(family, bytes, &shortest, socklen_t(shortest.count)) != nil else { continue }
    return String(decoding: shortest.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  return nil
}

/// Where a server listens: `127.0.0.1:8099`, `[::1]:8099`, an address alone or a port alone.
struct ListenAddress: Equatable {
  var address: String?
  var port: Int?

  static let hint = "an address and a port, for example \"127.0.0.1:8099\"; \"0.0.0.0:8099\" is every network"

  /// Reads it, or reports why it cannot.
  init?(_ value: Value) {
    guard let text = value.text(hint: "put it in quotes, for example \"[::1]:8099\"") else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let port = Self.port(text[...], value) else { return nil }
      self.port = port
      return
    }
    guard let (host, rest) = Self.split(text) else {
      value.error("\(quoted(text)) is not an address to listen on", hint: Self.hint)
      return nil
    }
    guard let address = ipAddress(host) else {
      value.error("listen must be an IP address, not \(quoted(String(host)))", hint: Self.remedy(host))
      return nil
    }
    self.address = address
    guard let rest else { return }
    guard let port = Self.port(rest, value) else { return nil }
    self.port = port
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
    // More colons are an address of IPv6, whose end could be a port.
    return rest.contains(":") ? nil : (text[..<colon], rest)
  }

  private static func port(_ text: Substring, _ value: Value) -> Int? {
    guard let port = UInt16(text) else {
      return value.refused(
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
