import Core
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Radio

/// On a real bus, a local user who speaks in bluetoothd's name.
@Suite(
  .serialized,
  .enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not here (package dbus-daemon)"))
struct ForgedBusTests {
  /// A bus of our own, on which everybody may do everything.
  private final class Bus {
    let address: String
    private let folder: URL
    private let process: Child

    init() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "bus-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let socket = folder.appendingPathComponent("s").path
      address = "unix:path=\(socket)"
      let configuration = folder.appendingPathComponent("conf").path
      try Data(
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>custom</type><listen>\(address)</listen><auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
            <allow send_type="method_return"/><allow send_type="error"/><allow send_type="signal"/>
          </policy>
        </busconfig>
        """.utf8
      ).write(to: URL(fileURLWithPath: configuration))
      process = try Child([
        "/usr/bin/dbus-daemon", "--config-file=\(configuration)", "--nofork", "--nopidfile",
      ])
      for _ in 0..<6000 where access(socket, F_OK) != 0 { usleep(10_000) }
    }

    deinit {
      process.signal(SIGKILL)
      try? FileManager.default.removeItem(at: folder)
    }
  }

  private func connect(_ bus: Bus) throws -> BusConnection {
    let connection = try BusConnection(address: bus.address)
    for _ in 0..<6000 where !connection.isReady {
      _ = connection.receive()
      usleep(10_000)
    }
    #expect(connection.isReady)
    return connection
  }

  /// A connection that owns bluetoothd's name.
  private func bluetoothd(on bus: Bus) throws -> BusConnection {
    let owner = try connect(bus)
    var name = BusWriter()
    name.text("org.bluez")
    name.number(0)
    owner.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", signature: "su",
      body: name)
    return owner
  }

  private func signal(
    _ interface: String, _ member: String, to destination: String, _ signature: String, _ body: BusWriter
  ) -> [UInt8] {
    var bytes = BusMessage.call(
      destination, "/org/bluez/hci3", interface, member, signature: signature, body: body, serial: 99)
    bytes[1] = BusMessage.Kind.signal.rawValue
    return bytes
  }

  private func send(_ bytes: [UInt8], over connection: BusConnection) {
    #expect(Glibc.send(connection.descriptor.number, bytes, bytes.count, 0) == bytes.count)
  }

  /// What it tells until something has come.
  private func news(of blueZ: BlueZ, until hasCome: ([BlueZ.News]) -> Bool) -> [BlueZ.News] {
    var news = blueZ.receive()
    for _ in 0..<6000 where !hasCome(news) {
      usleep(10_000)
      news += blueZ.receive()
    }
    return news
  }

  private func news(of blueZ: BlueZ, until wanted: BlueZ.News) -> [BlueZ.News] {
    news(of: blueZ) { $0.contains(wanted) }
  }

  private var discoveringEnds: BusWriter {
    var body = BusWriter()
    body.text("org.bluez.Adapter1")
    body.dictionary([("Discovering", .flag(false))])
    body.number(0)
    return body
  }

  @Test func onlyTheOwnerOfTheNameIsBelieved() throws {
    let bus = try Bus()
    let owner = try bluetoothd(on: bus)
    let blueZ = try BlueZ(hearsDevices: true, address: bus.address)
    #expect(news(of: blueZ, until: .isThere(true)).contains(.isThere(true)))

    // The connections have the names :1.0, :1.1 and :1.2; ours is among them.
    let stranger = try connect(bus)
    var change = BusWriter()
    for text in ["org.bluez", ":1.0", ""] { change.text(text) }
    for number in 0..<3 {
      let properties = "org.freedesktop.DBus.Properties"
      send(
        signal(properties, "PropertiesChanged", to: ":1.\(number)", "sa{sv}as", discoveringEnds),
        over: stranger)
      send(
        signal("org.freedesktop.DBus", "NameOwnerChanged", to: ":1.\(number)", "sss", change), over: stranger)
    }
    #expect(news(of: blueZ) { _ in blueZ.forged == 2 } == [])
    #expect(blueZ.forged == 2)

    for number in 0..<3 {
      send(
        signal(
          "org.freedesktop.DBus.Properties", "PropertiesChanged", to: ":1.\(number)", "sa{sv}as",
          discoveringEnds),
        over: owner)
    }
    let told = BlueZ.News.discovering(adapter: 3, false)
    #expect(news(of: blueZ, until: told) == [told])
  }

  @Test func `if bluetoothd ends before it knows who answers for it, pairing goes on without it`() throws {
    let bus = try Bus()
    var owner: BusConnection? = try bluetoothd(on: bus)
    let agent = try PairingAgent(address: bus.address)
    for _ in 0..<6000 where agent.owner == nil {
      agent.receive()
      usleep(10_000)
      // Its unique name is on its way to us.
      if agent.connection.isReady, owner != nil {
        usleep(300_000)
        owner = nil
      }
    }
    #expect(owner == nil)
    for _ in 0..<300 where agent.owner != "" {
      agent.receive()
      usleep(10_000)
    }
    #expect(agent.owner == "")
  }

  /// BlueZ has one name for two answers: it discovers for us already, and the kernel was busy so that it will not.
  @Test(arguments: [false, true])
  func anInProgressErrorIsClarifiedByAQuestion(discovers: Bool) throws {
    let bus = try Bus()
    let owner = try bluetoothd(on: bus)
    let blueZ = try BlueZ(address: bus.address)
    #expect(news(of: blueZ, until: .isThere(true)).contains(.isThere(true)))
    blueZ.startDiscovery(3)
    var told: [BlueZ.News] = []
    for _ in 0..<6000 where told.isEmpty {
      for call in owner.receive() where call.kind == .call {
        switch call.member {
        case "StartDiscovery": send(answer(to: call, error: "org.bluez.Error.InProgress"), over: owner)
        case "Get":
          #expect(call.values == [.text("org.bluez.Adapter1"), .text("Discovering")])
          send(answer(to: call, flag: discovers), over: owner)
        default: break
        }
      }
      told = blueZ.receive()
      usleep(10_000)
    }
    #expect(told == [.discovering(adapter: 3, discovers)])
  }

  private func answer(to call: BusMessage, error: String? = nil, flag: Bool? = nil) -> [UInt8] {
    var fields = BusWriter()
    func field(_ code: UInt8, _ type: String) {
      fields.align(8)
      fields.byte(code)
      fields.signature(type)
    }
    field(5, "u")
    fields.number(call.serial)
    field(6, "s")
    fields.text(call.sender ?? "")
    if let error {
      field(4, "s")
      fields.text(error)
    }
    var body = BusWriter()
    if let flag {
      field(8, "g")
      fields.signature("v")
      body.signature("b")
      body.number(flag ? 1 : 0)
    }
    var message = BusWriter()
    message.byte(UInt8(ascii: "l"))
    message.byte((error == nil ? BusMessage.Kind.reply : .error).rawValue)
    message.byte(0)
    message.byte(1)
    message.number(UInt32(body.bytes.count))
    message.number(500 + call.serial)
    message.number(UInt32(fields.bytes.count))
    message.bytes += fields.bytes
    message.align(8)
    return message.bytes + body.bytes
  }

  @Test func aNewOwnerOfTheNameIsTrusted() throws {
    let bus = try Bus()
    let blueZ = try BlueZ(address: bus.address)
    #expect(news(of: blueZ, until: .isThere(false)).contains(.isThere(false)))
    withExtendedLifetime(try bluetoothd(on: bus)) {
      #expect(news(of: blueZ, until: .isThere(true)).contains(.isThere(true)))
    }
    #expect(blueZ.forged == 0)
  }
}
