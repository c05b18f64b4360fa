import Contract

/// A request whose size was checked. Everything in it comes from the client and may be false.
package struct Request: Sendable, Equatable {
  package enum Method: String, Sendable { case get = "GET", head = "HEAD", post = "POST", put = "PUT" }

  package var method: Method
  /// Percent-decoded segments without the empty ones; `/api/v1/zones` has three.
  package var path: [String]
  /// Percent-decoded, the last of each name.
  package var query: [String: String] = [:]
  /// Lower-case names; of repeated ones the values are joined with commas.
  package var headers: [String: String] = [:]
  package var body: [UInt8] = []
  /// The client's IP address as text.
  package var peer = "127.0.0.1"

  /// Path and query of a request target in origin form (RFC 9112, section 3.2.1); nil for any other form, and for bad
  /// escapes, text that is not UTF-8, `.` and `..`.
  static func split(target: String) -> (path: [String], query: [String: String])? {
    guard target.utf8.first == UInt8(ascii: "/"), target.utf8.count <= targetLimit else { return nil }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for segment in parts[0].split(separator: "/") {
      guard let text = decoded(segment), text != ".", text != "..", !text.utf8.contains(0) else { return nil }
      path.append(text)
    }
    var query: [String: String] = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0], plusIsSpace: true),
        let value = decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
      else { return nil }
      query[name] = value
    }
    return (path, query)
  }

  /// Host and origin form of a target in absolute form, as clients send it to proxies (RFC 9112, section 3.2.2); its host counts,
  /// whatever the header `Host` says. nil: it has another form.
  static func absolute(target: String) -> (host: String, target: String)? {
    let scheme = ["http://", "https://"].first { target.prefix($0.count).lowercased() == $0 }
    guard let scheme, target.utf8.count <= targetLimit else { return nil }
    let rest = target.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    guard end > rest.startIndex, !rest[..<end].contains("@") else { return nil }
    let path = rest[end...]
    return (String(rest[..<end]), path.hasPrefix("/") ? String(path) : "/\(path)")
  }

  /// The longest request target in bytes.
  static let targetLimit = 4096

  /// Percent-decoded text; nil if it is malformed.
  private static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    unescaped(plusIsSpace ? text.replacing("+", with: " ") : text, marker: UInt8(ascii: "%"))
  }
}
