import Synchronization
import TestSupport

@testable import Mosquitto

/// Reads a client's events and lets a test wait for one.
final class Recorder: Sendable {
  private let seen = Mutex<[Event]>([])
  private let finished = Mutex(false)

  /// Lives as long as somebody watches its client.
  private let server: any Server

  init(_ client: Client, of server: any Server) {
    self.server = server
    let events = client.events
    Task { [weak self] in
      for await event in events { self?.seen.withLock { $0.append(event) } }
      self?.finished.withLock { $0 = true }
    }
  }

  /// The client has stopped.
  var isFinished: Bool { finished.withLock { $0 } }

  var all: [Event] { seen.withLock { $0 } }

  var messages: [ReceivedMessage] {
    all.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  var texts: [String] { messages.map { String(decoding: $0.payload, as: UTF8.self) } }

  var acknowledged: [UInt64] { all.compactMap { if case .acknowledged(let id) = $0 { id } else { nil } } }

  var rejected: [PublishedMessage] {
    all.compactMap { if case .rejected(let message, _) = $0 { message } else { nil } }
  }

  var connections: Int { all.count { if case .connected = $0 { true } else { false } } }

  var refusals: [ConnectionFailure] {
    all.compactMap { if case .refused(let failure) = $0 { failure } else { nil } }
  }

  var disconnections: [String] {
    all.compactMap { if case .disconnected(let reason) = $0 { reason } else { nil } }
  }

  /// Waits until that much has happened, and is patient where the machine is busy.
  func wait(_ what: String, until condition: (Recorder) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition(self) {
      if ContinuousClock.now > deadline {
        throw Trouble("never happened: \(what); events: \(all.suffix(20).map { "\($0)".prefix(300) })")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func waitForConnection() async throws { try await wait("connected") { $0.connections > 0 } }
}

/// Something that listens on a port of 127.0.0.1.
protocol Server: AnyObject, Sendable {
  var port: Int { get }
}

/// A started client with its recorder.
func connect(
  to server: any Server, host: String = "127.0.0.1", _ change: (inout Options) -> Void = { _ in }
) throws -> (Client, Recorder) {
  let (client, recorder) = try prepare(to: server, host: host, change)
  client.start()
  return (client, recorder)
}

/// A client that has not started.
func prepare(
  to server: any Server, host: String = "127.0.0.1", _ change: (inout Options) -> Void = { _ in }
) throws -> (Client, Recorder) {
  var options = Options(host: host, port: server.port)
  options.backoff = Backoff(first: .milliseconds(50), limit: .milliseconds(200))
  change(&options)
  let client = try Client(options)
  return (client, Recorder(client, of: server))
}
