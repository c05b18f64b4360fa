import Configuration
import Foundation
import Testing

@testable import Contract

/// The configurations of the manual's page for those who come from another program, as the page has them, with messages in the form in
/// which those programs' documentation has them.
@Suite struct MovingTests {
  private func desk(_ name: String) throws -> Desk {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/beaconkeeper/Documentation.docc/Moving.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let begin = try #require(text.range(of: "```yaml\n# from \(name)\n"))
    let end = try #require(text[begin.upperBound...].range(of: "```"))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("moving-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = folder.appendingPathComponent("keys.yaml")
    try Data("annas-phone: 00112233445566778899aabbccddeeff\n".utf8).write(to: keys)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path)
    let file = folder.appendingPathComponent("site.yaml")
    try Data(text[begin.upperBound..<end.lowerBound].utf8).write(to: file)
    let loaded = try Configuration.load(path: file.path, environment: [:], hostName: "pi")
    #expect(loaded.warnings == [])
    return Desk(loaded.configuration)
  }

  private static let uuid = "f29dc74a-dbbd-12de-318a-c8b046dd4425"

  @Test func espresense() throws {
    var desk = try desk("ESPresense")
    for (id, mac) in [
      ("iBeacon:\(Self.uuid)-1-2", "c20000000002"), ("known:c10000000001", "c10000000001"),
      ("irk:00112233445566778899aabbccddeeff", "5f0000000003"), ("tile:e0123456", "6f0000000004"),
    ] {
      desk.say(
        "espresense/devices/\(id)/kitchen",
        #"{"mac":"\#(mac)","id":"\#(id)","disc":"","idType":15,"rssi@1m":-59,"rssi":-61.50,"raw":1.26,"distance":1.30,"speed":0.01,"int":1013}"#
      )
    }
    #expect(
      desk.heard == [
        "kitchen C2:00:00:00:00:02 -62 iBeacon 1.2 -59", "kitchen C1:00:00:00:00:01 -62",
        "kitchen [entry key anna] -62", "kitchen [entry scanner bike] -62",
      ])
    desk.say("espresense/devices/tile:e0123456/bedroom", #"{"id":"tile:e0123456","rssi":-80.00}"#)
    desk.say("espresense/rooms/bedroom/status", "offline", retained: true)
    // Settings of a board are nobody's signal.
    desk.say("espresense/rooms/bedroom/max_distance", "16.00", retained: true)
    #expect(desk.heard.last == "bedroom [entry scanner bike] -80" && desk.changes.last == "bedroom gone")
    #expect(ScannerRefusal.allCases.allSatisfy { desk.refused($0) == 0 })
  }

  @Test func roomAssistant() throws {
    var desk = try desk("room-assistant")
    func entity(_ rssi: Double, at time: String) -> String {
      #"""
      {"entity":{"attributes":{"distance":3.6,"lastUpdatedAt":"\#(time)"},"id":"ble-2f234454cf6d4a0fadf2f4911ba9ffa6-1-2","name":"Something Room Presence",
       "distributed":true,"stateLocked":true,"distances":{"bedroom":{"lastUpdatedAt":"2021-02-28T14:17:32.605Z","distance":9.4,"outOfRange":false},
       "living-room":{"lastUpdatedAt":"\#(time)","distance":3.6,"outOfRange":false}},"timeout":180,
       "measuredValues":{"bedroom":{"rssi":-79.81192947697268,"measuredPower":-59},"living-room":{"rssi":\#(rssi),"measuredPower":-59}},
       "state":"living-room"},"diff":[{"path":"/measuredValues/living-room","oldValue":null,"newValue":null}],"hasAuthority":true}
      """#
    }
    let topic =
      "room-assistant/entity/living-room/bluetooth-low-energy-presence-sensor/ble-2f234454cf6d4a0fadf2f4911ba9ffa6-1-2"
    desk.say(topic, entity(-70.404, at: "2021-02-28T14:17:33.141Z"))
    // The bedroom heard it; the living room's value is the former one.
    desk.say(topic, entity(-70.404, at: "2021-02-28T14:17:33.141Z"))
    desk.say(topic, entity(-72.1, at: "2021-02-28T14:17:34.141Z"))
    #expect(
      desk.heard == ["living-room [entry scanner keys] -70", "living-room [entry scanner keys] -72"])
    #expect(desk.refused(.repeated) == 1)
  }

  @Test func monitor() throws {
    var desk = try desk("monitor")
    let iBeacon = "F29DC74A-DBBD-12DE-318A-C8B046DD4425-1-2"
    desk.say(
      "monitor/first floor/\(iBeacon)",
      #"{"id":"\#(iBeacon)","report_delay":"0","flags":"none","movement":"stationary","confidence":"100","name":"","power":"-59","rssi":"-67","mac":"C2:00:00:00:00:02","manufacturer":"Apple, Inc.","type":"APPLE_IBEACON","retained":"false","timestamp":"Sun Nov 29 2026 07:00:00 GMT+0000","version":"0.2.197"}"#
    )
    desk.say(
      "monitor/first floor/C1:00:00:00:00:01",
      #"{"id":"C1:00:00:00:00:01","report_delay":"0","flags":"0x06","movement":"stationary","confidence":"100","name":"bag","rssi":"-71","manufacturer":"Unknown","type":"GENERIC_BEACON_PUBLIC","retained":"false","timestamp":"Sun Nov 29 2026 07:00:00 GMT+0000","version":"0.2.197"}"#
    )
    // A phone was asked for its name: there is no signal in it.
    desk.say(
      "monitor/first floor/anna",
      #"{"id":"00:00:00:00:00:00","confidence":"100","name":"anna","manufacturer":"Apple, Inc.","type":"KNOWN_MAC","retained":"false","timestamp":"Sun Nov 29 2026 07:00:00 GMT+0000","version":"0.2.197"}"#
    )
    desk.say("monitor/first floor/status", "online", retained: true)
    #expect(desk.heard == ["first floor [entry scanner keys] -67", "first floor [entry scanner bag] -71"])
    #expect(desk.withoutSignal == 1)
  }

  @Test func theengs() throws {
    var desk = try desk("Theengs")
    desk.say(
      "home/TheengsGateway/BTtoMQTT/C10000000001",
      #"{"id":"C1:00:00:00:00:01","rssi":-71,"brand":"GENERIC","model":"iBeacon","model_id":"IBEACON","type":"BCON","mfid":"4c00","uuid":"f29dc74adbbd12de318ac8b046dd4425","major":1,"minor":2,"txpower":-59,"volt":3.0}"#
    )
    desk.say(
      "home/OpenMQTTGateway_shed/BTtoMQTT/A4C138000002",
      #"{"id":"A4:C1:38:00:00:02","rssi":-80,"brand":"Xiaomi","model":"TH Sensor","tempc":21.3,"hum":40,"servicedatauuid":"fcd2","servicedata":"40021409"}"#
    )
    #expect(
      desk.heard == [
        "TheengsGateway C1:00:00:00:00:01 -71 iBeacon 1.2 -59",
        "OpenMQTTGateway_shed A4:C1:38:00:00:02 -80 bthome",
      ])
  }
}
