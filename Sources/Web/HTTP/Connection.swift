import Core
import NIOCore
import NIOHTTP1

/// One client's connection: reads a request, answers it, waits for the next.
final class Connection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The largest body of a request in bytes: a plan of 256 rooms, of which most have a few corners.
  static let bodyLimit = 192 * 1024
  private static let tooLarge = Response.error(413, "The request is too large.")
  /// How long a client may take to send a request, or to receive its answer.
  private static let patience = TimeAmount.seconds(10)
  /// How long a connection may wait for its next request.
  private static let idleTime = TimeAmount.seconds(60)

  private enum State {
    case waiting
    case receiving(HTTPRequestHead, [UInt8])
    /// The answer is being computed or sent.
    case answering
    case streaming(any EventSource, Gzip?)
    case closed
  }

  let reception: Reception
  let peer: String
  /// See `Network.of`.
  let network: String
  private var context: ChannelHandlerContext?
  private var state = State.waiting
  private var timeout: Scheduled<Void>?
  /// When it began to wait, or got its request; see `Reception`.
  var turn: UInt64 = 0
  private var stalledSince: NIODeadline?
  /// What is computed for it.
  private var attempt: Attempt?
  private var lastSent = NIODeadline.now()
  /// Whether the client sends nothing more.
  private var hasLeft = false

  init(_ reception: Reception, peer: String) {
    self.reception = reception
    self.peer = peer
    network = Network.of(peer)
  }

  /// Whether there is no complete request.
  var isWaiting: Bool {
    switch state {
    case .waiting, .receiving: true
    case .answering, .streaming, .closed: false
    }
  }

  var isStreaming: Bool { if case .streaming = state { true } else { false } }

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    guard reception.welcome(self) else { return context.close(promise: nil) }
    expect(within: Self.patience)
  }

  func channelInactive(context: ChannelHandlerContext) {
    state = .closed
    timeout?.cancel()
    attempt?.end()
    reception.left(self)
    self.context = nil
  }

  func close() { context?.close(promise: nil) }

  /// Closes the connection if the client is too slow.
  private func expect(within time: TimeAmount) {
    timeout?.cancel()
    timeout = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.close() }
  }

  // MARK: A request

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waiting):
      requestSize?.begin()
      state = .receiving(head, [])
      expect(within: Self.patience)
      if Self.waitsForConsent(head) { consent() }
    case (.body(let buffer), .receiving(let head, var body)):
      body += buffer.readableBytesView
      guard body.count <= Self.bodyLimit else {
        return send(Self.tooLarge, to: head, isLast: true)
      }
      state = .receiving(head, body)
    case (.end, .receiving(let head, let body)):
      timeout?.cancel()
      state = .answering
      reception.moved(self)
      answer(head, body)
    default: break
    }
  }

  /// Whether the client waits for 100 Continue before it sends the body (RFC 9110, section 10.1.1).
  private static func waitsForConsent(_ head: HTTPRequestHead) -> Bool {
    head.version == .http1_1 && head.headers["expect"].contains { $0.lowercased() == "100-continue" }
  }

  private func consent() {
    context?.writeAndFlush(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
  }

  private var requestSize: RequestSize? {
    try? context?.pipeline.syncOperations.handler(type: RequestSize.self)
  }

  /// A client that has closed its sending side still gets its answer; one that reads a stream, waits for an attempt, or sent half a
  /// request has left.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is RequestSize.Excess {
      guard case .receiving(let head, _) = state else { return close() }
      return send(Self.tooLarge, to: head, isLast: true)
    }
    guard let event = event as? ChannelEvent, event == .inputClosed else {
      return context.fireUserInboundEventTriggered(event)
    }
    if case .answering = state, attempt == nil { hasLeft = true } else { close() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

  // MARK: The answer

  func send(_ response: Response, to head: HTTPRequestHead, isLast: Bool = false) {
    guard let context, !isClosed else { return }
    let response = Gzip.compressed(response, for: head.headers["accept-encoding"])
    let staysOpen = head.isKeepAlive && !isLast
    let isHead = head.method == .HEAD
    var headers = Self.headers(response, isLast: !staysOpen)
    if response.status != 204 { headers.add(name: "Content-Length", value: String(response.body.count)) }
    start(response.status, headers, context)
    if !isHead, !response.body.isEmpty {
      context.write(
        wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: response.body)))),
        promise: nil)
    }
    expect(within: Self.patience * 3)
    // The next request is read only after the end of this answer was received by the client.
    let taken = context.eventLoop.makePromise(of: Void.self)
    taken.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.end(staysOpen: staysOpen) }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: taken)
  }

  private func end(staysOpen: Bool) {
    guard let context, !isClosed else { return }
    state = .waiting
    reception.moved(self)
    expect(within: Self.idleTime)
    // The next request may already have arrived, and is then handled before this returns.
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    if !staysOpen || hasLeft { close() }
  }

  private var isClosed: Bool { if case .closed = state { true } else { false } }

  private func start(_ status: Int, _ headers: HTTPHeaders, _ context: ChannelHandlerContext) {
    let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
  }

  /// Our pages run no foreign code, cannot be framed by other sites, and are not cached.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    + "font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"

  private static func headers(_ response: Response, isLast: Bool) -> HTTPHeaders {
    var headers = HTTPHeaders([
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
    ])
    if response.status != 204 { headers.add(name: "Content-Type", value: response.contentType) }
    for (name, value) in response.headers { headers.add(name: name, value: value) }
    if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
    if isLast { headers.add(name: "Connection", value: "close") }
    return headers
  }

  // MARK: A stream

  func stream(_ source: any EventSource, to head: HTTPRequestHead) {
    guard let context else { return }
    if head.method == .HEAD { return send(Response(contentType: "text/event-stream", []), to: head) }
    guard reception.beginStream(self) else {
      return send(.error(503, "Too many pages are open.", remedy: "Close one."), to: head)
    }
    let gzip = Gzip.accepts(head.headers["accept-encoding"]) ? Gzip() : nil
    state = .streaming(source, gzip)
    // X-Accel-Buffering makes nginx forward each event at once.
    let headers = [("X-Accel-Buffering", "no")] + (gzip == nil ? [] : Gzip.encoding)
    start(
      200,
      Self.headers(Response(contentType: "text/event-stream", [], headers: headers), isLast: true), context)
    tick()
    context.flush()
  }

  /// Sends the stream's new events. A client that stops reading costs only the data in flight, and is dropped.
  func tick() {
    guard case .streaming(let source, let gzip) = state, let context else { return }
    let now = NIODeadline.now()
    guard context.channel.isWritable else {
      let since = stalledSince ?? now
      stalledSince = since
      if now - since > Self.patience { close() }
      return
    }
    stalledSince = nil
    var bytes = source.next()
    // So that both ends notice when the other is gone.
    if bytes.isEmpty, now - lastSent > .seconds(15) { bytes = Array(":\n\n".utf8) }
    guard !bytes.isEmpty else { return }
    lastSent = now
    if let gzip { bytes = gzip.compress(bytes) }
    context.writeAndFlush(
      wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
  }
}

