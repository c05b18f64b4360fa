import Phones
import Testing

@Suite struct SeenLogTests {
  func log(_ text: String, app: String? = nil, zone: Int64 = 0, date: Int64? = nil) -> SeenLog {
    var log = SeenLog(app: app, zone: zone, date: date)
    log.read(Array(text.utf8))
    return log
  }

  /// 28 November 2026, 10:00 UTC.
  static let ten: Int64 = 1_795_860_000_000

  @Test func `A list of log show is read object by object, whatever stands in its texts`() {
    let one =
      #"{"timestamp":"2026-11-28 11:00:03.250123+0100","eventMessage":"applicationDidEnterBackground }],{ \"", "#
    let list = "[\(one)\n\"processImagePath\":\"/var/Shop\"},{\n  \"eventMessage\" : \"cut"
    let log = log(list, date: Self.ten)
    #expect(log.events == [SeenEvent(time: Self.ten + 3250, what: .happened(.background))])
    #expect(log.lines == 3)
    #expect(self.log("[{" + String(repeating: "{", count: 100_000)).events.isEmpty)
  }

  @Test(arguments: [
    // NSLog and Xcode.
    "2026-11-28 10:00:03.250 Shop[341:37691] applicationDidEnterBackground",
    "2026-11-28 11:00:03.250123+0100 Shop[341:37691] applicationDidEnterBackground",
    // log show: default, syslog, compact.
    "2026-11-28 11:00:03.250123+0100 0x1590e    Default     0x0                  341    0    Shop: (Shop) [a.b:c] sceneDidEnterBackground(_:)",
    "2026-11-28 11:00:03.250123+0100 localhost Shop[341]: [a.b:c] applicationDidEnterBackground",
    "2026-11-28 10:00:03.250 Df Shop[341:1f3a] applicationDidEnterBackground",
    #"{"timestamp":"2026-11-28 11:00:03.250123+0100","eventMessage":"applicationDidEnterBackground","processImagePath":"/var/Shop","backtrace":{"frames":[{"imageOffset":1}]}}"#,
    // idevicesyslog and Console.
    "Nov 28 10:00:03.250123 Shop(UIKitCore)[341] <Notice>: applicationDidEnterBackground",
    "default\t11:00:03.250515+0100\tShop\tapplicationDidEnterBackground",
    // logcat: threadtime, time, year, epoch, long; Android Studio.
    "11-28 10:00:03.250   188   191 D CycledLeScanner: We are in the background.  Setting wakeup alarm",
    "11-28 10:00:03.250 D/CycledLeScanner( 188): We are in the background.  Setting wakeup alarm",
    "2026-11-28 10:00:03.250   188   191 D CycledLeScanner: We are in the background.",
    "1795860003.250   188   191 D CycledLeScanner: We are in the background.  Setting wakeup alarm",
    "[ 11-28 10:00:03.250   188: 191 D/CycledLeScanner ]\nWe are in the background.  Setting wakeup alarm\n",
    "2026-11-28 10:00:03.250 188-191/com.example.shop D/CycledLeScanner: We are in the background.",
    // Ours.
    #"{"time":"2026-11-28T10:00:03.250Z","event":"background"}"#,
  ])
  func `The time and the event are found in every kind of line`(line: String) {
    let log = log(line + "\n", date: Self.ten)
    #expect(log.events == [SeenEvent(time: Self.ten + 3250, what: .happened(.background))])
    #expect(log.faults.isEmpty)
  }

  @Test(arguments: [
    ("locationManager(_:didEnterRegion:)", SeenEvent.What.happened(.regionEnter)),
    ("didExitRegion", .happened(.regionExit)),
    ("didDetermineState INSIDE for region1", .inside(true)), ("didDetermineState: outside", .inside(false)),
    ("background time remaining:   179.97", .remaining(179_970)),
    ("backgroundTimeRemaining = 5", .remaining(5000)),
    ("background time remaining: 1\(String(repeating: "7", count: 308)).00", .remaining(nil)),
    ("backgroundTimeRemaining=1.7976931348623157e+308", .remaining(nil)),
    ("Background task expired by iOS", .expiration), ("applicationWillTerminate", .terminated),
    ("<BKNewProcess: 0x15; com.example.Shop> has active assertions beyond permitted time:", .terminated),
    ("locationManager didRangeBeacons", .ranged(distance: nil, rssi: nil)),
    ("D/CycledLeScanner: starting a new scan cycle", .scan(true)),
    ("D/MonitoringStatus: found a monitor that expired: id1: a", .happened(.regionExit)),
  ])
  func `Words of callbacks and of the systems have a meaning`(text: String, what: SeenEvent.What) {
    #expect(log("2026-11-28 10:00:00.000 Shop[1:2] \(text)").events.map(\.what) == [what])
  }

