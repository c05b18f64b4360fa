import Messages
import Testing

@Suite struct TopicsTests {
  @Test(arguments: [
    ("pump-3", "pump-3"), ("fleet:1.2", "fleet%3A1.2"), ("a/b", "a%2Fb"), ("#", "%23"), ("+", "%2B"),
    ("$SYS", "%24SYS"), ("Küche", "K%C3%BCche"), ("50%", "50%25"), ("a b", "a%20b"), ("", ""),
  ])
  func noNameLeavesItsLevel(name: String, level: String) {
    #expect(Topics(gateway: "g").occupancy(zone: name) == "beaconkeeper/g/zone/\(level)/occupancy")
  }

  @Test func theGatewayNameIsEscapedToo() {
    #expect(Topics(gateway: "a/+").status == "beaconkeeper/a%2F%2B/status")
  }
}