/// Chooses the answer to a request.
extension Connection {
  func answer(_ head: HTTPRequestHead, _ body: [UInt8]) {
    guard let method = Request.Method(rawValue: head.method.rawValue) else {
      var response = Response.error(405, "There is nothing to be done with this method.")
      response.headers.append(("Allow", "GET, HEAD, POST, PUT"))
      return send(response, to: head)
    }
    let absolute = Request.absolute(target: head.uri)
    guard let (path, query) = Request.split(target: absolute?.target ?? head.uri) else {
      return send(.error(400, "The address is malformed."), to: head, isLast: true)
    }
    var headers: [String: String] = [:]
    for (name, value) in head.headers {
      headers[name.lowercased(), default: ""] += headers[name.lowercased()] == nil ? value : ", \(value)"
    }
    if let absolute { headers["host"] = absolute.host }
    let request = Request(
      method: method, path: path, query: query, headers: headers, body: body, peer: peer)
    do throws(Gatekeeper.Refusal) { try reception.gatekeeper.check(request) } catch {
      // The page itself has no data, so any host may get it. Otherwise a user behind a proxy that hides the host would not even
      // see why.
      guard method == .get || method == .head, reception.content.isPage(path) else {
        return send(Self.refusal(error), to: head, isLast: true)
      }
    }
    if path == ["login"] || path == ["logout"] { return send(logInOrOut(request), to: head) }
    let isPublic = reception.content.isPublic(path)
    guard let rights = isPublic ? Rights.none : reception.rights(of: request) else {
      return send(Self.tooManyTries, to: head)
    }
    guard rights.read || isPublic else {
      var response = Response.error(401, "A password is needed.", remedy: "Log in.")
      // Not for browsers, which would show their own prompt; the page has a form.
      if headers["sec-fetch-mode"] == nil { response.headers.append(("WWW-Authenticate", "Bearer")) }
      return send(response, to: head)
    }
    if method == .post || method == .put, !Self.isJSON(headers["content-type"]) {
      return send(
        .error(415, "The body must be JSON.", remedy: "Send Content-Type: application/json."), to: head)
    }
    switch reception.content.answer(request, rights: rights) {
    case .now(let response): send(response, to: head)
    case .later(let body):
      guard let future = reception.compute(body) else {
        return send(Self.tooMuch, to: head)
      }
      future.assumeIsolated().whenSuccess { [weak self] in self?.send($0, to: head) }
    case .attempt(let body):
      guard let (attempt, future) = reception.attempt(body) else {
        return send(Self.tooMuch, to: head)
      }
      self.attempt = attempt
      future.assumeIsolated().whenSuccess { [weak self] response in
        self?.attempt = nil
        self?.send(response, to: head)
      }
    case .stream(let source): stream(source(), to: head)
    }
  }

