import CTLS
import Configuration
import Core
import FoundationEssentials

/// Decides which requests are allowed. A function of the request and the settings; `Sessions` stores logins.
///
/// Any page in a browser on the same network can make the browser send requests here. Three checks keep such pages out: `Host`
/// must be a name of ours (a page that rebinds its own name to our address sends its own name), `Origin` must be ours for
/// requests that change something, and browsers send cookies only from our own pages (SameSite=Strict).
struct Gatekeeper: Sendable {
  let settings: HTTPSettings
  /// This machine's own name.
  let machine: String

  enum Refusal: Error, Equatable {
    /// 421: the host in the request is not ours.
    case foreignHost
    /// 403: the request comes from a page that is not ours.
    case foreignOrigin
  }

  /// Throws if another site's page may have sent the request.
  func check(_ request: Request) throws(Refusal) {
    if settings.proxies.contains(request.peer) { return }
    guard let host = request.headers["host"], isOurs(host) else { throw .foreignHost }
    // Browsers send where a request comes from; other clients do not.
    if let site = request.headers["sec-fetch-site"], site == "cross-site" || site == "same-site",
      request.headers["sec-fetch-mode"] != "navigate" || request.method != .get
    {
      throw .foreignOrigin
    }
    guard let origin = request.headers["origin"] else { return }
    // Scheme and host (RFC 6454, section 6.1); or `null`, which is never allowed.
    let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].isEmpty, parts[2].lowercased() == host.lowercased() else {
      throw .foreignOrigin
    }
  }

  /// The rights by address or password, without a session.
  func rights(of request: Request) -> Rights {
    if let password = Self.password(in: request.headers["authorization"]) {
      return rights(for: password) ?? .none
    }
    let needsNone = settings.readPassword == nil && settings.isLoopback
    return Rights(read: needsNone || settings.proxies.contains(request.peer), write: false)
  }

  /// The rights that a password gives; nil: it is wrong.
  func rights(for password: String) -> Rights? {
    // Both are compared, so that the time reveals nothing.
    let mayWrite = settings.writePassword.map { Self.isEqual($0.revealed, password) } ?? false
    let mayRead = settings.readPassword.map { Self.isEqual($0.revealed, password) } ?? false
    return mayWrite || mayRead ? Rights(read: true, write: mayWrite) : nil
  }

  /// A fingerprint of the passwords: a login is valid as long as they stay the same.
  func fingerprint(_ salt: String) -> String {
    let words = [salt] + [settings.readPassword, settings.writePassword].map { $0?.revealed ?? "" }
    let text = Array(words.map { "\($0.utf8.count) \($0)" }.joined().utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil)
    return hexadecimal(digest)
  }

  /// An IP address cannot be rebound, and `localhost` needs no name server.
  private func isOurs(_ host: String) -> Bool {
    let (name, port) = Self.split(host: host)
    guard !name.isEmpty, port.allSatisfy(\.isNumber) else { return false }
    if name == "localhost" || Self.isAddress(name) { return true }
    let own = machine.lowercased()
    return name == own || name == own + ".local" || settings.hosts.contains { $0.lowercased() == name }
  }

  /// Lower-case name and port.
  private static func split(host: String) -> (name: String, port: Substring) {
    let host = host.lowercased()
    let end =
      host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
    guard let end else { return (host, "") }
    let rest = host[end...]
    return (String(host[..<end]), rest.hasPrefix(":") ? rest.dropFirst() : rest)
  }

  /// An IPv4 address, or one of IPv6 in brackets.
  private static func isAddress(_ name: String) -> Bool {
    name.hasPrefix("[") && name.hasSuffix("]")
      ? Network.isIPv6(String(name.dropFirst().dropLast())) : Network.isIPv4(name)
  }

  /// The password of `Basic` (RFC 7617) or the token of `Bearer` (RFC 6750); nil if there is none.
  static func password(in authorization: String?) -> String? {
    guard let authorization else { return nil }
    let words = authorization.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return "" }
    switch words[0].lowercased() {
    case "bearer": return String(words[1])
    case "basic":
      guard let bytes = Data(base64Encoded: String(words[1])),
        let text = String(validating: bytes, as: UTF8.self)
      else { return "" }
      return text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) } ?? ""
    default: return ""
    }
  }

  /// Takes as long for a wrong password as for the right one.
  private static func isEqual(_ secret: String, _ given: String) -> Bool {
    let (secret, given) = (Array(secret.utf8), Array(given.utf8))
    var difference = UInt(bitPattern: secret.count ^ given.count)
    for place in secret.indices {
      difference |= UInt(secret[place] ^ (given.isEmpty ? 0 : given[place % given.count]))
    }
    return difference == 0
  }
}

/// What a client may do.
package struct Rights: Sendable, Hashable {
  package var read: Bool
  package var write: Bool
  /// Whether they come from a login, which can be ended.
  package var isLoggedIn = false

  package static let none = Rights(read: false, write: false)
}
