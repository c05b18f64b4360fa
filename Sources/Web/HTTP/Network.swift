import Glibc

/// The network of a client, for limits: a client with one IPv6 address can use all of its /64.
enum Network {
  /// - Parameter peer: an IP address as text.
  static func of(_ peer: String) -> String {
    guard let octets = octets(ofIPv6: peer) else { return peer }
    return octets.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// nil: the text is no IPv6 address. A zone such as `%eth0` is left out.
  private static func octets(ofIPv6 text: String) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: 16)
    return unsafe inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &octets) == 1 ? octets : nil
  }

  static func isIPv6(_ text: String) -> Bool { octets(ofIPv6: text) != nil }

  static func isIPv4(_ text: String) -> Bool {
    var octets = [UInt8](repeating: 0, count: 4)
    return unsafe inet_pton(AF_INET, text, &octets) == 1
  }
}
