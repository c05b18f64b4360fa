import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client for a gateway's HTTP server, on this or another machine.
package final class HTTPClient: Sendable {
  /// Why there is no answer, in plain words.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package enum Kind: Sendable { case unreachable, notTrusted, notEncrypted, notHTTP, silent, tooLarge }

    package var kind: Kind
    package var description: String
  }

  /// Which certificates are accepted.
  package enum Trust: Sendable {
    /// The authorities that this machine trusts.
    case system
    /// The authorities in a PEM file.
    case authorities(String)
    /// Exactly the certificates in a PEM file, under any name: those of this machine's own gateway.
    case certificates(String)
  }

  package struct Reply: Sendable {
    package var status: Int
    package var body: [UInt8]
  }

  package struct Event: Sendable {
    package var name: String
    package var data: [UInt8]
  }

  /// The largest answer, in bytes. A gateway of a thousand beacons has far smaller ones.
  static let sizeLimit = 8 << 20
  private static let patience = TimeAmount.seconds(10)

  package let address: HTTPAddress
  private let authorization: String?
  private let tls: TLSContext?
  private let checksName: Bool
  private let group: MultiThreadedEventLoopGroup

  /// - Parameter password: sent with every request; nil: none.
  package init(_ address: HTTPAddress, password: String? = nil, trust: Trust = .system) throws {
    self.address = address
    // Base64 allows any character in a password.
    authorization = password.map { "Basic " + Data((":" + $0).utf8).base64EncodedString() }
    if case .certificates = trust { checksName = false } else { checksName = true }
    tls = address.isTLS ? try TLSContext(trusting: trust) : nil
    // Comes last, because it starts a thread.
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }

  package func close() async { try? await group.shutdownGracefully() }

  /// - Parameter path: below the address, without a slash at its start.
  package func get(_ path: String) async throws -> Reply {
    let answered = group.next().makePromise(of: Reply.self)
    let channel: any Channel
    do { channel = try await connect { AnswerHandler(self.head(path), answered) } } catch {
      // NIO reports a promise that is never completed as an error.
      answered.fail(error)
      throw error
    }
    let late = channel.eventLoop.scheduleTask(in: Self.patience) {
      answered.fail(Failure(kind: .silent, description: "there is no answer"))
      channel.close(promise: nil)
    }
    defer { late.cancel() }
    return try await answered.futureResult.get()
  }

  /// The events of a stream until it ends. A reader that is too slow misses the oldest.
  package func events(_ path: String) async throws -> AsyncThrowingStream<Event, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(16))
    let channel = try await connect { EventHandler(self.head(path), continuation) }
    continuation.onTermination = { _ in channel.close(promise: nil) }
    return stream
  }

  private func head(_ path: String) -> HTTPRequestHead {
    var headers = HTTPHeaders([("Host", address.authority), ("Connection", "close")])
    if let authorization { headers.add(name: "Authorization", value: authorization) }
    return HTTPRequestHead(version: .http1_1, method: .GET, uri: address.path + path, headers: headers)
  }

  private func connect(_ handler: @escaping @Sendable () -> any ChannelHandler) async throws -> any Channel {
    let (tls, host, checksName) = (tls, address.host, checksName)
    do {
      return try await ClientBootstrap(group: group)
        .connectTimeout(Self.patience)
        .channelOption(.maxMessagesPerRead, value: 2)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let tls {
              try pipeline.addHandler(TLSHandler(tls, to: host, checksName: checksName))
            }
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(handler())
          }
        }.connect(host: address.host, port: address.port).get()
    } catch {
      throw Failure(kind: .unreachable, description: Self.words(error))
    }
  }

  private static func words(_ error: any Error) -> String {
    guard let error = error as? NIOConnectionError else {
      if let error = error as? IOError { return words(code: error.errnoCode) }
      return error is ChannelError ? "there is no answer" : "\(error)"
    }
    if let first = error.connectionErrors.first?.error { return words(first) }
    return "the name \(error.host) is not known"
  }

  private static func words(code: Int32) -> String {
    switch code {
    case ECONNREFUSED: "nothing listens there"
    case EHOSTUNREACH, ENETUNREACH: "there is no way to it"
    case ETIMEDOUT: "there is no answer"
    case ECONNRESET: "the connection was cut"
    default: unsafe String(cString: strerror(code))
    }
  }
}
