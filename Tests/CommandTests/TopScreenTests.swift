import Beacons
import Core
import Testing

@testable import beaconkeeper

@Suite struct TopScreenTests {
  private func picture(beacons: Int = 0, at second: Int = 10, level: Int = -60, name: String = "house") throws
    -> TopPicture
  {
    let list = (0..<beacons).map { number in
      #"{"beacon":"b\#(number)","zones":["house"],"rssi_dbm":\#(level - number),"distance_m":\#(9 - number),"last_seen":"2026-11-20T21:50:\#(second).000Z","receiver":"hci0"}"#
    }
    return try TopPicture(
      Array(
        """
        {"v":1,"gateway":"g","version":"1","time":"2026-11-20T21:50:\(second).000Z","health":{"receivers":[{"name":"hci0",\
        "state":"deaf","reason":"no reports","advertisements_per_s":0}]},"broker":{"connected":true},"zones":[{"zone":"\(name)",\
        "state":"occupied","count":1,"beacons":[{"beacon":"b0","since":"2026-11-20T21:49:00.000Z","near":true,\
        "distance_m":1.25}]}],"beacons":[\(list.joined(separator: ","))],"phones":[{"phone":"anna","beacon":"b0","os":"ios13",\
        "strategy":"stock","state":"ranging","until":"2026-11-20T21:50:25.000Z","why":"enter"}]}
        """.utf8))
  }

  private func text(_ picture: TopPicture) -> String {
    TopTables(picture: picture, now: picture.time).lines.map(\.plain).joined(separator: "\n")
  }

