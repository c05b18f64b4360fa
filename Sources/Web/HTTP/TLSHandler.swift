import CTLS
import NIOCore

/// Encrypts one connection: libssl reads and writes memory, NIO moves the bytes.
@safe final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How much libssl decrypts at a time: the largest record (RFC 8446, section 5.1).
  private static let record = 16 * 1024

  /// The handshake of a client is done: it may write.
  struct Ready: Sendable {}

  /// Why a client's handshake failed.
  struct Fault: Error, Sendable {
    /// Whether the certificate is the reason.
    var isVerdict: Bool
    var description: String
  }

  private let ssl: OpaquePointer
  /// Owned by `ssl`.
  private let received: OpaquePointer
  private let toSend: OpaquePointer

  private let isClient: Bool
  private var isReady = false

  /// A server's side.
  convenience init(_ context: TLSContext) throws {
    try self.init(context, isClient: false)
    unsafe SSL_set_accept_state(ssl)
  }

  /// A client's side.
  ///
  /// - Parameters:
  ///   - host: the name or address of the server.
  ///   - checksName: whether the certificate must be for it.
  convenience init(_ context: TLSContext, to host: String, checksName: Bool) throws {
    try self.init(context, isClient: true)
    unsafe SSL_set_connect_state(ssl)
    guard checksName else { return }
    if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 { return }
    // Addresses are not sent as names (RFC 6066, section 3).
    unsafe _ = beaconkeeper_name_server(ssl, host)
    guard unsafe SSL_set1_host(ssl, host) == 1 else {
      throw TLSContext.Unusable(description: "\(host) cannot be the name in a certificate")
    }
  }

  private init(_ context: TLSContext, isClient: Bool) throws {
    guard let ssl = unsafe SSL_new(context.pointer), let received = unsafe BIO_new(BIO_s_mem()),
      let toSend = unsafe BIO_new(BIO_s_mem())
    else { throw TLSContext.Unusable(description: "libssl has no memory") }
    unsafe SSL_set_bio(ssl, received, toSend)
    unsafe self.ssl = ssl
    unsafe self.received = received
    unsafe self.toSend = toSend
    self.isClient = isClient
  }

  /// Whether a channel is encrypted.
  static func isPresent(_ context: ChannelHandlerContext) -> Bool {
    (try? context.pipeline.syncOperations.handler(type: TLSHandler.self)) != nil
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    if isClient { decrypt(context) }
  }

  deinit { unsafe SSL_free(ssl) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    let taken = unsafe buffer.withUnsafeReadableBytes { bytes in
      unsafe BIO_write(received, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    guard taken == Int32(clamping: buffer.readableBytes) else { return context.close(promise: nil) }
    decrypt(context)
  }

  /// Continues the handshake, and forwards decrypted data.
  private func decrypt(_ context: ChannelHandlerContext) {
    while true {
      var plain = context.channel.allocator.buffer(capacity: Self.record)
      var result: Int32 = 0
      unsafe plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.record) { bytes in
        unsafe result = SSL_read(ssl, bytes.baseAddress, Int32(Self.record))
        return Int(max(result, 0))
      }
      // Read the error before anything else is written, because that would change it.
      let error = unsafe result > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl, result)
      if isClient, !isReady, unsafe SSL_is_init_finished(ssl) == 1 {
        isReady = true
        sendEncrypted(context, promise: nil)
        context.fireUserInboundEventTriggered(Ready())
      }
      if result > 0 {
        context.fireChannelRead(wrapInboundOut(plain))
        continue
      }
      // A failed handshake still sends its reason to the client.
      sendEncrypted(context, promise: nil)
      context.flush()
      if isClient, error != SSL_ERROR_WANT_READ, error != SSL_ERROR_ZERO_RETURN {
        context.fireErrorCaught(fault)
      }
      ERR_clear_error()
      if error != SSL_ERROR_WANT_READ { context.close(promise: nil) }
      return
    }
  }

  private var fault: Fault {
    let verdict = unsafe SSL_get_verify_result(ssl)
    guard verdict == Int(X509_V_OK) else {
      return unsafe Fault(
        isVerdict: true, description: String(cString: X509_verify_cert_error_string(verdict)))
    }
    let words = unsafe ERR_reason_error_string(ERR_peek_last_error()).map { unsafe String(cString: $0) }
    return Fault(isVerdict: false, description: words ?? "the connection was cut")
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let buffer = unwrapOutboundIn(data)
    guard buffer.readableBytes > 0 else { return context.write(data, promise: promise) }
    let taken = unsafe buffer.withUnsafeReadableBytes { bytes in
      unsafe SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    guard taken == Int32(clamping: buffer.readableBytes) else {
      ERR_clear_error()
      promise?.fail(ChannelError.ioOnClosedChannel)
      return context.close(promise: nil)
    }
    sendEncrypted(context, promise: promise)
  }

  private func sendEncrypted(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
    let count = unsafe BIO_ctrl_pending(toSend)
    guard count > 0 else {
      promise?.succeed()
      return
    }
    var encrypted = context.channel.allocator.buffer(capacity: count)
    unsafe encrypted.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      Int(unsafe max(BIO_read(toSend, bytes.baseAddress, Int32(clamping: count)), 0))
    }
    context.write(wrapOutboundOut(encrypted), promise: promise)
  }
}
