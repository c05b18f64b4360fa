import Configuration
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The HTTP server: one thread, a bounded number of connections, and a gatekeeper in front of everything.
package final class HTTPServer: Sendable {
  /// Why the server cannot listen, in plain words.
  package struct CannotListen: Error, CustomStringConvertible {
    package let description: String
  }

  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let reception: NIOLoopBound<Reception>
  private let closing = Mutex<Task<Void, Never>?>(nil)
  /// The port that it listens on.
  package let port: Int

  /// Listens.
  ///
  /// - Parameters:
  ///   - machine: this machine's own name, under which browsers may reach it.
  ///   - store: where logins outlast the process; nil: they do not.
  ///   - onWrongPassword: called with a message about wrong passwords and the network from which they came;
  ///     at most ten times a minute.
  ///   - option: the setting with which users choose another address, for messages.
  package static func open(
    _ settings: HTTPSettings, machine: String, content: any Content, store: SessionStore? = nil,
    onWrongPassword: @escaping @Sendable (String) -> Void = { _ in }, option: String = "http: { listen: … }"
  ) async throws -> HTTPServer {
    let tls = try settings.tls.map { try TLSContext($0) }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let reception = try await loop.submit {
        NIOLoopBound(
          Reception(
            Gatekeeper(settings: settings, machine: machine), content, store: store,
            onWrongPassword: onWrongPassword, loop: loop),
          eventLoop: loop)
      }.get()
      let channel = try await bootstrap(group, reception, tls).bind(
        host: settings.address, port: settings.port
      )
      .get()
      let port = channel.localAddress?.port ?? settings.port
      try await loop.submit { reception.value.cookieName = "beaconkeeper-\(port)" }.get()
      return HTTPServer(group, channel, reception)
    } catch {
      try? await group.shutdownGracefully()
      throw CannotListen(
        description: "cannot listen on \(settings.address), port \(settings.port): \(reason(error, option))")
    }
  }

  private init(
    _ group: MultiThreadedEventLoopGroup, _ channel: any Channel, _ reception: NIOLoopBound<Reception>
  ) {
    self.group = group
    self.channel = channel
    self.reception = reception
    port = channel.localAddress?.port ?? 0
  }

  /// Closes every connection and the server. A second call waits for the first, because a stopped loop never answers.
  package func close() async {
    let task = closing.withLock { closing in
      let task =
        closing
        ?? Task { [group, channel, reception] in
          try? await channel.close()
          try? await channel.eventLoop.submit { reception.value.closeAll() }.get()
          try? await group.shutdownGracefully()
        }
      closing = task
      return task
    }
    await task.value
  }

  private static func bootstrap(
    _ group: MultiThreadedEventLoopGroup, _ reception: NIOLoopBound<Reception>, _ tls: TLSContext?
  ) -> ServerBootstrap {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8 * 1024
    limits.maxHeaderListSize = 16 * 1024
    limits.maxHeaderFieldCount = 64
    let sizes = limits
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 512)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.maxMessagesPerRead, value: 2)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 64 * 1024))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          // With TLS, the end of the bytes is the end of the connection.
          if tls == nil { try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true) }
          if let tls { try pipeline.addHandler(TLSHandler(tls)) }
          try pipeline.addHandlers([
            RequestSize(), HTTPResponseEncoder(),
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: sizes)),
            HTTPServerPipelineHandler(), HTTPServerProtocolErrorHandler(),
            Connection(reception.value, peer: Self.peer(channel.remoteAddress)),
          ])
        }
      }
  }

  /// An IPv4 client of an IPv6 socket has its own address (RFC 4291, section 2.5.5.2).
  private static func peer(_ address: SocketAddress?) -> String {
    let text = address?.ipAddress ?? ""
    let mapped = "::ffff:"
    return text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
  }

  private static func reason(_ error: any Error, _ option: String) -> String {
    guard let error = error as? IOError else { return "\(error)" }
    switch error.errnoCode {
    case EADDRINUSE: return "another program has this port; choose another with \(option)"
    case EACCES: return "ports below 1024 need a privilege; choose a higher one with \(option)"
    case EADDRNOTAVAIL: return "this machine does not have this address; choose another with \(option)"
    default: return "\(error)"
    }
  }
}
