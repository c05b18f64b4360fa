@testable import Configuration
import Testing

@Suite struct TenFaultsTests {
  static let faulty = """
    gateway: { nmae: home }
    broker:
      url: mqtt://broker.lan
      password: hunter2
    beacons:
      - name: van
        ibeacon: { uuid: F29DC74A-DBBD-12DE-318A, major: 1 }
      - name: key
        address: C1:00:00:00:00:01
    zones:
      - name: pump-3
        beacons: [vam]
        near:  { distance: 1.5, dwell: 2 m, rearm: 4 m }
        enter: { distance: 6 m, dwell: 3 s }
        exit:  { distance: 5 m, lots: auto }
      - name: pump-3
        receivers: []
        beacons: [key, van]
        enter: 3 m

    """

  @Test func areToldAllAtOnceEachAtItsPlace() {
    let diagnostics = diagnose(Self.faulty)
    #expect(
      diagnostics.map(\.mark) == [
        "1:12 error", "4:13 error", "7:22 error", "12:15 error", "13:24 error", "13:36 error", "15:24 error",
        "15:29 error", "16:11 error", "17:16 error",
      ])
    #expect(diagnostics.allSatisfy { $0.hint != nil })
    #expect(!diagnostics.description.contains("hunter2"))
  }

  @Test func readLikeACompilersMessages() {
    let first = diagnose(Self.faulty)[0]
    #expect(
      first.description == """
        test.yaml:1:12: error: “nmae” is not a known key of gateway
          hint: did you mean name?
        """)
  }
}
