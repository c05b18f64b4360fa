import Foundation
import Testing

/// What `deploy/bench` calls.
@Suite struct BenchTests {
  /// It lies where `beaconkeeper` lies.
  private static let binary = Command.binary.deletingLastPathComponent().appendingPathComponent("bench")

  @Test func aDescriptorThatIsNoSuchSocketIsRefused() async throws {
    for (descriptor, reason) in [("0", "non-socket"), ("987", "Bad file descriptor")] {
      let result = try await Command(
        ["socket", "--fd", descriptor, "--config", "config/demo.yaml"], executable: Self.binary
      ).end()
      #expect(result.status == 69)
      #expect(result.errors.contains("descriptor \(descriptor): ") && result.errors.contains(reason))
      #expect(result.output.isEmpty && result.isCalm)
    }
    #expect(try await Command(["socket", "--fd", "-1"], executable: Self.binary).end().status == 64)
  }

  @Test func aDatagramIsFollowedToTheZonesDecision() async throws {
    let config = try file(
      """
      beacons: [ { name: key, address: C1:00:00:00:00:01 } ]
      zones: [ { name: hall, enter: { signal: -100 dBm, dwell: 0 s }, exit: { signal: -110 dBm } } ]
      """, "yaml")
    var sockets: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &sockets) == 0)
    let command = try Command(
      ["socket", "--fd", "0", "--config", config],
      standardInput: FileHandle(fileDescriptor: sockets[1], closeOnDealloc: true), executable: Self.binary)
    for address: UInt8 in [1, 2] {
      // An LE advertising report with its packet type.
      let datagram = [0x04, 0x3E, 15, 0x02, 1, 0, 1, address, 0, 0, 0, 0, 0xC1, 3, 2, 1, 6, 0xC8]
      send(sockets[0], datagram, datagram.count, 0)
    }
    send(sockets[0], "nonsense", 8, 0)
    close(sockets[0])
    let result = try await command.end()
    #expect(result.status == 0)
    #expect(
      result.output.hasPrefix(
        #"{"adverts":2,"sightings":1,"beacons":1,"transitions":1,"cpu_s":"#))
    #expect(result.output.contains(#","wall_s":"#) && result.lines.count == 1)
  }

  @Test func itIsNoPartOfTheShippedProgram() async throws {
    #expect(try await !Command.run("--help").output.contains("bench"))
    #expect(try await Command.run("bench", "policy").status == 64)
  }
}
