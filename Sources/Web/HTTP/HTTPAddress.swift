/// The address of a gateway's HTTP server: `http://gate.lan:8099/beaconkeeper/`.
package struct HTTPAddress: Hashable, Sendable {
  package var isTLS: Bool
  /// A name or an address; one of IPv6 without brackets.
  package var host: String
  package var port: Int
  /// Starts and ends with a slash.
  package var path: String

  package init(isTLS: Bool = false, host: String, port: Int, path: String = "/") {
    self.isTLS = isTLS
    self.host = host
    self.port = port
    self.path = path
  }

  /// Why a text is not a gateway's address, in plain words.
  package struct Malformed: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// Parses a URL; the default scheme is http.
  ///
  /// - Parameter usualPort: the port if the text has none and the scheme is http or missing.
  package init(_ text: String, usualPort: Int) throws(Malformed) {
    var rest = text[...]
    isTLS = false
    var usual = usualPort
    if let end = text.firstRange(of: "://") {
      switch text[..<end.lowerBound].lowercased() {
      case "http": break
      case "https": (isTLS, usual) = (true, 443)
      default: throw Malformed(description: "the scheme must be http or https")
      }
      rest = text[end.upperBound...]
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let path = rest[slash...]
    var place = rest[..<slash]
    guard !place.contains("@") else {
      throw Malformed(description: "the URL holds a user; passwords come from --password-file")
    }
    guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#\\\"<>".utf8.contains($0) }) else {
      throw Malformed(description: "the URL must end with its path")
    }
    var digits: Substring?
    if place.first == "[" {
      guard let end = place.firstIndex(of: "]") else {
        throw Malformed(description: "the URL has [ without ]")
      }
      let tail = place[place.index(after: end)...]
      guard tail.isEmpty || tail.first == ":" else { throw Malformed(description: "the URL names no port") }
      if !tail.isEmpty { digits = tail.dropFirst() }
      place = place[place.index(after: place.startIndex)..<end]
    } else if let colon = place.firstIndex(of: ":") {
      digits = place[place.index(after: colon)...]
      place = place[..<colon]
    }
    let isHost =
      (1...253).contains(place.utf8.count)
      && place.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"[]<>\"\\^`{|}%".utf8.contains($0) }
    guard isHost else { throw Malformed(description: "the URL names no host") }
    host = String(place)
    port = usual
    if let digits {
      guard let number = UInt16(digits), number > 0 else {
        throw Malformed(description: "the URL needs a port from 1 to 65535")
      }
      port = Int(number)
    }
    self.path = path.isEmpty ? "/" : path.hasSuffix("/") ? String(path) : path + "/"
  }

  /// As in the `Host` header.
  var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension HTTPAddress: CustomStringConvertible {
  package var description: String { "\(isTLS ? "https" : "http")://\(authority)\(path)" }
}
