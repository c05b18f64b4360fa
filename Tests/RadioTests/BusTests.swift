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

  @Test func whatIsWrittenIsReadAgain() throws {
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
}
