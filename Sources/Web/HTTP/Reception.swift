import Configuration
import Core
import Dispatch
import NIOCore
import Synchronization

/// Whether somebody still waits for an answer that is being computed.
final class Attempt: Sendable {
  private let flag = Atomic(true)
  var isAwaited: Bool { flag.load(ordering: .relaxed) }
  func end() { flag.store(false, ordering: .relaxed) }
}

/// State that all connections share: logins, connections, open streams. Used only on the server's one thread.
final class Reception {
  /// The largest number of connections. A further one replaces another.
  static let connectionLimit = 100
  /// The largest number of connections of one network. A further one replaces another of its own.
  private static let networkLimit = 50
  /// The largest number of streams.
  static let streamLimit = 40
  /// Long answers that may wait for their turn.
  private static let waitingLimit = 8
  /// The time between two checks for new events.
  private static let beat = TimeAmount.milliseconds(100)

  let gatekeeper: Gatekeeper
  let content: any Content
  let loop: any EventLoop
  /// Whether browsers use TLS, so that cookies must not be sent without it.
  let isSecure: Bool
  private var sessions = Sessions()
  private let store: SessionStore?
  private let onWrongPassword: @Sendable (String) -> Void
  private var tries = PasswordTries()
  /// Browsers send a host's cookies to all its ports, so each gateway on a host needs another name.
  var cookieName = "beaconkeeper"
  private let queue = DispatchQueue(label: "http")
  private let attemptQueue = DispatchQueue(label: "attempts")
  private let disk = DispatchQueue(label: "logins")
  private var waiting = 0
  private var attempting = 0

  private var connections: [ObjectIdentifier: Connection] = [:]
  private var turn: UInt64 = 0
  private var streams: [ObjectIdentifier: Connection] = [:]
  private var ticker: Scheduled<Void>?

  init(
    _ gatekeeper: Gatekeeper, _ content: any Content, store: SessionStore? = nil,
    onWrongPassword: @escaping @Sendable (String) -> Void, loop: any EventLoop
  ) {
    self.gatekeeper = gatekeeper
    self.content = content
    self.loop = loop
    self.store = store
    self.onWrongPassword = onWrongPassword
    isSecure = gatekeeper.settings.tls != nil
    if let text = store?.read() {
      sessions = Sessions(
        saved: text, at: seconds, wall: wallSeconds, passwords: gatekeeper.fingerprint)
      // Saved sessions of a former password must not become valid again.
      keepSessions()
    }
  }

  // MARK: Connections

  /// Registers a connection. Returns whether there is room for it.
  func welcome(_ connection: Connection) -> Bool {
    let own = connections.values.filter { $0.network == connection.network }
    let isProxy = gatekeeper.settings.proxies.contains(connection.peer)
    if own.count >= Self.networkLimit, !isProxy, !closeOne(of: own) { return false }
    if connections.count >= Self.connectionLimit, !closeOne(of: Array(connections.values)) { return false }
    connections[ObjectIdentifier(connection)] = connection
    moved(connection)
    return true
  }

  /// A connection waits for a request, or has one.
  func moved(_ connection: Connection) {
    turn += 1
    connection.turn = turn
  }

  func left(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = nil
    endStream(connection)
  }

  /// Closes a connection of the network with the most connections: the one that has waited longest for a request. If none waits
  /// for a request, the one that has waited longest for its answer, or for the client to read it. Streams have a limit of their
  /// own.
  private func closeOne(of candidates: [Connection]) -> Bool {
    let counts = Dictionary(grouping: candidates, by: \.network).mapValues(\.count)
    let victim = candidates.filter { !$0.isStreaming }.min { one, other in
      (-(counts[one.network] ?? 0), one.isWaiting ? 0 : 1, one.turn)
        < (-(counts[other.network] ?? 0), other.isWaiting ? 0 : 1, other.turn)
    }
    guard let victim else { return false }
    victim.close()
    left(victim)
    return true
  }

  func closeAll() {
    for connection in connections.values { connection.close() }
    ticker?.cancel()
  }

  // MARK: Streams

  /// Returns whether there is room for a further stream.
  func beginStream(_ connection: Connection) -> Bool {
    guard streams.count < Self.streamLimit else { return false }
    streams[ObjectIdentifier(connection)] = connection
    if streams.count == 1 { tickLater() }
    return true
  }

