import GatewayConfiguration
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
      "home_assistant: { prefix: ha/disc, form: component, members: 5, zones: { yard: zone.work, house: zone.home } }"
    )
    #expect(read.isOn && read.prefix == "ha/disc" && read.form == .component && read.members == 5)
    #expect(read.places?.map(\.zone) == ["yard", "house"])
    #expect(read.places?.map(\.entity) == ["zone.work", "zone.home"])
  }

  @Test(arguments: [
    ("home_assistant: maybe", "cannot be “maybe”"), ("home_assistant:", "has no value"),
    ("home_assistant: { form: devices }", "did you mean device?"),
    ("home_assistant: { prefix: a/#/b }", "start of a topic"),
    ("home_assistant: { prefix: /a }", "start of a topic"),
    ("home_assistant: { zones: { hose: zone.home } }", "did you mean house?"),
    ("home_assistant: { zones: { house: home } }", "is no zone of Home Assistant"),
    ("home_assistant: { zones: { house: zone.Home } }", "is no zone of Home Assistant"),
    ("home_assistant: { members: many }", "members must be"),
    ("home_assistant: { prefx: a }", "did you mean prefix?"),
    ("home_assistant: { zones: [house] }", "must be a mapping"),
  ])
  func faultsAreToldInWords(yaml: String, words: String) {
    let found = diagnose("zones: [{ name: house }, { name: yard }]\n" + yaml)
    #expect(found.contains { "\($0)".contains(words) && $0.position?.line == 2 }, "\(found)")
  }

  @Test func isExplained() throws {
    func words(_ yaml: String) throws -> String {
      Explanation(try read("zones: [{ name: house }]\n" + yaml).configuration).homeAssistant
    }
    #expect(try words("").contains("whoever is in any zone is home"))
    #expect(try words("home_assistant: { zones: { house: zone.work } }").contains("house is zone.work"))
    #expect(try words("home_assistant: off").contains("taken back"))
  }
}
