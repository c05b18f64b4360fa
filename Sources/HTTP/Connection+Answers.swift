import JSON
import NIOCore
import NIOHTTP1

/// Decides what a request is answered.
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
      return send(Self.refusal(error), to: head, isLast: true)
    }
    if path == ["login"] || path == ["logout"] { return send(logInOrOut(request), to: head) }
    let isPublic = reception.content.isPublic(path)
    guard let rights = isPublic ? Rights.none : reception.rights(of: request) else {
      return send(Self.tooManyTries, to: head)
    }
    guard rights.read || isPublic else {
      var response = Response.error(401, "A password is needed.", remedy: "Log in.")
      // Not for browsers, which would show a prompt of their own; the page has a form.
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
        return send(.error(503, "Too much is being computed.", remedy: "Try again in a moment."), to: head)
      }
      future.assumeIsolated().whenSuccess { [weak self] in self?.send($0, to: head) }
    case .stream(let source): stream(source(), to: head)
    }
  }

  static let tooManyTries = Response(
    status: 429,
    Response.error(429, "Too many wrong passwords from this address.", remedy: "Wait a minute.").body,
    headers: [("Retry-After", "60")])

  private static func isJSON(_ type: String?) -> Bool {
    type?.prefix { $0 != ";" }.lowercased() == Response.json
  }

  private static func refusal(_ refusal: Gatekeeper.Refusal) -> Response {
    switch refusal {
    case .foreignHost:
      .error(
        421, "This gateway does not answer under this host name.",
        remedy: "Add the name to http.hosts in the configuration.")
    case .foreignOrigin: .error(403, "The request comes from another site's page.")
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