  private func tickLater() {
    ticker = loop.assumeIsolated().scheduleTask(in: Self.beat) { [weak self] in
      guard let self, !self.streams.isEmpty else { return }
      for stream in self.streams.values { stream.tick() }
      self.tickLater()
    }
  }

  private func endStream(_ connection: Connection) {
    streams[ObjectIdentifier(connection)] = nil
    if streams.isEmpty { ticker?.cancel() }
  }

  // MARK: Long answers

  /// Computes an answer on another thread; nil if too many wait already.
  func compute(_ body: @escaping @Sendable () -> Response) -> EventLoopFuture<Response>? {
    guard waiting < Self.waitingLimit else { return nil }
    waiting += 1
    let promise = loop.makePromise(of: Response.self)
    queue.async { promise.succeed(body()) }
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.waiting -= 1 }
    return promise.futureResult
  }

  /// Computes what the client waits for, beside all other answers; nil: too many wait already.
  func attempt(_ body: @escaping @Sendable (@Sendable () -> Bool) -> Response) -> (
    Attempt, EventLoopFuture<Response>
  )? {
    guard attempting < Self.waitingLimit else { return nil }
    attempting += 1
    let attempt = Attempt()
    let promise = loop.makePromise(of: Response.self)
    attemptQueue.async { promise.succeed(body { attempt.isAwaited }) }
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.attempting -= 1 }
    return (attempt, promise.futureResult)
  }

  // MARK: Rights

  var seconds: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }
  private var wallSeconds: Int64 { LiveClock.wallNow.nanoseconds / 1_000_000_000 }

  private func keepSessions() {
    guard let store else { return }
    let text = sessions.saved(
      at: seconds, wall: wallSeconds, salt: Self.unguessable, passwords: gatekeeper.fingerprint)
    disk.async { store.write(text) }
  }

  /// A client's rights, by session, password or address; nil: too many wrong passwords came from its address.
  func rights(of request: Request) -> Rights? {
    if let id = Sessions.id(in: request.headers["cookie"], named: cookieName),
      let rights = sessions.rights(of: id, at: seconds)
    {
      return rights
    }
    guard request.headers["authorization"] != nil else { return gatekeeper.rights(of: request) }
    let password = Gatekeeper.password(in: request.headers["authorization"])
    return tried(password, from: request.peer, gatekeeper.rights(of: request)) { $0.read }
  }

  /// The rights that a password gives; nil: too many wrong ones came from this network. The test runs in any case.
  private func tried<Given>(
    _ password: String?, from peer: String, _ given: Given, isRight: (Given) -> Bool
  ) -> Given? {
    let network = Network.of(peer)
    guard tries.mayTry(password, from: network, at: seconds) else { return nil }
    if isRight(given) {
      tries.succeeded(password, from: network)
      return given
    }
    let areTooMany = tries.failed(from: network, at: seconds)
    if let news = tries.news(from: network) { onWrongPassword(news) }
    return areTooMany ? nil : given
  }

  /// A login with `{"password": …}`: a cookie that scripts cannot read and that other sites' pages do not send.
  func logIn(_ password: String, from peer: String) -> Response {
    guard let given = tried(password, from: peer, gatekeeper.rights(for: password), isRight: { $0 != nil })
    else { return Connection.tooManyTries }
    guard let rights = given else { return .error(401, "This password is wrong.") }
    let id = Self.unguessable
    sessions.begin(id, Rights(read: rights.read, write: rights.write, isLoggedIn: true), at: seconds)
    keepSessions()
    return cookie(id, lifetime: Sessions.lifetime)
  }

  func logOut(_ request: Request) -> Response {
    if let id = Sessions.id(in: request.headers["cookie"], named: cookieName) {
      sessions.end(id)
      keepSessions()
    }
    return cookie("", lifetime: 0)
  }

  private static var unguessable: String {
    String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  private func cookie(_ id: String, lifetime: Int64) -> Response {
    var response = Response.done
    let secure = isSecure ? "; Secure" : ""
    response.headers.append(
      ("Set-Cookie", "\(cookieName)=\(id); Max-Age=\(lifetime); HttpOnly; SameSite=Strict\(secure)"))
    return response
  }
}
