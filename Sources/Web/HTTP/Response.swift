import Core

/// The answer to a request.
package struct Response: Sendable {
  package var status: Int
  package var contentType: String
  package var body: [UInt8]
  /// Further headers.
  package var headers: [(name: String, value: String)]

  package init(
    status: Int = 200, contentType: String = Response.json, _ body: [UInt8],
    headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.headers = headers
  }

  package static let json = "application/json"
  package static let plainText = "text/plain; charset=utf-8"

  /// An error in the API's form.
  package static func error(_ status: Int, _ what: String, remedy: String? = nil) -> Response {
    Response(
      status: status,
      JSONWriter.object {
        $0.field("error", what)
        $0.field("remedy", remedy)
      })
  }

  /// Done, without content.
  package static let done = Response(status: 204, [])
}

/// Frames of an event stream that are due.
///
/// Source: HTML Living Standard, section 9.2 (server-sent events).
package protocol EventSource: AnyObject {
  /// What has happened since the last call, as text of an event stream; empty if nothing. Called about ten times a
  /// second, on the server's thread.
  func next() -> [UInt8]
}

/// How the gateway answers a request.
package enum Answer: Sendable {
  case now(Response)
  /// Takes so long that other clients would wait: it is computed on another thread, one at a time.
  case later(@Sendable () -> Response)
  /// The same for what takes seconds, and is of use only while the client waits.
  case attempt(@Sendable (_ isAwaited: @Sendable () -> Bool) -> Response)
  /// A stream of events that lasts until the client leaves.
  case stream(@Sendable () -> any EventSource)
}

/// The content behind the server. It gets only requests that were allowed.
package protocol Content: Sendable {
  /// Whether a path is available without a login: the page itself, which contains no data of the gateway.
  func isPublic(_ path: [String]) -> Bool

  /// Whether a path is a file of the page.
  func isPage(_ path: [String]) -> Bool

  func answer(_ request: Request, rights: Rights) -> Answer
}
