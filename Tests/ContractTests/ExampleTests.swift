import Beacons
import Configuration
import Core
import Foundation
import Testing

@testable import Contract

/// The examples in config/examples/scanners, each with messages in the form in which its devices send them.
@Suite struct ExampleTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "config/examples/scanners")

  private func desk(_ file: String) throws -> Desk {
    let loaded = try Configuration.load(
      path: Self.folder.appendingPathComponent("\(file).yaml").path, environment: [:], hostName: "pi")
    #expect(loaded.warnings == [])
    return Desk(loaded.configuration)
  }

  private static let iBeacon = "4c000215f29dc74adbbd12de318ac8b046dd442500010002c5"

  @Test func everyExampleIsTested() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(
      Set(files) == [
        "espresense.yaml", "theengs.yaml", "minew-g1.yaml", "esphome.yaml", "second-gateway.yaml",
      ])
  }

  @Test func espresense() throws {
    var desk = try desk("espresense")
    desk.say(
      "espresense/devices/iBeacon:f29dc74a-dbbd-12de-318a-c8b046dd4425-1-2/kitchen",
      #"{"mac":"c10000000001","id":"iBeacon:f29dc74a-dbbd-12de-318a-c8b046dd4425-1-2","disc":"apple:1006","idType":15,"rssi@1m":-59,"rssi":-61.00,"raw":1.26,"distance":1.30,"speed":0.01,"int":1013}"#
    )
    desk.say(
      "espresense/devices/phone:anna/bedroom",
      #"{"mac":"5a1122334455","id":"phone:anna","name":"Anna","idType":170,"rssi@1m":-71,"rssi":-80.00,"raw":3.1,"distance":3.2,"int":900}"#
    )
    desk.say("espresense/rooms/bedroom/status", "offline", retained: true)
    #expect(
      desk.heard == [
        "kitchen C1:00:00:00:00:01 -61 iBeacon 1.2 -59", "bedroom [entry scanner anna] -80",
      ])
    #expect(desk.changes == ["kitchen ok", "bedroom ok", "bedroom gone"])
  }

  @Test func theengs() throws {
    var desk = try desk("theengs")
    desk.say(
      "home/OpenMQTTGateway_shed/BTtoMQTT/C10000000001",
      #"{"id":"C1:00:00:00:00:01","mac_type":1,"adv_type":3,"manufacturerdata":"\#(Self.iBeacon)","rssi":-71,"brand":"GENERIC","model":"iBeacon","model_id":"IBEACON","type":"BCON","mfid":"4c00","uuid":"f29dc74adbbd12de318ac8b046dd4425","major":1,"minor":2,"txpower":-59,"volt":3.0}"#
    )
    desk.say(
      "home/TheengsGateway/BTtoMQTT/A4C138000002",
      #"{"name":"ATC_000002","id":"A4:C1:38:00:00:02","rssi":-80,"brand":"Xiaomi","model":"TH Sensor","tempc":21.3,"hum":40,"servicedatauuid":"fcd2","servicedata":"40021409"}"#
    )
    #expect(
      desk.heard == [
        "shed C1:00:00:00:00:01 -71 iBeacon 1.2 -59", "TheengsGateway A4:C1:38:00:00:02 -80 bthome",
      ])
  }

  @Test func minewG1() throws {
    var desk = try desk("minew-g1")
    let message = """
      [{"timestamp":"1970-01-01T00:00:12Z","type":"Gateway","mac":"AC233FC00001","gatewayFree":96,"gatewayLoad":0.05},
       {"timestamp":"1970-01-01T00:00:11Z","type":"iBeacon","mac":"AC233F600002","bleName":"","ibeaconUuid":"F29DC74ADBBD12DE318AC8B046DD4425","ibeaconMajor":1,"ibeaconMinor":2,"rssi":-64,"ibeaconTxPower":-59,"battery":0},
       {"timestamp":"1970-01-01T00:00:11Z","type":"Unknown","mac":"AC233F600003","bleName":"","rssi":-70,"rawData":"0201061AFF4C000215F29DC74ADBBD12DE318AC8B046DD442500010003C5"}]
      """
    for _ in 0..<3 { desk.say("/gw/ac233fc00001/status", message) }
    desk.say("/gw/ac233fc00001/status", message.replacing("00:00:11Z", with: "00:00:12Z"))
    let once = [
      "dock AC:23:3F:60:00:02 -64 iBeacon 1.2 -59", "dock AC:23:3F:60:00:03 -70 iBeacon 1.3 -59",
    ]
    #expect(desk.heard == once + once)
  }

  @Test func esphome() throws {
    var desk = try desk("esphome")
    desk.say(
      "ble/kitchen/advertisement",
      #"{"address":"C1:00:00:00:00:01","rssi":-59,"manufacturer_data":"\#(Self.iBeacon)"}"#)
    desk.say("ble/kitchen/status", "offline", retained: true)
    #expect(desk.heard == ["kitchen C1:00:00:00:00:01 -59 iBeacon 1.2 -59"])
    #expect(desk.changes == ["kitchen ok", "kitchen gone"])
  }

  @Test func secondGateway() throws {
    var desk = try desk("second-gateway")
    let message = ObservationsMessage(
      gateway: "hall", boot: "9f3c2a7be01d4455", sequence: 1, sent: desk.now, partition: 0,
      receivers: ["hci0"],
      beacons: [
        .init(
          key: "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2", measuredPower: -59,
          heard: [.init(receiver: 0, rssi: -61, age: .milliseconds(80))])
      ]
    ).message(topics: Topics(gateway: "hall"))
    desk.say(message.topic, message.payload)
    #expect(desk.heard == ["hall [ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2] -61"])
  }
}
