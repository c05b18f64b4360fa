@testable import Contract
import Core
import TestSupport
import Testing

/// What `mqtt_room` and consumers of ESPresense read.
@Suite struct RoomPresenceMessageTests {
  private func message(_ prefix: String = "room_presence", name: String? = nil) -> Message {
    RoomPresenceMessage(
      prefix: prefix, beacon: "fleet:1.2", displayName: name, receiver: "living room", distance: 1.8349
    ).message()
  }

  @Test func theRoomIsTheLastLevelAndThePayloadTheirs() {
    #expect(message().topic == "room_presence/living%20room")
    #expect(
      String(decoding: message().payload, as: UTF8.self)
        == #"{"id":"fleet:1.2","name":"fleet:1.2","distance":1.83}"#)
    #expect(
      String(decoding: message(name: "Bella").payload, as: UTF8.self)
        == #"{"id":"fleet:1.2","name":"Bella","distance":1.83}"#)
    #expect(MessageSchemas.faults(topic: message().topic, payload: message().payload) == [])
  }

  @Test func itIsOfThisMoment() {
    #expect(message().qos == .atMostOnce && !message().retained)
  }

  @Test func thePrefixMayNameTheBeacon() {
    #expect(
      message("espresense/devices/{beacon}").topic == "espresense/devices/fleet%3A1.2/living%20room")
    #expect(message("{beacon}/rooms").topic == "fleet%3A1.2/rooms/living%20room")
  }
}
