import Testing

@testable import Contract

@Suite("Theengs gateway and OpenMQTTGateway") struct TheengsTests {
  private func heard(
    _ payload: String, _ yaml: String = "kind: theengs", topic: String = "home/OMG1/BTtoMQTT/C10000000001"
  ) throws -> [String] {
    var desk = try Desk("scanners: [{ \(yaml) }]")
    let isOurs = desk.say(topic, payload)
    #expect(isOurs)
    return desk.heard
  }

  @Test func manufacturerDataGoesThroughOurDecoders() throws {
    #expect(
      try heard(
        #"{"id":"C1:00:00:00:00:01","mac_type":1,"name":"","manufacturerdata":"4c000215f29dc74adbbd12de318ac8b046dd442500010002c5","rssi":-61,"txpower":12}"#
      ) == ["OMG1 C1:00:00:00:00:01 -61 iBeacon 1.2 -59"])
  }

  @Test func serviceDataGoesThroughOurDecoders() throws {
    #expect(
      try heard(
        ##"{"id":"A4:C1:38:00:00:02","rssi":-80,"servicedata":"40021409","servicedatauuid":"0xfcd2","brand":"BTHome"}"##
      ) == ["OMG1 A4:C1:38:00:00:02 -80 bthome"])
    #expect(
      try heard(
        #"{"id":"A4:C1:38:00:00:02","rssi":-80,"servicedata":"40021409","servicedatauuid":"0000fcd2-0000-1000-8000-00805f9b34fb"}"#
      ) == ["OMG1 A4:C1:38:00:00:02 -80 bthome"])
  }

  @Test func anIBeaconThatItTookApartIsPutTogether() throws {
    #expect(
      try heard(
        #"{"id":"C1:00:00:00:00:01","rssi":-61,"brand":"GENERIC","model_id":"IBEACON","mfid":"4c00","uuid":"f29dc74adbbd12de318ac8b046dd4425","major":1,"minor":2,"txpower":-62}"#
      ) == ["OMG1 C1:00:00:00:00:01 -61 iBeacon 1.2 -62"])
  }

  @Test func `what the sender has read of a sensor is told once, and what needs no reading is not`() throws {
    var desk = try Desk("scanners: [{ kind: theengs }]")
    for message in [
      #"{"id":"C1:00:00:00:00:01","rssi":-61,"brand":"GENERIC","model_id":"IBEACON","mfid":"4c00","uuid":"f29dc74adbbd12de318ac8b046dd4425","major":1,"minor":2,"txpower":-62}"#,
      #"{"id":"C1:00:00:00:00:02","rssi":-61}"#,
    ] {
      _ = desk.say("home/OMG1/BTtoMQTT/C10000000001", message)
    }
    #expect(desk.hearing.notices == [])
    for _ in 0..<2 {
      _ = desk.say(
        "home/OMG1/BTtoMQTT/A4C138000001",
        #"{"id":"A4:C1:38:00:00:01","name":"GVH5075_1234","rssi":-70,"brand":"Govee","model":"Thermo-Hygrometer","model_id":"H5075","tempc":21.5}"#
      )
    }
    #expect(
      desk.hearing.notices.count == 1 && desk.hearing.notices[0].contains("a H5075"),
      "\(desk.hearing.notices)")
  }

  @Test func repeatedMembersAreAllRead() throws {
    #expect(
      try heard(
        #"{"id":"C1:00:00:00:00:01","rssi":-61,"servicedata":"40021409","servicedatauuid":"fcd2","servicedata":"400164","servicedatauuid":"fcd2"}"#
      ) == ["OMG1 C1:00:00:00:00:01 -61 bthome bthome"])
  }

  @Test func theAddressInTheTopicServesWhereTheMessageHasAnotherName() throws {
    #expect(
      try heard(#"{"id":"f29dc74adbbd12de318ac8b046dd4425","rssi":-61}"#) == ["OMG1 C1:00:00:00:00:01 -61"])
  }

  @Test func wildcardsAreEnough() throws {
    #expect(
      try heard(
        #"{"id":"C1:00:00:00:00:01","rssi":-61}"#, #"kind: theengs, topic: "site/a/+/BTtoMQTT/+""#,
        topic: "site/a/OMG7/BTtoMQTT/C10000000001") == ["OMG7 C1:00:00:00:00:01 -61"])
    #expect(
      try heard(
        #"{"id":"C1:00:00:00:00:01","rssi":-61}"#,
        #"kind: theengs, topic: "home/OMG/BTtoMQTT/+", receiver: shed"#,
        topic: "home/OMG/BTtoMQTT/C10000000001")
        == ["shed C1:00:00:00:00:01 -61"])
  }

  @Test(arguments: ["4c0", "4c 00", "xyz", String(repeating: "ab", count: 2000)])
  func anInvalidPayloadIsRefused(data: String) throws {
    var desk = try Desk("scanners: [{ kind: theengs }]")
    desk.say("home/OMG1/BTtoMQTT/x", #"{"id":"C1:00:00:00:00:01","rssi":-61,"manufacturerdata":"\#(data)"}"#)
    #expect(desk.refused(.payload) == 1)
  }

  @Test func aMessageWithoutASignalIsNoObservationAndIsCounted() throws {
    var desk = try Desk("scanners: [{ kind: theengs }]")
    desk.say("home/OMG1/BTtoMQTT/C10000000001", #"{"uptime":120,"version":"1.8"}"#)
    desk.say(
      "home/OMG1/BTtoMQTT/C10000000001",
      #"[{"id":"C1:00:00:00:00:01"},{"id":"C1:00:00:00:00:01","rssi":null},17,{"id":"C1:00:00:00:00:01","rssi":-61}]"#
    )
    #expect(desk.heard.count == 1)
    #expect(desk.withoutSignal == 4)
    #expect(desk.hearing.notices.isEmpty)
  }
}
