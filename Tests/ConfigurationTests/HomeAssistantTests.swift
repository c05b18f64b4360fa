@testable import Configuration
import Contract
import Testing

@Suite struct HomeAssistantTests {
  private func settings(_ yaml: String) throws -> HomeAssistantSettings {
    try read("zones: [{ name: house }, { name: yard }]\n" + yaml).configuration.homeAssistant
  }

  @Test func isOnWithoutALine() throws {
    #expect(try settings("") == HomeAssistantSettings())
    #expect(try settings("").isOn)
  }

  @Test(arguments: [("on", true), ("off", false), ("true", true), ("false", false), ("No", false)])
  func isSwitchedByAWord(word: String, isOn: Bool) throws {
    #expect(try settings("home_assistant: \(word)").isOn == isOn)
  }

  @Test func takesEverySetting() throws {
    let read = try settings(
      "home_assistant: { prefix: ha/disc, form: component, entities: all, members: 5, areas: { house: Hall }, zones: { yard: zone.work, house: zone.home } }"
    )
    #expect(read.isOn && read.prefix == "ha/disc" && read.form == .component && read.members == 5)
    #expect(read.entities == .all && read.areas == ["house": "Hall"])
    #expect(read.places?.map(\.zone) == ["yard", "house"])
    #expect(read.places?.map(\.entity) == ["zone.work", "zone.home"])
  }

  @Test func aPlaceIsCalledAsItsEntityReadsUnlessItSaysOtherwise() throws {
    let read = try settings(
      "home_assistant: { zones: { house: zone.my_office, yard: { entity: zone.mum_s_house, name: Mum's house } } }"
    )
    #expect(read.places?.map(\.name) == ["My office", "Mum's house"])
    #expect(read.places?.map(\.entity) == ["zone.my_office", "zone.mum_s_house"])
    #expect(read.hasPlaces)
    #expect(try !settings("home_assistant: on").hasPlaces)
  }

  @Test(arguments: [
    ("on", "room_presence"), ("off", nil), ("rooms/presence", "rooms/presence"),
    ("\"espresense/devices/{beacon}\"", "espresense/devices/{beacon}"), ("beaconkeepers", "beaconkeepers"),
  ])
  func roomsArePublishedBelowATopic(value: String, rooms: String?) throws {
    let read = try settings("home_assistant: { room_presence: \(value) }")
    #expect(read.rooms == rooms)
    #expect(try settings("home_assistant: on").rooms == nil)
  }

  @Test func helpIsWhereTheConfigurationSaysOrNowhere() throws {
    let page = "https://example.org/beacons?site=7"
    #expect(try settings("home_assistant: { support_url: \"\(page)\" }").supportURL == page)
    #expect(try settings("").supportURL == nil)
  }