  @Test func `The beginning of a task is no expiration`() {
    let text = "2026-11-28 10:00:00.000 Shop[1:2] beginBackgroundTask(expirationHandler:) started"
    #expect(log(text).events.isEmpty)
  }

  @Test func `AltBeacon names the beacon and its signal`() {
    let line =
      "11-28 10:00:00.000 1 2 D BeaconService: Beacon packet detected for: id1: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6 id2: 1 id3: 2 with rssi -39"
    let event = log(line).events.first
    #expect(event?.what == .ranged(distance: nil, rssi: -39))
    #expect(event?.beacon == "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6/1/2")
  }

  @Test func `A missing year or day is that nearest to the line before`() {
    let year = log(
      "12-31 23:59:59.000 1 1 I a: did enter region\n01-01 00:00:01.000 1 1 I a: did exit region",
      date: Self.ten)
    #expect(year.events.map(\.time) == [1_798_761_599_000, 1_798_761_601_000])
    let day = log(
      "default 23:59:59.0+0000 a didEnterRegion\ndefault 00:00:01.0+0000 a didExitRegion", date: Self.ten)
    #expect(day.events.compactMap(\.time).map { $0 / 1000 % 86_400 } == [86_399, 1])
    #expect(day.events.count == 2 && day.events[1].time! - day.events[0].time! == 2000)
    #expect(year.namesYear && !log("12-31 23:59:59.000 1 1 I a: did enter region").namesYear)
    #expect(log("02-29 10:00:00.000 1 1 I a: did enter region").events.count == 1)
  }

  @Test
  func `Only lines of the app count if it is named, and the state of others is never taken for its own`() {
    let text = """
      2026-11-28 10:00:00.000 Shop[1:2] didEnterRegion
      2026-11-28 10:00:01.000 Maps[1:2] didExitRegion
      2026-11-28 10:00:02.000 runningboardd[30:1] Calculated state for app<application.com.example.Shop(501)>: running-suspended
      """
    #expect(log(text, app: "Shop").events.map(\.what) == [.happened(.regionEnter), .suspended])
    #expect(log(text).events.map(\.what) == [.happened(.regionEnter), .happened(.regionExit)])
  }

  @Test func `JSON of others is skipped, also where it is too long`() {
    let message = "didEnterRegion" + String(repeating: " ", count: 4096)
    let log = log(
      """
      {
              {
      {"status":"ok"}
      {"count":3,"finished":1}
      {"timestamp":"2026-11-28 11:00:03.250123+0100","eventMessage":"\(message)"}
      {"time":1,"event":"near"}
      {"time":1,"event":"near"
      """)
    #expect(log.events.map(\.what) == [.near])
    #expect(log.skipped == 5)
    #expect(log.faults.map(\.line) == [7])
  }

  @Test func `What means nothing is skipped or counted, and what is malformed has its place`() {
    let log = log(
      """
      --------- beginning of main
      {"time":1,"event":"checkout"}
      {"event":"near"}
        {"time":2,"event":3}
      2026-99-99 10:00:00 didEnterRegion
      """)
    #expect(log.events.isEmpty)
    #expect(log.unknownWords == ["checkout": 1])
    #expect(log.leftOut == 1)
    #expect(log.faults.map { [$0.line, $0.column] } == [[4, 21]])
    #expect(log.lines == 5)
  }

  @Test(arguments: [
    ("10-25 02:55:00.000 1 1 I a: did enter region\n10-25 02:05:00.000 1 1 I a: did exit region", true),
    ("10-25 02:55:00.000 1 1 I a: did enter region\n10-25 02:54:00.000 1 1 I a: did exit region", false),
    (
      "2026-10-25 02:55:00.000+0200 a: did enter region\n2026-10-25 02:05:00.000+0100 a: did exit region",
      false
    ),
  ]) func `a clock on the wall that is turned back is told`(text: String, isTurnedBack: Bool) {
    #expect(log(text).isTurnedBack == isTurnedBack)
  }
}
