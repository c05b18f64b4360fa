import Beacons
import Core
import Glibc
import Radio
import Synchronization
import TestSupport
import Testing

@testable import Feed

/// HCI events that another process sends, heard as an adapter's are: the test is the other process.
struct FeedTests {
  /// A legacy report, and an extended one with as much as one event holds.
  private static func reports() -> [[UInt8]] {
    let legacy =
      [0x02, 1, 0, 1] + EventBytes.address + [UInt8(EventBytes.payload.count)] + EventBytes.payload + [0xB8]
    let long = [2, 1, 6] + [200, 0xFF] + [UInt8](repeating: 0x2A, count: 199)
    let head: [UInt8] = [0x0D, 1, 0x13, 0, 1]
    let rest: [UInt8] = [1, 0, 0xFF, 0x7F, 0xB8, 0, 0, 0] + [UInt8](repeating: 0, count: 6)
    let extended = head + EventBytes.address + rest + [UInt8(long.count)] + long.map { UInt8($0) }
    return [legacy, extended].map { [0x04, 0x3E, UInt8($0.count)] + $0 }
  }

  /// Sends, hangs up, and gives how many advertisements came, and what was said of the receiver.
  private static func hear(_ datagrams: [[UInt8]]) throws -> (heard: Int, health: [ReceiverHealth]) {
    var ends: [Int32] = [-1, -1]
    _ = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
    let sender = ends[1]
    let radio = try LiveRadio(feed: ends[0])
    let news = Mutex<(heard: Int, health: [ReceiverHealth])>((0, []))
    var handlers = LiveRadio.Handlers { batch, _ in news.withLock { $0.heard += batch.count } }
    handlers.onHealth = { change, _ in
      news.withLock { $0.health.append(change.health) }
      if change.health == .gone { radio.stop() }
    }
    // The kernel queues only some.
    try Thread.start {
      for datagram in datagrams { _ = send(sender, datagram, datagram.count, 0) }
      close(sender)
    }
    try radio.run(handlers)
    return news.withLock { $0 }
  }

  @Test(arguments: [0, 1, 32, 65, 2000]) func everyEventIsHeardUntilTheSenderHangsUp(count: Int) throws {
    let (heard, health) = try Self.hear(Array(repeating: Self.reports(), count: count).flatMap(\.self))
    #expect(heard == 2 * count)
    #expect(health.first == .ok && health.last == .gone)
  }

  @Test func aMalformedEventDoesNotAffectTheOthers() throws {
    let others: [[UInt8]] = [[1], [4], [4, 0x3E, 1], [UInt8](repeating: 0xFF, count: 4000)]
    #expect(try Self.hear(others + Self.reports() + others).heard == 2)
  }

  @Test func onlyAConnectedPacketSocketIsTaken() throws {
    func expectRefusal(of descriptor: Int32, code: Int32) {
      #expect(throws: SystemError(call: "descriptor \(descriptor)", code: code)) {
        _ = try LiveRadio(feed: descriptor)
      }
    }
    expectRefusal(of: 987654, code: EBADF)
    let file = open("/dev/null", O_RDONLY)
    expectRefusal(of: file, code: ENOTSOCK)
    close(file)
    for type in [SOCK_STREAM, SOCK_DGRAM] {
      var ends: [Int32] = [-1, -1]
      _ = socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends)
      expectRefusal(of: ends[0], code: EPROTOTYPE)
      for end in ends { close(end) }
    }
    let alone = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    expectRefusal(of: alone, code: ENOTCONN)
    close(alone)
  }

  @Test func thePlayedKernelAnswersKnownCommands() {
    #expect(FeedKernel.answer([3, 0, 0xFF, 0xFF, 0, 0]) == [1, 0, 0xFF, 0xFF, 7, 0, 3, 0, 0, 1, 0, 0, 0])
    #expect(FeedKernel.answer([0x77, 0, 0, 0, 0, 0]) == [2, 0, 0, 0, 3, 0, 0x77, 0, 1])
    #expect(FeedKernel.answer([3, 0]) == [])
  }
}
