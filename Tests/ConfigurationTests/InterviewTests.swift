import Beacons
@testable import Configuration
import Contract
import Core
import Testing

@Suite struct InterviewTests {
  private let lan = FoundBroker(url: "mqtt://broker.lan")

  @Test func aFewAnswersMakeAWholeConfiguration() async throws {
    let village = Village(
      ["", "1,2", "", "Van", "", "-70 dBm", "", "", ""], brokers: [lan], beacons: [key, van])
    var interview = village.interview()
    try await interview.run()
    #expect(interview.draft.broker == .remote(.init(url: "mqtt://broker.lan")))
    #expect(interview.draft.beacons.map(\.name) == ["key", "Van"])
    #expect(interview.draft.zone == .init(name: "house", enter: .init("-70 dBm")))
    #expect(interview.draft.gateway == "pi")
  }

  @Test func withoutABrokerNearbyEnterTakesTheEmbeddedOne() async throws {
    var interview = Village(["", "", "", "", ""]).interview()
    try await interview.run()
    #expect(interview.draft.broker == .embedded)
    #expect(interview.draft.zone == nil)
  }

  @Test func withoutARadioItSaysSoAndGoesOn() async throws {
    let village = Village(["embedded", "key=C1:00:00:00:00:01", "-", "", "", ""], beacons: nil)
    var interview = village.interview()
    try await interview.run()
    #expect(village.told.contains("Nothing can be heard: there is no Bluetooth adapter."))
    #expect(interview.draft.beacons.map(\.pattern) == [.address(0xC100_0000_0001)])
    #expect(interview.draft.zone == nil)
  }

  private let boards = [FoundScanner(kind: .espresense, receivers: ["bath", "hall", "kitchen"])]

  @Test func `boards on the broker are receivers, each with its room`() async throws {
    let village = Village(
      ["", "", "1", "", "maybe", "", "study", "", "", "", ""], brokers: [lan], beacons: [key],
      scanners: boards)
    var interview = village.interview()
    try await interview.run()
    #expect(village.told.contains("  ESPresense: bath, hall, kitchen"))
    #expect(village.told.contains("  yes or no?"))
    #expect(interview.draft.rooms.map(\.name) == ["bath", "hall", "kitchen", "study"])
    #expect(interview.draft.zone == nil)
    let made = try interview.draft.read(path: "/nowhere/beaconkeeper.yaml")
    #expect(made.rooms.map(\.receivers) == [["bath"], ["hall"], ["kitchen"], ["hci0"]])
    #expect(made.resolvedScanners.map(\.kind) == [.espresense])
    #expect(made.radio.duty != .off)
  }

  @Test func `a machine without an adapter listens through the boards alone`() async throws {
    let village = Village(["", "", "", "no", "", "", "", ""], brokers: [lan], beacons: nil, scanners: boards)
    var interview = village.interview()
    try await interview.run()
    #expect(interview.draft.rooms.isEmpty && interview.draft.zone == nil)
    let made = try interview.draft.read(path: "/nowhere/beaconkeeper.yaml")
    #expect(made.radio.duty == .off)
    var refused = Village(["", "no", "", "", "", ""], brokers: [lan], beacons: nil, scanners: boards)
      .interview()
    try await refused.run()
    #expect(!refused.draft.text.contains("scanners:") && !refused.draft.text.contains("duty: off"))
  }

  @Test func `a gateway's room is called like the gateway where that has one receiver`() {
    let rooms = Interview.rooms(of: ["attic/hci0", "hall/hci0", "hall/hci1", "kitchen"])
    #expect(rooms.map(\.name) == ["attic", "hall hci0", "hall hci1", "kitchen"])
  }

  @Test func `options name boards without a terminal`() async throws {
    var given = complete
    given.scanners = ["espresense", "theengs", "theengs"]
    var interview = Village(nil).interview(given)
    try await interview.run()
    #expect(interview.draft.scanners.map(\.kind) == [.espresense, .theengs])
    given.scanners = ["json"]
    var other = Village(nil).interview(given)
    await #expect(throws: SetupFault.self) { try await other.run() }
  }

