import EventBytes
import Machine
import Beacons
import Glibc
import Testing

@testable import Radio

/// Advertisements that another process sends over a socket: the test is the other process.
struct DeviceFoundFeedTests {
  private static func pair(_ type: __socket_type = SOCK_SEQPACKET) -> (ours: Int32, sender: Int32) {
    var numbers: [Int32] = [-1, -1]
    _ = socketpair(AF_UNIX, Int32(type.rawValue), 0, &numbers)
    return (numbers[0], numbers[1])
  }

  private static func found(_ payload: [UInt8] = EventBytes.payload) -> [UInt8] {
    let body = EventBytes.address + [1, 0xB8, 0, 0, 0, 0]
    return ManagementPackets.packet(0x12, 0, body + EventBytes.little(UInt16(payload.count)) + payload)
  }

  /// Sends, hangs up, and gives how many advertisements came and how many datagrams were malformed.
  private static func hear(
    _ datagrams: [[UInt8]]
  ) throws -> (heard: Int, malformed: UInt64) {
    let (ours, sender) = pair()
    for datagram in datagrams { #expect(send(sender, datagram, datagram.count, 0) == datagram.count) }
    close(sender)
    var feed = try DeviceFoundFeed(descriptor: ours, receiver: ReceiverIndex(rawValue: 0))
    var batch = AdvertisementBatch()
    while try feed.next(into: &batch) {}
    return (batch.count, feed.malformed)
  }

  @Test func everyDatagramIsHeardUntilTheSenderHangsUp() throws {
    for count in [0, 1, 63, 64, 65, 130] {
      let (heard, malformed) = try Self.hear(Array(repeating: Self.found(), count: count))
      #expect(heard == count)
      #expect(malformed == 0)
    }
  }

  @Test func otherEventsAreCountedAndDoNotAffectAdvertisements() throws {
    let whole = Self.found()
    var datagrams = (0..<whole.count).map { Array(whole[..<$0]) } + [[UInt8](repeating: 0xFF, count: 4000)]
    let damaged = datagrams.count
    datagrams.append(whole)
    let (heard, malformed) = try Self.hear(datagrams)
    #expect(heard == 1)
    #expect(malformed == UInt64(damaged))
  }

  @Test func aSenderMayPause() throws {
    let (ours, sender) = Self.pair()
    var feed = try DeviceFoundFeed(descriptor: ours, receiver: ReceiverIndex(rawValue: 0))
    var batch = AdvertisementBatch()
    for count in 1...3 {
      let datagram = Self.found()
      send(sender, datagram, datagram.count, 0)
      #expect(try feed.next(into: &batch))
      #expect(batch.count == count)
    }
    close(sender)
    #expect(try !feed.next(into: &batch))
  }

  @Test func packetsGatheredInAPauseComeInOneBatch() throws {
    let (ours, sender) = Self.pair()
    var feed = try DeviceFoundFeed(descriptor: ours, receiver: ReceiverIndex(rawValue: 0))
    var batch = AdvertisementBatch()
    let datagram = Self.found()
    send(sender, datagram, datagram.count, 0)
    #expect(try feed.next(into: &batch))
    for _ in 0..<130 { send(sender, datagram, datagram.count, 0) }
    #expect(try feed.next(into: &batch))
    #expect(batch.count == 131)
    close(sender)
    #expect(try !feed.next(into: &batch))
  }

  @Test func onlyAConnectedPacketSocketIsTaken() throws {
    let receiver = ReceiverIndex(rawValue: 0)
    #expect(throws: SystemError(call: "descriptor 987654", code: EBADF)) {
      _ = try DeviceFoundFeed(descriptor: 987654, receiver: receiver)
    }
    let file = open("/dev/null", O_RDONLY)
    #expect(throws: SystemError(call: "descriptor \(file)", code: ENOTSOCK)) {
      _ = try DeviceFoundFeed(descriptor: file, receiver: receiver)
    }
    close(file)
    for type in [SOCK_STREAM, SOCK_DGRAM] {
      let (ours, sender) = Self.pair(type)
      #expect(throws: SystemError(call: "descriptor \(ours)", code: EPROTOTYPE)) {
        _ = try DeviceFoundFeed(descriptor: ours, receiver: receiver)
      }
      close(ours)
      close(sender)
    }
    let alone = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    #expect(throws: SystemError(call: "descriptor \(alone)", code: ENOTCONN)) {
      _ = try DeviceFoundFeed(descriptor: alone, receiver: receiver)
    }
    close(alone)
  }
}
