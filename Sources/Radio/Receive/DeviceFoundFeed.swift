public import Machine
public import Beacons
import CBlueZ
import Glibc

/// Device Found events of the kernel's management interface that another process sends, one a datagram. `run` does not read
/// these: a comparison with programs that do.
public struct DeviceFoundFeed: ~Copyable {
  private var stream: PacketStream
  private var keeper = AdapterKeeper(0, KeeperPolicy(), at: LiveClock.now)
  private var buffer = PacketBuffer()
  private let receiver: ReceiverIndex
  private var gathering = Gathering()
  private var pause = TimeSpan.zero

  /// Datagrams that were no advertisement, or a damaged one.
  public private(set) var malformed: UInt64 = 0

  /// Takes a socket over, and closes it at the end.
  /// - Throws: for anything but a connected socket of type SOCK_SEQPACKET.
  public init(descriptor: Int32, receiver: ReceiverIndex) throws(SystemError) {
    stream = PacketStream(try FeedSocket.take(descriptor))
    self.receiver = receiver
  }

  /// Waits for datagrams and appends the advertisements in them; false once the sender has gone and all is read.
  public mutating func next(into batch: inout AdvertisementBatch) throws(SystemError) -> Bool {
    while true {
      // As the live radio does.
      if pause > .zero { usleep(UInt32(pause.nanoseconds / 1000)) }
      let before = batch.count
      let (packets, isDrained, isOver) = receive(LiveLoop.turn, into: &batch)
      keeper.heard(batch, before..<batch.count, ownPayloads: [])
      pause = gathering.pause(after: packets, isDrained: isDrained, at: LiveClock.now)
      if packets > 0 { return true }
      if isOver { return false }
      if try isDead() { return false }
    }
  }

  /// Takes waiting packets, until there are none or `turn` are taken.
  private mutating func receive(
    _ turn: Int, into batch: inout AdvertisementBatch
  ) -> (packets: Int, isDrained: Bool, isOver: Bool) {
    var packets = 0
    while packets < turn {
      stream.receive(into: &buffer)
      var count = buffer.count
      // After the end the kernel returns empty packets without limit.
      if count == PacketBuffer.limit {
        while count > 0, buffer.range(count - 1).isEmpty { count -= 1 }
      }
      for place in 0..<count where !take(place, into: &batch) { malformed += 1 }
      packets += count
      if buffer.count < PacketBuffer.limit { return (packets, true, false) }
      if count == 0 { return (packets, false, true) }
    }
    return (packets, false, false)
  }

  /// Whether the datagram was an advertisement.
  private mutating func take(_ place: Int, into batch: inout AdvertisementBatch) -> Bool {
    let (time, wallTime) = stream.time(of: place, in: buffer)
    let packet = buffer.bytes.span.extracting(buffer.range(place))
    guard
      let (advertisement, payload) = managementAdvertisement(
        packet, receiver: receiver, time: time, wallTime: wallTime)
    else { return false }
    batch.append(advertisement, payload: packet.extracting(payload))
    return true
  }

  /// Waits until there is something to receive; whether nothing ever will be.
  private func isDead() throws(SystemError) -> Bool {
    var polled = pollfd(fd: stream.socket.descriptor.number, events: Int16(POLLIN), revents: 0)
    try systemCall("poll") { unsafe poll(&polled, 1, -1) }
    return polled.revents & Int16(POLLIN) == 0
  }
}