  @Test(arguments: [
    ("home_assistant: maybe", "cannot be “maybe”"), ("home_assistant:", "has no value"),
    ("home_assistant: { form: devices }", "did you mean device?"),
    ("home_assistant: { entities: minimum }", "did you mean minimal?"),
    ("home_assistant: { areas: { hose: Hall } }", "did you mean house?"),
    ("home_assistant: { areas: [house] }", "must be a mapping"),
    ("home_assistant: { entities: 7 }", "must be minimal, normal or all"),
    ("home_assistant: { prefix: a/#/b }", "start of a topic"),
    ("home_assistant: { prefix: /a }", "start of a topic"),
    ("home_assistant: { zones: { hose: zone.home } }", "did you mean house?"),
    ("home_assistant: { zones: { house: home } }", "is not a zone of Home Assistant"),
    ("home_assistant: { zones: { house: zone.Home } }", "is not a zone of Home Assistant"),
    ("home_assistant: { zones: { house: { name: Office } } }", "entity is missing"),
    ("home_assistant: { zones: { house: { entity: zone.a, nme: A } } }", "did you mean name?"),
    ("home_assistant: { zones: { house: [zone.a] } }", "must be a mapping"),
    ("home_assistant: { members: many }", "members must be"),
    ("home_assistant: { prefx: a }", "did you mean prefix?"),
    ("home_assistant: { zones: [house] }", "must be a mapping"),
    ("home_assistant: { room_presence: rooms/+ }", "start of a topic"),
    ("home_assistant: { room_presence: rooms/ }", "start of a topic"),
    ("home_assistant: { room_presence: \"rooms/{room}\" }", "start of a topic"),
    ("home_assistant: { room_presence: \"{beacon}/{beacon}\" }", "start of a topic"),
    ("home_assistant: { room_presence: [rooms] }", "must be a single value"),
    ("home_assistant: { room_presence: beaconkeeper/home/zone }", "other messages go below"),
    ("home_assistant: { room_presence: homeassistant }", "other messages go below"),
    ("home_assistant: { prefix: ha, room_presence: ha/rooms }", "other messages go below"),
    ("home_assistant: { room_presnce: on }", "did you mean room_presence?"),
    ("home_assistant: { support_url: example.org }", "is not the address of a page"),
    ("home_assistant: { support_url: \"https://\" }", "is not the address of a page"),
    ("home_assistant: { support_url: \"javascript:alert(1)\" }", "is not the address of a page"),
    ("home_assistant: { support_url: \"https://a b\" }", "is not the address of a page"),
  ])
  func faultsAreExplained(yaml: String, words: String) {
    let found = diagnose("zones: [{ name: house }, { name: yard }]\n" + yaml)
    #expect(found.contains { "\($0)".contains(words) && $0.position?.line == 2 }, "\(found)")
  }

  @Test func aFaultIsReportedAtItsPosition() {
    let found = diagnose("home_assistant:\n  room_presence: /rooms\n  support_url: nowhere\n")
    #expect(
      found.map { $0.position?.line } == [2, 3] && found.map { $0.position?.column } == [18, 16], "\(found)")
  }

  @Test func `a warning names the rooms in which nobody is home`() {
    func found(_ zones: String, _ places: String) -> [String] {
      diagnose(
        "scanners: [{ kind: espresense }]\n"
          + "rooms: [{ name: bath, receivers: [a] }, { name: hall, receivers: [b] }]\nzones: [\(zones)]\n"
          + "home_assistant: { zones: { \(places) } }"
      ).map { "\($0.severity.rawValue) \($0.position?.line ?? 0) \($0.message)" }
        .filter { $0.contains("is home") }
    }
    let yard = "{ name: yard, receivers: [c] }", of = "{ name: wet, rooms: [bath] }"
    let words = "is home in Home Assistant: no zone of its zones: has"
    #expect(found(yard, "yard: zone.yard") == ["warning 4 nobody in bath and hall \(words) these rooms"])
    #expect(found(of, "wet: zone.home") == ["warning 4 nobody in hall \(words) this room"])
    // A zone by distance may be where the rooms are.
    for zone in ["{ name: all }", "{ name: all, receivers: [a, b] }", "{ name: all, rooms: [bath, hall] }"] {
      #expect(found(zone, "all: zone.home") == [])
    }
    // Nobody is home by intention.
    #expect(found(yard, "") == [])
  }

  @Test func isExplained() throws {
    func words(_ yaml: String) throws -> String {
      Explanation(try read("zones: [{ name: house }]\n" + yaml).configuration).homeAssistant
    }
    #expect(try words("").contains("a beacon in any zone or room is home"))
    #expect(try words("home_assistant: { zones: { house: zone.work } }").contains("house is zone.work"))
    #expect(try words("home_assistant: { areas: { house: Hall } }").contains("in an area: house in Hall"))
    #expect(try words("home_assistant: { entities: minimal }").contains("batteries"))
    #expect(try words("home_assistant: off").contains("removed"))
    #expect(try words("home_assistant: { room_presence: on }").contains("on room_presence/<receiver>"))
    #expect(try words("home_assistant: { support_url: \"http://a.b\" }").contains("help is at http://a.b"))
  }
}