  private static let tooMuch = Response.error(
    503, "Too much is being computed.", remedy: "Try again in a moment.")

  static let tooManyTries = Response(
    status: 429,
    Response.error(429, "Too many wrong passwords from this address.", remedy: "Try again in a second.").body,
    headers: [("Retry-After", "1")])

  private static func isJSON(_ type: String?) -> Bool {
    type?.prefix { $0 != ";" }.lowercased() == Response.json
  }

  private static func refusal(_ refusal: Gatekeeper.Refusal) -> Response {
    switch refusal {
    case .foreignHost:
      .error(
        421, "This gateway does not answer under this host name.",
        remedy: "Add the name to http.hosts in the configuration.")
    case .foreignOrigin:
      .error(
        403, "The request comes from another site's page.",
        remedy: "A proxy in between must pass on the Host header: in nginx, proxy_set_header Host $http_host;"
      )
    }
  }

  private func logInOrOut(_ request: Request) -> Response {
    guard request.method == .post else {
      var response = Response.error(405, "Log in with POST.")
      response.headers.append(("Allow", "POST"))
      return response
    }
    if request.path == ["logout"] { return reception.logOut(request) }
    guard Self.isJSON(request.headers["content-type"]), let tree = try? JSONTree(request.body),
      case .text(let password)? = tree["password"]
    else { return .error(400, "A login is a JSON object with a password.") }
    return reception.logIn(password, from: peer)
  }
}

/// Limits everything in a request except its body: extensions of chunks can have any length (RFC 9112, section 7.1.1), and the
/// decoder skips them.
final class RequestSize: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The request is too large.
  struct Excess: Sendable {}

  /// A body with an octet in each chunk takes six times as much.
  private static let limit = 8 * Connection.bodyLimit
  private var octets = 0

  /// A head was read.
  func begin() { octets = 0 }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isWithin = octets <= Self.limit
    octets += unwrapInboundIn(data).readableBytes
    if octets <= Self.limit {
      context.fireChannelRead(data)
    } else if isWithin {
      context.fireUserInboundEventTriggered(Excess())
    }
  }
}