  @Test func `the dashboard is for this machine, or for everybody who has its password`() async throws {
    let placement = Placement(path: "/etc/beaconkeeper/beaconkeeper.yaml", hasService: true)
    for (reply, password) in [("", nil), ("everywhere", "made-now"), ("off", nil)] as [(String, String?)] {
      let village = Village(["embedded", "", "somewhere", reply, "", "", ""])
      var interview = village.interview()
      try await interview.run()
      #expect(village.told.contains("  here, everywhere or off?"))
      #expect(village.told.contains("The dashboard's password: made-now") == (password != nil))
      let files = try interview.files(at: placement, passwordFile: nil)
      #expect(files.page?.revealed == password)
      #expect(files.configuration.contains("http:") == (reply != "off"))
      #expect(files.configuration.contains("0.0.0.0:8099") == (password != nil))
      #expect(!files.configuration.contains("made-now"))
      #expect(
        files.configuration.contains("password_file: $CREDENTIALS_DIRECTORY/beaconkeeper.page")
          == (password != nil))
    }
    #expect(placement.pagePath == "/etc/credstore/beaconkeeper.page")
  }

  @Test(arguments: ["", "yes", "no"])
  func `the dashboard may change things with a password of its own, unless somebody says no`(reply: String)
    async throws
  {
    let village = Village(["embedded", "", "", reply, ""])
    var interview = village.interview()
    try await interview.run()
    let placement = Placement(path: "/etc/beaconkeeper/attic.yaml", hasService: true)
    let files = try interview.files(at: placement, passwordFile: nil)
    #expect(placement.writePath == "/etc/credstore/beaconkeeper-attic.write")
    #expect(files.configuration.contains("check --config /etc/beaconkeeper/attic.yaml\n"))
    #expect(files.write?.revealed == (reply == "no" ? nil : "made-now"))
    #expect(village.told.contains { $0.contains("for changes: made-now") } == (reply != "no"))
    let line = "  write_password_file: $CREDENTIALS_DIRECTORY/beaconkeeper-attic.write\n"
    #expect(files.configuration.contains(line) == (reply != "no"))
  }

  @Test func aBadAnswerIsAskedForAgainWithTheReason() async throws {
    let village = Village(
      [
        "foo://x", "embedded", "5", "1", String(repeating: "x", count: 300), "key", "house", "3", "3 m", "",
        "", "",
      ],
      beacons: [key])
    var interview = village.interview()
    try await interview.run()
    #expect(village.told.contains { $0.contains("mqtt or mqtts") })
    #expect(village.told.contains { $0.contains("“5” is none of the choices") })
    #expect(interview.draft.beacons.map(\.name) == ["key"])
    #expect(interview.draft.zone?.enter == .init("3 m"))
  }

  @Test func aBrokerThatWantsAPasswordGetsOne() async throws {
    let refusal = ConnectionRefusal("not authorised", concernsCredentials: true)
    let village = Village(
      ["", "gateway", "wrong", "", "right", "", "", "", ""], brokers: [lan], refusals: [refusal, refusal])
    var interview = village.interview()
    try await interview.run()
    var remote = Draft.Remote(url: "mqtt://broker.lan")
    remote.username = "gateway"
    #expect(interview.draft.broker == .remote(remote))
    #expect(interview.password?.revealed == "right")
  }

  @Test func `a certificate for another name is asked for its name`() async throws {
    let refusal = ConnectionRefusal("the certificate is for a.example", concernsName: true)
    let url = "mqtts://10.0.0.2"
    var named = Village([url, "a.example", "", "", "", ""], refusals: [refusal]).interview()
    try await named.run()
    var remote = Draft.Remote(url: url)
    remote.serverName = "a.example"
    #expect(named.draft.broker == .remote(remote))
    #expect(named.draft.text.contains("  server_name: a.example"))
    var other = Village([url, "", "mqtts://a.example", "", "", "", ""], refusals: [refusal]).interview()
    try await other.run()
    #expect(other.draft.broker == .remote(.init(url: "mqtts://a.example")))
  }

  @Test func aBrokerThatIsNotThereCanBeKeptOrChanged() async throws {
    let refusal = ConnectionRefusal("did not answer")
    var kept = Village(["far", "", "", "", "", ""], refusals: [refusal]).interview()
    try await kept.run()
    #expect(kept.draft.broker == .remote(.init(url: "mqtt://far")))
    var changed = Village(["far", "near", "", "", "", ""], refusals: [refusal]).interview()
    try await changed.run()
    #expect(changed.draft.broker == .remote(.init(url: "mqtt://near")))
  }

  @Test func theEndOfTheInputGivesUp() async {
    for count in 0..<4 {
      var interview = Village(Array(["embedded", "1", "key", "house"].prefix(count)), beacons: [key])
        .interview()
      await #expect(throws: SetupFault.givenUp) { try await interview.run() }
    }
  }

  // MARK: Without a terminal

  private var complete: GivenAnswers {
    var given = GivenAnswers()
    given.broker = "mqtt://broker.lan"
    given.beacons = ["key=C1:00:00:00:00:01"]
    given.zone = "house"
    return given
  }

  @Test func optionsAnswerEverything() async throws {
    let village = Village(nil)
    var interview = village.interview(complete)
    try await interview.run()
    #expect(interview.draft.zone == .init(name: "house"))
    #expect(interview.draft.gateway == "pi")
  }

  @Test func missingOptionsAreNamed() async {
    for (option, forget) in [
      ("--broker", { (given: inout GivenAnswers) in given.broker = nil }), ("--beacon", { $0.beacons = nil }),
      ("--zone", { $0.zone = nil }),
    ] {
      var given = complete
      forget(&given)
      var interview = Village(nil).interview(given)
      let fault = await #expect(throws: SetupFault.self) { try await interview.run() }
      #expect("\(fault, default: "")".contains(option))
    }
  }

  @Test func anOptionThatCannotBeUsedIsNeverAskedForAgain() async {
    for isThere in [false, true] {
      var given = complete
      given.beacons = ["key=nonsense"]
      let village = Village(isThere ? ["", "", ""] : nil)
      var interview = village.interview(given)
      let fault = await #expect(throws: SetupFault.self) { try await interview.run() }
      #expect("\(fault, default: "")".contains("NAME=IDENTITY"))
      #expect(village.questions.isEmpty)
    }
  }

  @Test func aBrokerThatRefusesEndsItUnlessItIsNotTried() async throws {
    let refusal = ConnectionRefusal("did not answer")
    var tried = Village(nil, refusals: [refusal]).interview(complete)
    await #expect(throws: SetupFault.broker(url: "mqtt://broker.lan", refusal)) { try await tried.run() }
    var given = complete
    given.skipsBrokerTest = true
    var untried = Village(nil, refusals: [refusal]).interview(given)
    try await untried.run()
  }

  // MARK: Where the password goes

  @Test func aPasswordStaysInTheFileThatTheUserNamed() async throws {
    var given = complete
    given.username = "gateway"
    given.passwordFile = "/secrets/mqtt"
    var interview = Village(nil).interview(given)
    try await interview.run()
    let files = try interview.files(
      at: Placement(path: "/nowhere/beaconkeeper.yaml", hasService: false), passwordFile: "/secrets/mqtt")
    #expect(files.password == nil)
    #expect(files.configuration.contains("password_file: /secrets/mqtt"))
  }

  @Test func theServiceGetsACopyOfIt() async throws {
    var given = complete
    given.username = "gateway"
    given.passwordFile = "/secrets/mqtt"
    var interview = Village(nil).interview(given)
    try await interview.run()
    let placement = Placement(path: "/etc/beaconkeeper/beaconkeeper.yaml", hasService: true)
    let files = try interview.files(at: placement, passwordFile: "/secrets/mqtt")
    #expect(files.password?.revealed == "secret of /secrets/mqtt")
    #expect(files.configuration.contains("password_file: $CREDENTIALS_DIRECTORY/beaconkeeper.password"))
    #expect(placement.passwordPath == "/etc/credstore/beaconkeeper.password")
    #expect(!files.configuration.contains("secret of"))
  }

  @Test func eachUnitHasItsPassword() {
    let attic = Placement(path: "/etc/beaconkeeper/attic.yaml", hasService: true)
    #expect(attic.unit == "beaconkeeper@attic")
    #expect(attic.passwordPath == "/etc/credstore/beaconkeeper-attic.password")
    let own = Placement(path: "my/attic.yaml", hasService: true)
    #expect(own.unit == nil)
    #expect(own.passwordPath == "my/attic.password")
  }
}
