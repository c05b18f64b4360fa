import Beacons
import Testing

@testable import Contract

/// Messages of scanners of which only the paths are known.
@Suite struct MappingTests {
  private static func yaml(_ fields: String, each: String = "") -> String {
    "scanners: [{ kind: json, topic: \"own/{receiver}\", \(each)fields: { rssi: rssi, \(fields) } }]"
  }

  private static let beacon = "uuid: uuid, major: major, minor: minor, measured_power: tx"
  private static let hexadecimal =
    "uuid: uuid, major: { path: major, base: 16 }, minor: { path: minor, base: 16 }, measured_power: { path: tx, base: 16 }"

  private func hear(_ fields: String, major: String, minor: String = "1", power: String = "-59") throws
    -> Desk
  {
    var desk = try Desk(Self.yaml(fields))
    for _ in 0..<3 {
      desk.say(
        "own/kitchen",
        #"{"rssi":-60,"uuid":"\#(Desk.uuid)","major":\#(major),"minor":\#(minor),"tx":\#(power)}"#)
    }
    return desk
  }

  @Test(arguments: [#""0068""#, #""00C5""#, #""c5""#, #""1e3""#, "70000", "[]"])
  func `a number whose base is not clear is refused, counted and named once`(major: String) throws {
    let desk = try hear(Self.beacon, major: major)
    #expect(desk.heard.isEmpty)
    #expect(desk.refused(.field) == 3 && desk.refused(.identity) == 0)
    #expect(desk.hearing.notices.count == 1)
    #expect(desk.hearing.notices.first?.contains("the first: major is ") == true, "\(desk.hearing.notices)")
  }

  @Test func `the log has the line that helps`() throws {
    let notices = try hear(Self.beacon, major: #""0068""#).hearing.notices
    #expect(notices.first?.contains("major is “0068”; write its base, major: { path: …, base: 16 }") == true)
  }

  @Test func `a measured power that cannot be read costs only itself`() throws {
    let desk = try hear(Self.beacon, major: "7", power: #""c5""#)
    #expect(desk.heard.count == 3)
    #expect(desk.refused(.field) == 3)
    #expect(desk.hearing.notices.first?.contains("measured_power is “c5”") == true)
  }

  @Test(arguments: ["80547950896473", #""49:42:1c:ab""#, #""none""#])
  func `an address that cannot be read is named as such`(address: String) throws {
    var desk = try Desk(Self.yaml("address: mac"))
    desk.say("own/kitchen", #"{"rssi":-60,"mac":\#(address)}"#)
    #expect(desk.heard.isEmpty)
    #expect(desk.refused(.field) == 1 && desk.refused(.identity) == 0)
    let notice = try #require(desk.hearing.notices.first)
    #expect(notice.contains("the first: address is “"), "\(notice)")
  }

  @Test func `hexadecimal digits are read as such where the mapping says so`() throws {
    let desk = try hear(Self.hexadecimal, major: #""0068""#, minor: #""00C5""#, power: #""c4""#)
    #expect(desk.heard.first?.contains("104.197 -60") == true, "\(desk.heard)")
    #expect(desk.hearing.notices.isEmpty)
  }

  @Test func `decimal digits may be padded where the mapping says so`() throws {
    let fields = Self.beacon.replacing("major: major", with: "major: { path: major, base: 10 }")
    #expect(try hear(fields, major: #""0068""#).heard.first?.contains(" 68.1 ") == true)
  }

  @Test func `a base in the text itself is enough`() throws {
    #expect(try hear(Self.beacon, major: #""0x68""#).heard.first?.contains(" 104.1 ") == true)
  }

  @Test func `a power at 0 m is turned into that at 1 m`() throws {
    let fields = Self.beacon.replacing("measured_power: tx", with: "measured_power: { path: tx, at: 0 m }")
    #expect(try hear(fields, major: "1", power: "-18").heard.first?.contains(" 1.1 -59") == true)
  }

  /// As the Ruuvi Gateway and Tasmota have it.
  @Test func `an object may have a member for each device, named by its address`() throws {
    var desk = try Desk(Self.yaml(#"address: "{name}", raw: data"#, each: "each: data.tags, "))
    desk.say(
      "own/kitchen",
      #"{"data":{"tags":{"C1:00:00:00:00:01":{"rssi":-61,"data":"020106"},"C1:00:00:00:00:02":{"rssi":-62}}}}"#
    )
    #expect(
      desk.heard.map { $0.prefix(29) } == ["kitchen C1:00:00:00:00:01 -61", "kitchen C1:00:00:00:00:02 -62"])
  }

  @Test func `octets may be a list of numbers`() throws {
    var desk = try Desk(Self.yaml("address: mac, manufacturer_data: md"))
    let data = [0x4C, 0x00, 0x02, 0x15] + Array(repeating: 0xAB, count: 16) + [0, 1, 0, 2, 0xC5]
    desk.say("own/kitchen", #"{"mac":"C1:00:00:00:00:01","rssi":-61,"md":\#(data)}"#)
    desk.say("own/kitchen", #"{"mac":"C1:00:00:00:00:01","rssi":-61,"md":[1,256]}"#)
    #expect(desk.heard.count == 1 && desk.heard[0].contains(" 1.2 -59"), "\(desk.heard)")
    #expect(desk.refused(.payload) == 1)
  }

  /// A gateway's own state on the topic of what it hears.
  @Test(arguments: [
    #"{"method":"NotifyStatus","uptime":5}"#, #"{"data":{"state":"up"}}"#, #"{"data":{"tags":5}}"#, "[]",
    "{}",
  ])
  func `messages of other kinds are passed over`(message: String) throws {
    var desk = try Desk(Self.yaml("address: mac", each: "each: data.tags, "))
    desk.say("own/kitchen", message)
    #expect(desk.hearing.notices.isEmpty && desk.heard.isEmpty)
    #expect(desk.intake.figures[0].withoutSignal == 1)
  }
}
