import Machine
import CMosquitto
import Glibc
import Synchronization

/// The thread that connects, drives libmosquitto, and connects again until the session is stopped.
struct Loop {
  let session: Session
  private var failures = 0
  private var established: ContinuousClock.Instant?
  private var refusal: ConnectionFailure?
  private var disconnectCode: Int32?
  /// Reading was broken off to look at what has come; there may be more that `poll` does not tell.
  private var mayHoldMore = false
  /// libmosquitto holds messages that wait in the backlog again.
  private var mustRenew = false
  private var reception: Reception
  /// The good-bye is said, if perhaps not yet written.
  private(set) var isLeaving = false
  /// The largest packet that the broker takes, in octets.
  private(set) var maximumPacket = Int.max
  /// Room for what is handed over.
  var batch = MessageQueue()

  var client: OpaquePointer { session.handle.pointer }

  /// A connection that held this long makes earlier failures forgotten. Two clients with one id, who throw each
  /// other out for ever, shall slow down.
  private static let stable = Duration.seconds(5)

  static func start(_ session: Session) {
    let box = Unmanaged.passRetained(session)
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { box in
        guard let box else { return nil }
        let session = Unmanaged<Session>.fromOpaque(box).takeRetainedValue()
        // Signals belong to the main thread; and a broker that vanishes must not end us by SIGPIPE.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var loop = Loop(session: session)
        loop.run()
        return nil
      }, box.toOpaque())
    if error == 0 {
      pthread_detach(thread)
    } else {
      box.release()
      session.events.yield(
        .refused(ConnectionFailure(.other, "no thread: \(String(cString: strerror(error)))")))
      session.ended()
    }
  }

  private init(session: Session) {
    self.session = session
    reception = Reception(limit: session.options.maximumPacket)
  }

  private mutating func run() {
    session.handle.inbox.diagnoseThisThread()
    // A first attempt is made even if a stop came before it: there may be something to deliver.
    while session.state.withLock({ !$0.isDone }) {
      let (error, number) = connect()
      attemptEnded(error, number)
      let options = session.options
      // What rang for the connection that is gone is no reason to hurry; a stop that rang now shows in the phase.
      session.bell.silence()
      guard session.state.withLock({ $0.phase == .running }) else { break }
      session.bell.sleep(for: options.backoff.delay(failures: failures, chance: .random(in: 0...1)))
    }
    session.ended()
  }

  /// One connection from beginning to end. Returns libmosquitto's error and `errno`.
  private mutating func connect() -> (error: Int32, errno: Int32) {
    let options = session.options
    established = nil
    refusal = nil
    disconnectCode = nil
    mayHoldMore = false
    reception.gotPacket()
    isLeaving = false
    _ = session.handle.inbox.takeDiagnosis()
    if mustRenew {
      do throws(InvalidOptions) {
        try session.handle.renew(options)
        mustRenew = false
      } catch {
        refusal = ConnectionFailure(.other, error.description)
        return (MOSQ_ERR_INVAL.code, 0)
      }
    }
    var properties = Properties()
    if options.protocolVersion == .v5 {
      if !options.cleanStart {
        properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, options.sessionExpiry.mqttSeconds)
      }
      properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(clamping: options.maximumPacket))
    }
    // Not mosquitto_reconnect: it would forget the properties.
    errno = 0
    var error = mosquitto_connect_bind_v5(
      client, options.host, Int32(options.port), Int32(options.keepAlive.mqttSeconds), nil, properties.list)
    var number = errno
    while error == MOSQ_ERR_SUCCESS.code {
      error = turn()
      number = errno
      work()
      if established == nil, session.state.withLock({ $0.isDone }) { break }
    }
    return (error, number)
  }

  /// With more messages than this under way, acknowledgements are let gather: they come one by one, and each would wake
  /// this thread.
  private static let crowd = 16
  private static let gathering: useconds_t = 200
  /// So much from the broker is looked at before more is read.
  private static let readLimit = 1000

  /// Hands over what waits; waits for the broker, or the bell, for a second at most; lets libmosquitto read, write and ping.
  /// Returns its error.
  ///
  /// Not `mosquitto_loop`: it would come back once for every message published.
  private mutating func turn() -> Int32 {
    let handedOver = handOver()
    if let failure = handedOver.failure {
      errno = failure.errno
      return failure.error
    }
    if !isLeaving, session.state.withLock({ $0.isLeaving }) {
      isLeaving = true
      mosquitto_disconnect(client)
    }
    let socket = mosquitto_socket(client)
    guard socket >= 0 else { return MOSQ_ERR_NO_CONN.code }
    let wanted = mosquitto_want_write(client) ? POLLIN | POLLOUT : POLLIN
    var polled: (broker: pollfd, bell: pollfd) = (
      pollfd(fd: socket, events: Int16(wanted), revents: 0),
      pollfd(fd: session.bell.reading, events: Int16(POLLIN), revents: 0)
    )
    let rest: Int32 = session.state.withLock { $0.unproven == nil } ? 1000 : 10
    let patience: Int32 = handedOver.count > 0 || mayHoldMore ? 0 : rest
    let found = withUnsafeMutableBytes(of: &polled) { entries in
      poll(entries.baseAddress?.assumingMemoryBound(to: pollfd.self), 2, patience)
    }
    if found < 0 { return errno == EINTR ? MOSQ_ERR_SUCCESS.code : MOSQ_ERR_ERRNO.code }
    if polled.bell.revents != 0 { session.bell.silence() }
    if polled.broker.revents & ~Int16(POLLOUT) != 0 || mayHoldMore {
      if handedOver.underWay > Loop.crowd { usleep(Loop.gathering) }
      let error = readAll()
      if error != MOSQ_ERR_SUCCESS.code || mosquitto_socket(client) < 0 { return error }
    }
    if polled.broker.revents & Int16(POLLOUT) != 0 {
      // A handshake of TLS goes on by reading, also where it was to write.
      if established == nil, session.options.tls != nil {
        let error = readAll()
        if error != MOSQ_ERR_SUCCESS.code || mosquitto_socket(client) < 0 { return error }
      }
      errno = 0
      let error = write()
      if error != MOSQ_ERR_SUCCESS.code || mosquitto_socket(client) < 0 { return error }
    }
    return mosquitto_loop_misc(client)
  }

  /// Lets libmosquitto read until nothing comes any more, or so much has come that it is to be looked at first.
  ///
  /// One call may stop before that: it ends where it finds EAGAIN in `errno`, and its own answers leave that there, for they
  /// ring a bell for `mosquitto_loop`, which nobody hears. What TLS has decrypted by then, `poll` does not tell.
  private mutating func readAll() -> Int32 {
    let inbox = session.handle.inbox
    let first = inbox.count
    var (before, after) = (0, first)
    repeat {
      before = after
      errno = 0
      let error = mosquitto_loop_read(client, 1)
      if error != MOSQ_ERR_SUCCESS.code || mosquitto_socket(client) < 0 { return error }
      after = inbox.count
      mayHoldMore = after > before
    } while mayHoldMore && after < Loop.readLimit
    if after > first {
      reception.gotPacket()
    } else if reception.isTooLarge(mosquitto_socket(client)) {
      shutdown(mosquitto_socket(client), Int32(SHUT_RDWR))
      return MOSQ_ERR_OVERSIZE_PACKET.code
    }
    return MOSQ_ERR_SUCCESS.code
  }

  /// Works through what the callbacks left behind.
  private mutating func work() {
    let (items, written) = (session.handle.inbox.take(), session.handle.inbox.takeWritten())
    let isProven = session.state.withLock { $0.unproven.map { $0.until <= .now } ?? false }
    if items.isEmpty, written == 0, !isProven { return }
    var news: [Event] = []
    session.state.withLock { state in
      state.unwritten -= written
      for item in items { take(item, &state, &news) }
      // Not if the connection went meanwhile.
      if isProven, disconnectCode == nil { proven(&state, &news) }
      state.isLoopAsleep = false
      if state.hasRoom(session.options.maximumOutstanding) { state.waiters.wakeAll(for: .room) }
      if state.isDone { session.disconnect(&state) }
    }
    session.events.yield(contentsOf: news)
  }

  private mutating func take(_ item: Inbox.Item, _ state: inout Session.State, _ news: inout [Event]) {
    switch item {
    case .connack(code: 0, let sessionPresent, let maximumPacket, _):
      self.maximumPacket = maximumPacket
      state.connected = true
      established = .now
      news.append(.connected(sessionPresent: sessionPresent))
      for (filter, qos) in state.subscriptions { session.ask(for: filter, qos: qos, &state) }
      if state.isDone { session.disconnect(&state) }
    case .connack(let code, _, _, _):
      refusal = ConnectionFailure(connack: code, reason: reasonWords(code))
    case .answered(let mid, let reason):
      answered(mid, reason, &state, &news)
    case .subscribed(let mid, let granted):
      if let filter = state.subscribing.removeValue(forKey: mid), granted >= 0x80 {
        news.append(.subscriptionRefused(filter: filter, reason: reasonWords(granted)))
      }
    case .unsubscribed: break
    case .message(let message): news.append(.message(message))
    case .oversized: session.events.countLost()
    // The first names the cause; libmosquitto may call again for the closed socket.
    case .disconnected(let code): disconnectCode = disconnectCode ?? code
    }
  }

  private mutating func attemptEnded(_ error: Int32, _ number: Int32) {
    work()
    let code = disconnectCode ?? error
    var news: [Event] = []
    session.state.withLock { state in
      state.connected = false
      if established != nil {
        mustRenew = connectionEnded(byBroker: isBrokersDoing(code, number), &state, &news) || mustRenew
      }
      state.isLeaving = false
      // libmosquitto throws these away when it connects again.
      state.unwritten = 0
      state.backlog.dropAtMostOnce()
      state.isLoopAsleep = false
      state.subscribing.removeAll()
      // Who waited for those to be written learns that there is no connection.
      state.waiters.wakeAll(for: .room)
    }
    let diagnosis = session.handle.inbox.takeDiagnosis()
    if let established {
      let isFresh =
        ContinuousClock.now - established > Loop.stable
        || session.state.withLock { $0.caution.isSearching }
      failures = isFresh ? 1 : failures + 1
      session.events.yield(contentsOf: news)
      let reason =
        code == 0 ? "disconnected" : code >= 0x80 ? reasonWords(code) : diagnosis.line ?? words(code, number)
      session.events.yield(.disconnected(reason: reason))
    } else {
      failures += 1
      guard session.state.withLock({ $0.phase == .running }) else { return }
      let failure =
        refusal ?? ConnectionFailure(error: error, errno: number, diagnosis: diagnosis, session.options)
      session.events.yield(.refused(failure))
    }
  }

  private func words(_ code: Int32, _ number: Int32) -> String {
    switch code {
    case MOSQ_ERR_ERRNO.code where number != 0: String(cString: strerror(number))
    // Without errno: the end of the stream within a packet.
    case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code, MOSQ_ERR_ERRNO.code:
      session.options.protocolVersion == .v311
        ? "the broker closed the connection; with MQTT 3.1.1 it cannot say why"
        : "the broker closed the connection and gave no reason"
    case MOSQ_ERR_OVERSIZE_PACKET.code:
      "the broker sent a packet of more than \(session.options.maximumPacket) octets"
    case MOSQ_ERR_KEEPALIVE.code: "the broker did not answer within \(session.options.keepAlive)"
    default: Mosquitto.words(code)
    }
  }
}
