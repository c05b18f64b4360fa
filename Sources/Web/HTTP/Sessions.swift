/// The logins, each with its cookie and its rights. A limited number is kept, for a day.
struct Sessions {
  private struct Session {
    var rights: Rights
    /// Seconds, on the caller's clock.
    var expiry: Int64
    /// The session with the lowest rank makes room first.
    var rank: (Int, Int64) { (rights.write ? 1 : 0, expiry) }
  }

  private static let limit = 64
  static let lifetime: Int64 = 86400

  private var sessions: [String: Session] = [:]

  init() {}

  /// - Parameter id: must be unguessable.
  mutating func begin(_ id: String, _ rights: Rights, at seconds: Int64) {
    sessions = sessions.filter { $0.value.expiry > seconds }
    // A client with the password for viewing must not be able to displace clients that may write.
    if sessions.count >= Self.limit, let oldest = sessions.min(by: { $0.value.rank < $1.value.rank }) {
      sessions[oldest.key] = nil
    }
    sessions[id] = Session(rights: rights, expiry: seconds + Self.lifetime)
  }

  mutating func end(_ id: String) { sessions[id] = nil }

  func rights(of id: String, at seconds: Int64) -> Rights? {
    guard let session = sessions[id], session.expiry > seconds else { return nil }
    return session.rights
  }

  // MARK: Through a restart

  /// The text for the next process: a salt and the passwords' fingerprint, then a line for each session with its id, its end, and
  /// `w` if it may write.
  ///
  /// - Parameters:
  ///   - wall: the calendar's seconds, because the caller's clock may begin anew.
  ///   - passwords: the fingerprint, with a salt.
  func saved(at seconds: Int64, wall: Int64, salt: String, passwords: (String) -> String) -> String {
    sessions.reduce(into: "\(salt) \(passwords(salt))\n") { text, entry in
      text += "\(entry.key) \(entry.value.expiry - seconds + wall) \(entry.value.rights.write ? "w" : "r")\n"
    }
  }

  /// The sessions of an earlier process; none if the passwords have changed.
  init(saved text: String, at seconds: Int64, wall: Int64, passwords: (String) -> String) {
    let lines = text.split(separator: "\n")
    guard let first = lines.first?.split(separator: " ").map(String.init), first.count == 2,
      first[1] == passwords(first[0])
    else { return }
    for line in lines.dropFirst().prefix(Self.limit) {
      let words = line.split(separator: " ")
      guard words.count == 3, let end = Int64(words[1]), end > wall else { continue }
      let rights = Rights(read: true, write: words[2] == "w", isLoggedIn: true)
      sessions[String(words[0])] = Session(rights: rights, expiry: seconds + min(end - wall, Self.lifetime))
    }
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

/// Where logins are kept, so that a restart logs nobody out.
package struct SessionStore: Sendable {
  package let read: @Sendable () -> String?
  /// Called on a thread that may wait for a disk.
  package let write: @Sendable (String) -> Void

  package init(read: @escaping @Sendable () -> String?, write: @escaping @Sendable (String) -> Void) {
    self.read = read
    self.write = write
  }
}

/// Limits the wrong passwords from one network in a minute. Beyond the limit only few more are tried, but a password that was
/// right before is accepted. So neither a neighbour nor a mistyping user with the same address keeps a program out.
struct PasswordTries {
  static let perMinute = 10
  /// Beyond `perMinute`, this many are tried at once and one more each second, so that the right password has a chance.
  private static let reserve = 5
  private static let knownLimit = 256
  /// The largest number of lines in the log in a minute.
  private static let toldLimit = 10

  /// By the network's hash: many networks cannot use up what another one has, and need no memory.
  private var counts = [UInt8](repeating: 0, count: 1 << 16)
  /// The second of the minute in which `perMinute` was reached.
  private var exhausted = [UInt8](repeating: 0, count: 1 << 16)
  private var minute: Int64 = 0
  private var told = 0
  /// Hashes of network and password that were right. The hashes differ in each process.
  private var known: Set<Int> = []

  /// Whether a password may be tried now.
  mutating func mayTry(_ password: String?, from network: String, at seconds: Int64) -> Bool {
    if seconds / 60 != minute {
      minute = seconds / 60
      counts = [UInt8](repeating: 0, count: counts.count)
      told = 0
    }
    return known.contains(Self.hash(password, network))
      || Int64(counts[place(network)]) < Self.allowed(after: exhausted[place(network)], at: seconds)
  }

  private static func allowed(after exhausted: UInt8, at seconds: Int64) -> Int64 {
    Int64(perMinute + reserve) + max(0, seconds % 60 - Int64(exhausted))
  }

  /// Records a wrong password. Returns whether there were too many.
  mutating func failed(from network: String, at seconds: Int64) -> Bool {
    let place = place(network)
    if counts[place] < .max { counts[place] += 1 }
    if counts[place] <= Self.perMinute { exhausted[place] = UInt8(seconds % 60) }
    return counts[place] > Self.perMinute
  }

  /// The log message about a network's latest wrong password; nil: none, or there were enough in this minute.
  mutating func news(from network: String) -> String? {
    let count = Int(counts[place(network)])
    guard count == 1 || count == Self.perMinute, told < Self.toldLimit else { return nil }
    told += 1
    return count == 1
      ? "a wrong password came from \(network)"
      : "\(count) wrong passwords came from \(network) within a minute"
  }

  mutating func succeeded(_ password: String?, from network: String) {
    if known.count >= Self.knownLimit { known.removeAll() }
    known.insert(Self.hash(password, network))
  }

  private func place(_ network: String) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: network.hashValue) % UInt(counts.count))
  }

  private static func hash(_ password: String?, _ network: String) -> Int {
    var hasher = Hasher()
    hasher.combine(password)
    hasher.combine(network)
    return hasher.finalize()
  }
}
