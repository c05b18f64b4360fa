public import Beacons
import Glibc

/// Advertisements that another process sends as events of the management interface, one a datagram, over a socket that
/// this process inherited: what the live radio does with an adapter's socket, for measuring it where there is none.
public struct ManagementFeed: ~Copyable {
  private var stream: PacketStream
  private var buffer = PacketBuffer()
  private let receiver: ReceiverIndex

  /// Datagrams that were no advertisement, or a damaged one.
  public private(set) var malformed: UInt64 = 0

  /// Takes a socket over, and closes it at the end.
  ///
  /// Throws for what is not a connected socket of type SOCK_SEQPACKET; any other has no end or loses the bounds of what
  /// was sent.
  public init(descriptor number: Int32, receiver: ReceiverIndex) throws(SystemError) {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    try systemCall("descriptor \(number)") { unsafe getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) }
    guard type == Int32(SOCK_SEQPACKET.rawValue) else {
      throw SystemError(call: "descriptor \(number)", code: EPROTOTYPE)
    }
    var peer = sockaddr()
    length = socklen_t(MemoryLayout<sockaddr>.size)
    try systemCall("descriptor \(number)") { unsafe getpeername(number, &peer, &length) }
    stream = PacketStream(HCISocket(FileDescriptor(number)))
    self.receiver = receiver
  }

  /// Waits for datagrams and appends the advertisements in them; false once the sender has gone and all is read.
  public mutating func next(into batch: inout AdvertisementBatch) throws(SystemError) -> Bool {
    while true {
      stream.receive(into: &buffer)
      var count = buffer.count
      // At the end the kernel gives empty packets, as many as are asked for.
      if count == PacketBuffer.limit {
        while count > 0, buffer.range(count - 1).isEmpty { count -= 1 }
      }
      for place in 0..<count { take(place, into: &batch) }
      if count > 0 { return true }
      if try isOver() { return false }
    }
  }

  private mutating func take(_ place: Int, into batch: inout AdvertisementBatch) {
    let packet = buffer.bytes.span.extracting(buffer.range(place))
    let (time, wallTime) = stream.time(of: place, in: buffer)
    guard
      let (advertisement, payload) = managementAdvertisement(
        packet, receiver: receiver, time: time, wallTime: wallTime)
    else {
      malformed += 1
      return
    }
    batch.append(advertisement, payload: packet.extracting(payload))
  }

  /// Waits until there is something to receive; whether there is nothing more to come.
  private func isOver() throws(SystemError) -> Bool {
    let number = stream.socket.descriptor.number
    var polled = pollfd(fd: number, events: Int16(POLLIN | POLLRDHUP), revents: 0)
    try systemCall("poll") { unsafe poll(&polled, 1, -1) }
    let hungUp = polled.revents & Int16(POLLHUP | POLLRDHUP | POLLERR | POLLNVAL) != 0
    let isEmpty = buffer.count == PacketBuffer.limit
    return hungUp && (isEmpty || polled.revents & Int16(POLLIN) == 0)
  }
}
