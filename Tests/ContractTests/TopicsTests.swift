@testable import Contract
import Testing

@Suite struct TopicsTests {
  @Test(arguments: [
    ("pump-3", "pump-3"), ("fleet:1.2", "fleet%3A1.2"), ("a/b", "a%2Fb"), ("#", "%23"), ("+", "%2B"),
    ("$SYS", "%24SYS"), ("Küche", "K%C3%BCche"), ("50%", "50%25"), ("a b", "a%20b"), ("", ""),
  ])
  func noNameLeavesItsLevel(name: String, level: String) {
    #expect(Topics(gateway: "g").occupancy(zone: name) == "beaconkeeper/g/zone/\(level)/occupancy")
  }

  @Test func aTopicIsItsPartsOneAfterTheOther() {
    let topics = Topics(gateway: "forecourt")
    #expect(topics.transition(zone: "pump-3", event: "near") == "beaconkeeper/forecourt/zone/pump-3/near")
    #expect(topics.transition(zone: "ä", event: "exit") == "beaconkeeper/forecourt/zone/%C3%A4/exit")
    let long = String(repeating: "x", count: 1000)
    #expect(topics.state(beacon: long) == "beaconkeeper/forecourt/beacon/\(long)/state")
  }

  @Test func theGatewayNameIsEscapedToo() {
    #expect(Topics(gateway: "a/+").status == "beaconkeeper/a%2F%2B/status")
  }
}