  @Test func everyPartIsShown() throws {
    let shown = text(try picture(beacons: 1))
    #expect(
      shown.contains("house  occupied  1   b0 (near, 1.3 m, for 70 s)")
        || shown.contains("b0 (near, 1.2 m, for 70 s)"), "\(shown)")
    #expect(shown.contains(#/anna +ranging +15 s +ios13 stock +b0 +enter/#), "\(shown)")
    #expect(shown.contains(#/hci0 +deaf +0\/s +no reports/#), "\(shown)")
    #expect(shown.contains(#/b0 +-60 dBm +9 m +house +hci0 +0 s ago/#), "\(shown)")
  }

  @Test func `transitions and events of beacons are one list, the newest first`() throws {
    let picture = try TopPicture(
      Array(
        #"""
        {"v":1,"gateway":"g","health":{},"transitions":[\#
        {"event":"enter","time":"2026-11-20T21:50:09.000Z","zone":"house","beacon":"bell"},\#
        {"event":"exit","time":"2026-11-20T21:50:01.000Z","zone":"house","beacon":"key"}],"events":[\#
        {"event":"press","time":"2026-11-20T21:50:05.000Z","beacon":"bell","reading":"button","packet":3}]}
        """#.utf8))
    let shown = text(picture)
    #expect(
      shown.contains(
        #/21:50:09 +enter +house +bell[^\n]*\n21:50:05 +press +button +bell[^\n]*\n21:50:01 +exit +house +key/#
      ),
      "\(shown)")
  }

  @Test func controlCharactersFromTheAirDoNotReachTheTerminal() throws {
    let shown = text(try picture(beacons: 1, name: #"\u001b[2J\u009b31m\u202e\r\nhouse"#))
    #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable }, "\(shown)")
  }

  @Test(arguments: ["", "{}", "[]", #"{"v":2,"gateway":"g","health":{}}"#, #"{"error":"no"}"#, "<html>"])
  func anAnswerThatIsNoOverviewIsRejected(text: String) {
    #expect(throws: TopPicture.Stranger.self) { try TopPicture(Array(text.utf8)) }
  }

  @Test func beaconsAreSortedAsChosen() throws {
    var screen = TopScreen()
    func order() throws -> [String] {
      let tables = TopTables(picture: try picture(beacons: 3))
      let lines = screen.lines(tables, fault: nil, age: 0, height: 60).map(\.plain)
      return lines.filter { $0.hasPrefix("b") }.map { String($0.prefix(2)) }
    }
    #expect(try order() == ["b0", "b1", "b2"])
    _ = screen.press(.key("s"))
    #expect(try order() == ["b0", "b1", "b2"])
    _ = screen.press(.key("s"))
    #expect(try order() == ["b2", "b1", "b0"])
  }

  @Test func scrollingStaysInBoundsAtEverySize() throws {
    var screen = TopScreen()
    let tables = TopTables(picture: try picture(beacons: 50))
    for height in [1, 2, 3, 5, 24, 200] {
      for press in [KeyTerminal.Press.arrow(.pageDown), .arrow(.end), .key("j"), .arrow(.up), .arrow(.home)] {
        let isOver = screen.press(press)
        #expect(!isOver)
        #expect(screen.lines(tables, fault: "lost", age: 3, height: height).count >= height)
      }
    }
    _ = screen.lines(tables, fault: nil, age: 0, height: 24)
    _ = screen.press(.key("G"))
    let end = screen.lines(tables, fault: nil, age: 0, height: 24).map(\.plain)
    #expect(end.contains { $0.hasPrefix("b49") || $0.hasPrefix("b9") })
    let ends = [KeyTerminal.Press.key("q"), .key("\u{3}"), .ended].map { screen.press($0) }
    #expect(ends == [true, true, true])
  }

  @Test func linesAreCutByCells() {
    var line = StyledLine("日本", .bold)
    line.add("e\u{301}x\u{1B}[31m")
    #expect(line.width == 4 + 1 + 1 + 4)
    #expect(line.text(width: 5) == "日本e\u{301}")
    #expect(line.text(width: 3) == "日")
    #expect(line.text(width: 5, isColoured: true) == "\u{1B}[1m日本\u{1B}[0me\u{301}")
  }

  @Test func trailsShowTheSignalOverTime() throws {
    var trails = SignalTrails()
    for (second, level) in [(10, -100), (11, -72), (12, -45)] {
      trails.add(try picture(beacons: 1, at: second, level: level))
    }
    // Nothing new was heard.
    trails.add(try picture(beacons: 1, at: 12, level: -45))
    #expect(trails.sparkline(of: "b0").hasSuffix("▁▅█") || trails.sparkline(of: "b0").hasSuffix("▁▄█"))
    #expect(trails.sparkline(of: "b0").count == SignalTrails.length)
    trails.add(try picture(beacons: 0, at: 13))
    #expect(trails.sparkline(of: "b0").allSatisfy { $0 == " " })
  }

  @Test func whatTheGatewayRemembersComesBeforeWhatWasSeen() throws {
    let levels = SignalHistory.levels(
      Array(
        """
        {"from":0,"to":30000,"receivers":["hci0","hci1"],"sightings":{"t":[-1,500,27100,27200,29999,30000],"receiver":[0,0,0,1,0,0],\
        "rssi":[-45,-100,-100,-45,-99,-45]}}
        """.utf8))
    #expect(levels.count == 30)
    #expect(levels.enumerated().filter { $1 != nil }.map(\.offset) == [0, 27, 29])
    var trails = SignalTrails()
    trails.add(try picture(beacons: 1, level: -45))
    trails.precede("b0", with: levels)
    trails.precede("unknown", with: levels)
    #expect(trails.sparkline(of: "b0").hasSuffix("█ ██"))
    #expect(trails.sparkline(of: "b0").count == SignalTrails.length)
  }

  @Test(arguments: [
    "", "{}", "[1]", #"{"to":1,"sightings":{"t":[1e300,-1e300],"rssi":[1]}}"#,
    #"{"to":1,"sightings":{"t":{}}}"#,
  ])
  func aHistoryThatMakesNoSenseIsNone(text: String) {
    #expect(SignalHistory.levels(Array(text.utf8)).allSatisfy { $0 == nil })
  }

  @Test(arguments: [
    ("fleet:1.2", "fleet%3A1%2E2"), ("a/b ü", "a%2Fb%20%C3%BC"), ("..", "%252E%252E"), ("½", "%C2%BD"),
  ])
  func namesAreSafeInAddresses(name: String, encoded: String) {
    #expect(SignalHistory.path(of: name) == "api/v1/beacons/\(encoded)/history?minutes=0.5")
  }

  @Test func keysOfSeveralCharactersAreOneKey() {
    let presses = KeyTerminal.presses(Array("q\u{1B}[A\u{1B}OBx\u{1B}[6~\u{1B}[1;5A\u{1B}[15~ä\u{1B}".utf8))
    #expect(
      presses == [.key("q"), .arrow(.up), .arrow(.down), .key("x"), .arrow(.pageDown), .arrow(.up)])
  }
}
