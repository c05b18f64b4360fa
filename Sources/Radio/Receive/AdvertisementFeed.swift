public import Machine
public import Beacons
import CBlueZ
import Glibc

/// Advertisements that another process sends, one event a datagram, over a socket that this process inherited. They take the way
/// of an adapter's own socket and past the keeper that watches it, so that it can be measured where there is no adapter.
public struct AdvertisementFeed: ~Copyable {
  public enum Form: String, CaseIterable, Sendable {
    /// HCI events with their packet type: LE advertising reports, legacy and extended. What `run` reads.
    case hci
    /// Device Found events of the kernel's management interface, which `run` does not read.
    case mgmt
  }

  private let form: Form
  private var source: LiveReceiver
  private var keeper = AdapterKeeper(0, KeeperPolicy(), at: LiveClock.now)
  private var buffer = PacketBuffer()
  private let receiver: ReceiverIndex
  private var gathering = Gathering()
  private var pause = TimeSpan.zero

  /// Datagrams that were no advertisement, or a damaged one.
  public private(set) var malformed: UInt64 = 0

  /// Takes a socket over, and closes it at the end.
  ///
  /// Throws for what is not a connected socket of type SOCK_SEQPACKET; any other has no end or loses the bounds of what
  /// was sent.
  public init(_ form: Form, descriptor number: Int32, receiver: ReceiverIndex) throws(SystemError) {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    try systemCall("descriptor \(number)") { unsafe getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) }
    guard type == Int32(SOCK_SEQPACKET.rawValue) else {
      throw SystemError(call: "descriptor \(number)", code: EPROTOTYPE)
    }
    var peer = sockaddr()
    length = socklen_t(MemoryLayout<sockaddr>.size)
    try systemCall("descriptor \(number)") { unsafe getpeername(number, &peer, &length) }
    let nameless = [UInt8](repeating: 0, count: 20)
    guard let adapter = AdapterInfo(index: 0, reply: nameless.span) else {
      throw SystemError(call: "descriptor \(number)", code: EINVAL)
    }
    source = LiveReceiver(info: adapter, index: receiver, socket: HCISocket(FileDescriptor(number)))
    self.form = form
    self.receiver = receiver
  }

  /// Waits for datagrams and appends the advertisements in them; false once the sender has gone and all is read.
  public mutating func next(into batch: inout AdvertisementBatch) throws(SystemError) -> Bool {
    while true {
      // As the live radio does.
      if pause > .zero { usleep(UInt32(pause.nanoseconds / 1000)) }
      // In a flood a buffer at a time, which stays in the fastest cache.
      let turn = pause > .zero ? LiveLoop.turn : PacketBuffer.limit
      let before = batch.count
      let (packets, isDrained, isOver) =
        switch form {
        case .hci: receiveEvents(turn, into: &batch)
        case .mgmt: receiveFound(turn, into: &batch)
        }
      keeper.heard(batch, before..<batch.count, ownPayloads: [])
      pause = gathering.pause(after: packets, isDrained: isDrained, at: LiveClock.now)
      if packets > 0 { return true }
      if isOver { return false }
      if try isDead() { return false }
    }
  }

  /// As the live radio takes what is there.
  private mutating func receiveEvents(
    _ turn: Int, into batch: inout AdvertisementBatch
  ) -> (packets: Int, isDrained: Bool, isOver: Bool) {
    var others = 0
    // At the end the kernel gives empty packets, as many as are asked for.
    var empty = 0
    let (packets, isDrained) = source.receive(turn, into: &batch, buffer: &buffer, onEvent: nil) {
      packet, _ in
      if packet.isEmpty { empty += 1 } else { others += 1 }
    }
    malformed += UInt64(others)
    return (packets - empty, isDrained, empty > 0)
  }

  /// Takes what is there, until `turn` packets of it or more are taken.
  private mutating func receiveFound(
    _ turn: Int, into batch: inout AdvertisementBatch
  ) -> (packets: Int, isDrained: Bool, isOver: Bool) {
    var packets = 0
    while packets < turn {
      source.stream.receive(into: &buffer)
      var count = buffer.count
      // At the end the kernel gives empty packets, as many as are asked for.
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
    let (time, wallTime) = source.stream.time(of: place, in: buffer)
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
    var polled = pollfd(fd: source.socket.descriptor.number, events: Int16(POLLIN), revents: 0)
    try systemCall("poll") { unsafe poll(&polled, 1, -1) }
    return polled.revents & Int16(POLLIN) == 0
  }
}
