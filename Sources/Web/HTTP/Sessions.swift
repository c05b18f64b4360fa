/// The logins, each with its cookie and its rights. A limited number is kept, for a day.
struct Sessions {
  private struct Session {
    var rights: Rights
    /// Seconds, on the caller's clock.
    var expiry: Int64
  }

  private static let limit = 64
  static let lifetime: Int64 = 86400
  /// How many wrong passwords an address may send in a minute; then its requests wait, right or wrong.
  static let triesPerMinute = 10
  /// How many addresses are counted separately in a minute. Further ones wait.
  private static let peerLimit = 1000

  private var sessions: [String: Session] = [:]
  /// By address, in this minute.
  private var tries: [String: Int] = [:]
  private var minute: Int64 = 0

  /// Whether a password may be tried now.
  mutating func mayTry(_ peer: String, at seconds: Int64) -> Bool {
    if seconds / 60 != minute { (minute, tries) = (seconds / 60, [:]) }
    return tries[peer].map { $0 < Self.triesPerMinute } ?? (tries.count < Self.peerLimit)
  }

  /// Records a wrong password.
  mutating func failed(_ peer: String) { tries[peer, default: 0] += 1 }

  /// - Parameter id: must be unguessable.
  mutating func begin(_ id: String, _ rights: Rights, at seconds: Int64) {
    sessions = sessions.filter { $0.value.expiry > seconds }
    if sessions.count >= Self.limit, let oldest = sessions.min(by: { $0.value.expiry < $1.value.expiry }) {
      sessions[oldest.key] = nil
    }
    sessions[id] = Session(rights: rights, expiry: seconds + Self.lifetime)
  }

  mutating func end(_ id: String) { sessions[id] = nil }

  func rights(of id: String, at seconds: Int64) -> Rights? {
    guard let session = sessions[id], session.expiry > seconds else { return nil }
    return session.rights
  }

  /// The session's id in a `Cookie` header (RFC 6265, section 4.2).
  static func id(in header: String?, named cookie: String) -> String? {
    for pair in (header ?? "").split(separator: ";") {
      let sides = pair.split(separator: "=", maxSplits: 1)
      if sides.count == 2, sides[0].filter({ $0 != " " }) == cookie { return String(sides[1]) }
    }
    return nil
  }
}
