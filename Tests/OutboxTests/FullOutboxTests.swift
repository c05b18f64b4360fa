import Beacons
import Contract
import Core
import Foundation
import Proximity
import Testing

@testable import Outbox

/// The broker stays away until the file has reached its limit.
@Suite struct FullOutboxTests {
  private static func batch(from first: UInt64, count: UInt64 = 50) -> OutboxStore.Batch {
    OutboxStore.Batch(
      transitions: (first..<first + count).map { number in
        WaitingMessage(
          row: Int64(number),
          TransitionMessage(
            .zone(
              Transition(
                event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0),
                time: .zero,
                wallTime: WallTime(nanoseconds: 0), distance: nil, distanceDeviation: nil, rssi: nil,
                evidence: Evidence(
                  threshold: 1, value: 1, unit: .metres, samples: 1, dwell: .zero,
                  receiver: ReceiverIndex(rawValue: 0)))),
            epoch: 1, sequence: number, gateway: "forecourt", place: "pump-3",
            beacon: "fleet:1.\(number)",
            receiver: "hci0"))
      })
  }

  /// Fills a store; the sequence numbers that it took.
  private func fill(_ store: OutboxStore) -> UInt64 {
    var next: UInt64 = 1
    while next < 100_000 {
      do { try store.commit(Self.batch(from: next)) } catch {
        #expect(error is OutboxFull)
        return next - 1
      }
      next += 50
    }
    Issue.record("it is never full")
    return 0
  }

  private func store() throws -> (OutboxStore, path: String) {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("full-\(UUID()).sqlite").path
    try OutboxFile.prepare(path)
    let store = try OutboxStore(path: path, largest: 1 << 19)
    _ = try store.begin(bootID: "a") { _ in 1 }
    return (store, path)
  }

  private func waiting(_ store: OutboxStore) throws -> [UInt64] {
    try store.waiting(after: 0, limit: 100_000).rows.map(\.content.sequence)
  }

  @Test func earlierTransitionsStayInOrder() throws {
    let (store, path) = try store()
    let taken = fill(store)
    #expect(taken > 500)
    #expect(try waiting(store) == Array(1...taken))
    store.close()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect((size ?? .max) <= 1 << 19)
    // And the next run finds it.
    let again = try OutboxStore(path: path)
    let remains = try again.begin(bootID: "a") { _ in 2 }
    #expect(remains.waiting == Int(taken))
    #expect(try waiting(again) == Array(1...taken))
    again.close()
  }

  @Test func acknowledgedTransitionsMakeRoom() throws {
    let (store, _) = try store()
    let taken = fill(store)
    // Nothing fits, but what was delivered may always go.
    try store.commit(OutboxStore.Batch(acknowledged: Array(1...Int64(taken - 100))))
    #expect(try waiting(store) == Array(taken - 99...taken))
    try store.commit(Self.batch(from: taken + 1))
    #expect(try waiting(store) == Array(taken - 99...taken + 50))
    store.close()
  }

  @Test func `a boot is the same whether the kernel or the unit tells it`() {
    let kernel = "5d2f0d22-8c4e-4d1c-9a53-2f0a3a1b7c9e\n"
    let unit = "5d2f0d228c4e4d1c9a532f0a3a1b7c9e"
    #expect(OpenOutbox.bootID(kernel: kernel, service: nil) == OpenOutbox.bootID(kernel: nil, service: unit))
    #expect(OpenOutbox.bootID(kernel: kernel, service: "another") == unit)
    #expect(OpenOutbox.bootID(kernel: nil, service: nil) == "")
  }

  @Test func `a boot that is not told is not the same as another`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("boot-\(UUID()).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    for (bootID, isSame) in [("", false), ("", false), ("a", false), ("a", true)] {
      try OutboxFile.prepare(path)
      let store = try OutboxStore(path: path)
      #expect(try store.begin(bootID: bootID) { ($0 ?? 0) + 1 }.isSameBoot == isSame)
      store.close()
    }
  }
}
