import CMosquitto
import Core
import Glibc
import Synchronization

/// The thread that connects, runs libmosquitto, and reconnects until the session is stopped.
struct Loop {
  let session: Session
  var failures = 0
  var established: ContinuousClock.Instant?
  var refusal: ConnectionFailure?
  var disconnectCode: Int32?
  /// Reading was interrupted to process what had arrived. There may be more data that `poll` does not show.
  private var mayHoldMore = false
  /// libmosquitto holds messages that are also waiting in the backlog.
  var mustRenew = false
  private var oversize: OversizeWatch
  /// The disconnect has been requested, but may not be written yet.
  private(set) var isLeaving = false
  /// The largest packet that the broker accepts, in bytes.
  var maximumPacket = Int.max
  /// Storage for the batch that is handed over.
  var batch = MessageQueue()

  var client: OpaquePointer { session.handle.pointer }

  static func start(_ session: Session) {
    do throws(SystemError) {
      try Thread.start {
        // Signals belong to the main thread; and SIGPIPE from a vanished broker must not end the process.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var loop = Loop(session: session)
        loop.run()
      }
    } catch {
      session.events.yield(.refused(ConnectionFailure(.other, "no thread: \(error)")))
      session.ended()
    }
  }

  init(session: Session) {
    self.session = session
    oversize = OversizeWatch(limit: session.options.maximumPacket)
  }

  private mutating func run() {
    session.handle.inbox.diagnoseThisThread()
    // Tries at least once even after a stop: there may be messages to deliver.
    while session.state.withLock({ !$0.isDone }) {
      let (error, number) = connect()
      attemptEnded(error, number)
      let options = session.options
      if !options.reconnects { break }
      // Rings for the connection that is gone must not shorten the wait. A stop that rang now shows in the phase.
      session.bell.silence()
      guard session.state.withLock({ $0.phase == .running }) else { break }
      session.bell.sleep(for: options.backoff.delay(failures: failures, chance: .random(in: 0...1)))
    }
    session.ended()
  }

  /// Runs one connection from beginning to end. Returns libmosquitto's error and `errno`.
  private mutating func connect() -> (error: Int32, errno: Int32) {
    let options = session.options
    established = nil
    refusal = nil
    disconnectCode = nil
    mayHoldMore = false
    oversize.gotPacket()
    isLeaving = false
    _ = session.handle.inbox.takeDiagnosis()
    do throws(InvalidOptions) {
      if mustRenew { try session.handle.renew(options) } else { try session.handle.readCertificates(options) }
      mustRenew = false
    } catch {
      refusal = ConnectionFailure(.other, error.description)
      return (MOSQ_ERR_INVAL.code, 0)
    }
    var properties = Properties()
    if options.protocolVersion == .v5 {
      properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(clamping: options.maximumPacket))
    }
    // Not mosquitto_reconnect, which would drop the properties.
    errno = 0
    var error = mosquitto_connect_bind_v5(
      client, options.host, Int32(options.port), Int32(options.keepAlive.mqttSeconds), nil, properties.list)
    var number = errno
    let answerIsDue = ContinuousClock.now + min(options.keepAlive, Loop.patience)
    while error == MOSQ_ERR_SUCCESS.code {
      error = turn()
      number = errno
      work()
      guard established == nil else { continue }
      if session.state.withLock({ $0.isDone }) { break }
      if ContinuousClock.now > answerIsDue { return (MOSQ_ERR_KEEPALIVE.code, 0) }
    }
    return (error, number)
  }

  /// A broker that does not answer the greeting for this long is given up.
  private static let patience = Duration.seconds(20)

  /// With more messages than this under way, the loop waits for more acknowledgements to arrive. They come one by one, and
  /// each would wake this thread.
  private static let crowd = 16
  /// The wait, microseconds. About ten acknowledgements arrive in it. It must be short for a broker that lets
  /// only 20 messages be under way.
  private var gathering: useconds_t = 200
  private static let gatherings: ClosedRange<useconds_t> = 200...3200
  /// After this many items from the broker, they are processed before more is read.
  private static let readLimit = 1000

  /// Hands over the backlog; waits for the broker or the bell, for a second at most; lets libmosquitto read, write and ping.
  /// Returns its error.
  ///
  /// It does not use `mosquitto_loop`, which would return once for every published message.
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
      let isCrowded = handedOver.underWay > Loop.crowd
      if isCrowded { usleep(gathering) }
      let error = readAll()
      if error != MOSQ_ERR_SUCCESS.code || mosquitto_socket(client) < 0 { return error }
      if isCrowded { adaptGathering(to: session.handle.inbox.count) }
    }
    if polled.broker.revents & Int16(POLLOUT) != 0 {
      // A TLS handshake continues by reading, even if it wanted to write.
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

  private mutating func adaptGathering(to arrived: Int) {
    if arrived < 8 {
      gathering = min(gathering * 2, Loop.gatherings.upperBound)
    } else if arrived >= 16 {
      gathering = max(gathering / 2, Loop.gatherings.lowerBound)
    }
  }

  /// Lets libmosquitto read until nothing more arrives, or until so much has arrived that it must be processed first.
  ///
  /// One call may stop earlier. It stops when it finds EAGAIN in `errno`, and libmosquitto's own answers leave that there,
  /// because they ring a bell for `mosquitto_loop`, which is not used here. `poll` does not show data that TLS has already
  /// decrypted.
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
      oversize.gotPacket()
    } else if oversize.isTooLarge(mosquitto_socket(client)) {
      shutdown(mosquitto_socket(client), Int32(SHUT_RDWR))
      return MOSQ_ERR_OVERSIZE_PACKET.code
    }
    return MOSQ_ERR_SUCCESS.code
  }
}
