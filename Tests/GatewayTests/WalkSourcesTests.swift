import Configuration
import Radio
import Scenes
import Synchronization
import Testing

@testable import Gateway

/// A live walk on a machine without Bluetooth.
@Suite(.enabled(if: (try? LiveRadio.adapters()) == nil)) struct WalkSourcesTests {
  private static let rooms = """
    beacons: [{ name: ben, address: C1:00:00:00:00:01 }]
    rooms: [{ name: hall, receivers: [hci0] }, { name: bath, receivers: [bath] }]
    """

  @Test func `a walk that loses its radio says why`() async throws {
    let configuration = try Scene.configuration(Self.rooms)
    let walk = try LiveWalk(configuration, beacon: "ben", record: nil)
    await #expect(throws: RadioError.self) {
      try await walk.hear(.radio) { _ in }
    }
  }

  @Test func `scanners go on without the radio`() async throws {
    let configuration = try Scene.configuration(
      "broker: { url: mqtt://127.0.0.1:1 }\nscanners: [{ kind: espresense }]\n" + Self.rooms)
    let walk = try LiveWalk(configuration, beacon: "ben", record: nil)
    let notices = AsyncStream.makeStream(of: String.self)
    let hearing = Task {
      defer { notices.continuation.finish() }
      try await walk.hear(.radio) { notices.continuation.yield($0) }
    }
    // The stream ends if the walk does.
    var isTold = false
    for await notice in notices.stream where notice.hasPrefix("no radio here: ") {
      isTold = true
      break
    }
    #expect(isTold)
    hearing.cancel()
    try? await hearing.value
  }
}
