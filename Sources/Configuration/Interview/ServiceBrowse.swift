/// Brokers in what `avahi-browse --resolve --parsable` prints.
package enum ServiceBrowse {
  /// - Parameter lines: `=;eth0;IPv4;name;_mqtt._tcp;local;host.local;192.168.1.5;1883;"txt"`. They may come from anybody in
  ///   the network.
  /// - Returns: their URLs, each once, in order.
  package static func urls(in lines: [String]) -> [String] {
    var urls: [String] = []
    for line in lines {
      let fields = line.split(separator: ";", omittingEmptySubsequences: false)
      guard fields.count >= 9, fields[0] == "=", let port = UInt16(fields[8]), port > 0 else { continue }
      let isTLS = fields[4] == "_secure-mqtt._tcp"
      guard isTLS || fields[4] == "_mqtt._tcp", isHostName(fields[6]) else { continue }
      let scheme = isTLS ? "mqtts" : "mqtt"
      let suffix = port == (isTLS ? 8883 : 1883) ? "" : ":\(port)"
      let url = "\(scheme)://\(fields[6])\(suffix)"
      if !urls.contains(url) { urls.append(url) }
    }
    return urls
  }

  private static func isHostName(_ text: Substring) -> Bool {
    guard (1...253).contains(text.utf8.count), text.first != "-" else { return false }
    return text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
  }
}
