import Beacons
import Contract
import Core
import Foundation
import Proximity
import Testing

@testable import Outbox

/// Transitions of rooms on disk, among those of zones.
@Suite struct RoomTransitionRowTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "outbox-\(UUID().uuidString)")
  private let start = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  private func open() throws -> OpenOutbox {
    try OpenOutbox(
      gateway: "flat", directory: StateDirectory(configured: folder.path), wallTime: start, chance: 7)
  }

  private func alter(_ sql: String) throws {
    let path = folder.appendingPathComponent("flat.sqlite").path
    let database = try Database(path: path)
    try database.write { try $0.execute(script: sql) }
    try database.close()
  }

  private func batch(_ transitions: [TransitionMessage]) -> OutboxStore.Batch {
    OutboxStore.Batch(transitions: transitions.map { WaitingMessage(row: Int64($0.sequence), $0) })
  }

  private func zone(_ sequence: UInt64) -> TransitionMessage {
    TransitionMessage(
      .zone(
        Transition(
          event: .near, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3),
          time: MonotonicTime(nanoseconds: 5), wallTime: start, distance: 1.38, distanceDeviation: nil,
          rssi: -62.25,
          evidence: Evidence(
            threshold: 2, value: 1.376, unit: .metres, samples: 85, dwell: .seconds(2),
            receiver: ReceiverIndex(rawValue: 0)))),
      epoch: 1, sequence: sequence, gateway: "flat", place: "kitchen", beacon: "van", receiver: "hci0")
  }

  private func room(
    _ sequence: UInt64, _ event: RoomTransition.Event = .enter, probability: Double? = 0.87,
    witnesses: Int = 2, reason: Evidence.Reason? = nil
  ) -> TransitionMessage {
    TransitionMessage(
      .room(
        RoomTransition(
          event: event, room: RoomIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3),
          time: MonotonicTime(nanoseconds: 5), wallTime: start + .seconds(Double(sequence)),
          probability: probability,
          evidence: (0..<witnesses).map {
            RoomEvidence(
              receiver: ReceiverIndex(rawValue: UInt16($0)), rssi: -58.25 - Double($0),
              expected: $0 == 0 ? nil : -60, samples: 12)
          }, receiver: ReceiverIndex(rawValue: 1), reason: reason)),
      epoch: 1, sequence: sequence, gateway: "flat", place: "kitchen", beacon: "van", receiver: "esp-1",
      witnesses: (0..<witnesses).map { "esp-\($0)" })
  }

  private func zoneOfRooms(_ sequence: UInt64, room: String?) -> TransitionMessage {
    var message = zone(sequence)
    message.transition?.evidence = Evidence(
      threshold: 0.6, value: 0.87, unit: .probability, samples: 21, dwell: .seconds(3),
      receiver: ReceiverIndex(rawValue: 1), room: room.map { _ in RoomIndex(rawValue: 0) },
      witnesses: [
        RoomEvidence(receiver: ReceiverIndex(rawValue: 1), rssi: -58.25, expected: nil, samples: 21)
      ])
    message.room = room
    message.witnesses = ["esp-1"]
    return message
  }

  private func event(_ sequence: UInt64, _ happening: Happening, packet: UInt32? = nil) -> TransitionMessage {
    TransitionMessage(
      .event(
        BeaconEvent(
          beacon: BeaconIndex(rawValue: 3), time: MonotonicTime(nanoseconds: 5), wallTime: start,
          reading: ReadingKind(Reading(.button, ordinal: 2, .button(.press))), happening: happening,
          packet: packet)), epoch: 1, sequence: sequence, gateway: "flat", beacon: "van", receiver: "esp-1")
  }

  private func octets(_ content: any NumberedMessage) -> String {
    let message = content.message(topics: Topics(gateway: content.gateway))
    return "\(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
  }

  @Test func roomsAndZonesWaitInOneOrderAndInTheSameWords() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let written = [
      zone(1), room(2), room(3, .exit, probability: nil, witnesses: 0), zone(4),
      room(5, .exit, probability: nil, reason: .zoneRemoved), room(6, witnesses: 4),
      zoneOfRooms(7, room: "kitchen"), zoneOfRooms(8, room: nil), event(9, Happening("press")),
      event(10, Happening("rotate_left", amount: 3), packet: .max),
    ]
    let first = try open()
    try first.store?.commit(batch(written))
    first.store?.close()
    let read = try #require(try open().store).waiting(after: 0, limit: 10)
    #expect(read.rows.map { octets($0.content) } == written.map(octets))
    #expect(read.rows.map(\.content.sequence) == written.map(\.sequence))
    let transitions = read.rows.compactMap { $0.content as? TransitionMessage }
    #expect(transitions.map(\.id) == written.prefix(8).map(\.id))
    #expect(transitions.map(\.time) == written.prefix(8).map(\.time))
    #expect(read.damaged == [])
  }

  @Test func theOutboxOfAVersionWithoutRoomsOpensAndTakesThem() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch([zone(1)]))
    first.store?.close()
    try alter("PRAGMA user_version = 2")
    let second = try open()
    #expect(second.notices == [])
    #expect(second.remains?.waiting == 1)
    let store = try #require(second.store)
    try store.commit(batch([room(2)]))
    #expect(
      try store.waiting(after: 0, limit: 10).rows.map { ($0.content as? TransitionMessage)?.kind }
        == [.zone, .room])
    // The earlier version would take what it cannot read for damage.
    #expect(try store.database.use { try $0.value("PRAGMA user_version").int64 } == 5)
  }

  @Test(arguments: [
    "body = x''", "body = substr(body, 1, 40)", "body = body || x'00'",
    "body = x'07' || substr(body, 2)", "body = zeroblob(300)",
  ])
  func aRowThatIsDamagedIsPassedOver(_ damage: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch([room(1), room(2), room(3)]))
    first.store?.close()
    try alter("UPDATE waiting SET \(damage) WHERE id = 2")
    let page = try #require(try open().store).waiting(after: 0, limit: 10)
    #expect(page.rows.map(\.content.sequence) == [1, 3])
    #expect(page.damaged == [2])
  }
}
