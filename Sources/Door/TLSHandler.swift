import CTLS
import NIOCore

/// Encrypts one connection: libssl reads and writes memory, NIO moves the bytes.
@safe final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What libssl decrypts at a time: the largest record (RFC 8446, section 5.1).
  private static let record = 16 * 1024

  private let ssl: OpaquePointer
  /// Owned by `ssl`.
  private let received: OpaquePointer
  private let toSend: OpaquePointer

  init(_ context: TLSContext) throws {
    guard let ssl = unsafe SSL_new(context.pointer), let received = unsafe BIO_new(BIO_s_mem()),
      let toSend = unsafe BIO_new(BIO_s_mem())
    else { throw TLSContext.Unusable(description: "libssl has no memory") }
    unsafe SSL_set_bio(ssl, received, toSend)
    unsafe SSL_set_accept_state(ssl)
    unsafe self.ssl = ssl
    unsafe self.received = received
    unsafe self.toSend = toSend
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

  /// Continues the handshake, and passes on what could be decrypted.
  private func decrypt(_ context: ChannelHandlerContext) {
    while true {
      var plain = context.channel.allocator.buffer(capacity: Self.record)
      var result: Int32 = 0
      unsafe plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.record) { bytes in
        unsafe result = SSL_read(ssl, bytes.baseAddress, Int32(Self.record))
        return Int(max(result, 0))
      }
      if result > 0 {
        context.fireChannelRead(wrapInboundOut(plain))
        continue
      }
      let error = unsafe SSL_get_error(ssl, result)
      // A handshake that fails says why to the client.
      sendEncrypted(context, promise: nil)
      context.flush()
      ERR_clear_error()
      if error != SSL_ERROR_WANT_READ { context.close(promise: nil) }
      return
    }
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
