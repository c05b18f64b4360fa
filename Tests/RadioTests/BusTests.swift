import Beacons
import Core
import Testing

@testable import Radio

struct BusTests {
  /// A signal as bluetoothd sends it: PropertiesChanged of an adapter.
  private static let discoveringEnds: [UInt8] = {
    var body = BusWriter()
    body.text("org.bluez.Adapter1")
    body.dictionary([("Discovering", .flag(false))])
    body.number(0)
    var message = BusMessage.call(
      "org.bluez", "/org/bluez/hci3", "org.freedesktop.DBus.Properties", "PropertiesChanged",
      signature: "sa{sv}as", body: body, serial: 7)
    message[1] = BusMessage.Kind.signal.rawValue
    return message
  }()

  @Test func messagesReadBackAsWritten() throws {
    let parsed = try #require(try BusMessage.parse(Self.discoveringEnds))
    let message = try #require(parsed.message)
    #expect(parsed.length == Self.discoveringEnds.count)
    #expect(message.kind == .signal)
    #expect(message.serial == 7)
    #expect(message.path == "/org/bluez/hci3")
    #expect(message.member == "PropertiesChanged")
    #expect(
      message.values == [.text("org.bluez.Adapter1"), .map(["Discovering": .flag(false)]), .list([])])
    #expect(BlueZ.adapter(message.path) == 3)
    #expect(BlueZ.adapter("/org/bluez/hci3/dev_00") == nil)
  }

  @Test func messagesMayFollowEachOtherAndComeInPieces() throws {
    let two = Self.discoveringEnds + Self.discoveringEnds
    for count in 0..<Self.discoveringEnds.count {
      #expect(try BusMessage.parse(Array(two[..<count])) == nil)
    }
    let second = try #require(try BusMessage.parse(two, at: Self.discoveringEnds.count))
    #expect(second.message?.path == "/org/bluez/hci3")
  }

  /// From the D-Bus Specification's own rules, by hand: big endian, an array of structs, a variant in a variant.
  @Test func everyByteOrderAndNesting() {
    let bytes: [UInt8] = [
      0, 0, 0, 13, 0, 0, 0, 0,  // array of 13 bytes, aligned to 8
      0, 0, 0, 5, 1, 0, 0, 0,  // 5, 1
      0xFF, 0xFF, 0xFF, 0xFE, 2,  // -2, 2
    ]
    var reader = BusReader(bytes, in: 0..<21, base: 0, isBigEndian: true)
    #expect(
      reader.values("a(iy)") == [
        .list([.list([.number(5), .number(1)]), .list([.number(-2), .number(2)])])
      ])
    var variant = BusReader([1, 0x76, 0, 1, 0x79, 0, 9], in: 0..<7, base: 0, isBigEndian: false)
    #expect(variant.values("v") == [.number(9)])
  }

  @Test func hostileBytesAreRefusedAndNeverTrap() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = Self.discoveringEnds
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      _ = try? BusMessage.parse(bytes)
    }
    // Nothing in it, as often as you like; and nested beyond all bounds.
    var empty = BusReader(
      [16, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16), in: 0..<24, base: 0, isBigEndian: false)
    #expect(empty.values("a()") == nil)
    var deep = BusReader([UInt8](repeating: 0, count: 64), in: 0..<64, base: 0, isBigEndian: false)
    #expect(deep.values(String(repeating: "(", count: 200)) == nil)
  }

  @Test func theAddressOfTheBusIsFound() {
    #expect(BusConnection.path(nil) == "/run/dbus/system_bus_socket")
    #expect(BusConnection.path("tcp:host=x;unix:guid=1,path=/tmp/bus") == "/tmp/bus")
  }

  /// What bluetoothd tells of a device, of which it repeats only what changed.
  @Test func changesBecomeAdvertisements() {
    func changed(_ properties: [String: BusValue]) -> BusMessage {
      BusMessage(
        kind: .signal, path: "/org/bluez/hci0/dev_C1_00_00_00_00_01", member: "PropertiesChanged",
        values: [.text("org.bluez.Device1"), .map(properties), .list([])])
    }
    var devices = BusDevices()
    #expect(devices.take(changed(["Connected": .flag(false)])) == nil)
    let first = devices.take(
      changed(["RSSI": .number(-60), "ManufacturerData": .map(["76": .bytes([2, 0x15])])]))
    #expect(first?.address.description == "C1:00:00:00:00:01")
    #expect(first?.adapter == 0)
    #expect(first?.rssi == -60)
    #expect(first?.payload == [5, 0xFF, 0x4C, 0, 2, 0x15])
    let second = devices.take(changed(["RSSI": .number(-70)]))
    #expect(second?.payload == first?.payload)
    #expect(second?.rssi == -70)
    let service = "0000feaa-0000-1000-8000-00805f9b34fb"
    let third = devices.take(changed(["ServiceData": .map([service: .bytes([0x20]), "1234": .bytes([1])])]))
    #expect(third?.payload == [5, 0xFF, 0x4C, 0, 2, 0x15, 4, 0x16, 0xAA, 0xFE, 0x20])
  }
}
