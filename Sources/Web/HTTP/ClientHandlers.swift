import Glibc
import NIOCore
import NIOHTTP1

/// Sends one request once the connection is ready for it. Handlers of answers are built on it.
private func send(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
  context.write(NIOAny(HTTPClientRequestPart.head(head)), promise: nil)
  context.writeAndFlush(NIOAny(HTTPClientRequestPart.end(nil)), promise: nil)
}

private func failure(_ error: any Error) -> HTTPClient.Failure {
  switch error {
  case let error as HTTPClient.Failure: error
  case let error as TLSHandler.Fault:
    .init(kind: error.isVerdict ? .notTrusted : .notEncrypted, description: error.description)
  case is HTTPParserError: .init(kind: .notHTTP, description: "it does not speak HTTP")
  case let error as IOError where error.errnoCode == ECONNRESET:
    .init(kind: .unreachable, description: "the connection was cut")
  default: .init(kind: .unreachable, description: "\(error)")
  }
}

/// Collects one answer.
final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let request: HTTPRequestHead
  private let answered: EventLoopPromise<HTTPClient.Reply>
  private var reply = HTTPClient.Reply(status: 0, body: [])

  init(_ request: HTTPRequestHead, _ answered: EventLoopPromise<HTTPClient.Reply>) {
    self.request = request
    self.answered = answered
  }

  func channelActive(context: ChannelHandlerContext) {
    if !TLSHandler.isPresent(context) { send(request, context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TLSHandler.Ready { send(request, context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): reply.status = Int(head.status.code)
    case .body(let buffer):
      guard reply.body.count + buffer.readableBytes <= HTTPClient.sizeLimit else {
        return end(.init(kind: .tooLarge, description: "the answer is too large"), context)
      }
      reply.body += buffer.readableBytesView
    case .end:
      answered.succeed(reply)
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(failure(error), context) }

  func channelInactive(context: ChannelHandlerContext) {
    answered.fail(HTTPClient.Failure(kind: .notHTTP, description: "it hung up without an answer"))
  }

  private func end(_ failure: HTTPClient.Failure, _ context: ChannelHandlerContext) {
    answered.fail(failure)
    context.close(promise: nil)
  }
}

/// Reads a stream of events.
final class EventHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  /// A gateway sends something at least every 15 s.
  private static let longestSilence = TimeAmount.seconds(40)

  private let request: HTTPRequestHead
  private let events: AsyncThrowingStream<HTTPClient.Event, any Error>.Continuation
  private var reader = EventReader(limit: HTTPClient.sizeLimit)
  private var alarm: Scheduled<Void>?

  init(
    _ request: HTTPRequestHead, _ events: AsyncThrowingStream<HTTPClient.Event, any Error>.Continuation
  ) {
    self.request = request
    self.events = events
  }

  func channelActive(context: ChannelHandlerContext) {
    wind(context)
    if !TLSHandler.isPresent(context) { send(request, context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is TLSHandler.Ready { send(request, context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    wind(context)
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard head.status == .ok else {
        return end(.init(kind: .notHTTP, description: "it answers with status \(head.status.code)"), context)
      }
    case .body(let buffer):
      do throws(EventReader.TooLarge) {
        for event in try reader.read(buffer.readableBytesView) {
          events.yield(HTTPClient.Event(name: event.name, data: event.data))
        }
      } catch {
        end(.init(kind: .tooLarge, description: "an event is too large"), context)
      }
    case .end: end(.init(kind: .unreachable, description: "the gateway ended the connection"), context)
    }
  }

  /// Starts waiting anew.
  private func wind(_ context: ChannelHandlerContext) {
    alarm?.cancel()
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: Self.longestSilence) {
      self.end(.init(kind: .silent, description: "the gateway says nothing"), context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(failure(error), context) }

  func channelInactive(context: ChannelHandlerContext) {
    end(.init(kind: .unreachable, description: "the connection was cut"), context)
  }

  private func end(_ failure: HTTPClient.Failure, _ context: ChannelHandlerContext) {
    alarm?.cancel()
    events.finish(throwing: failure)
    context.close(promise: nil)
  }
}
