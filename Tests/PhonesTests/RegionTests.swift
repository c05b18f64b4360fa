import Phones
import Testing

/// An app's regions by UUID, major and minor: each wakes it by itself.
@Suite struct RegionTests {
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  /// Six exhibits in a row, 6 m apart: the next is heard before the last is lost. Each visitor stops at each for 40 s.
  private static func museum(_ head: String = "") -> TimelineFile {
    var lines = [head]
    for exhibit in 0..<6 {
      let identity = "\"beacon\":\"\(exhibit)\",\"uuid\":\"\(uuid)\",\"major\":1,\"minor\":\(exhibit)"
      for stop in -4...9 {
        let metres = abs(stop - exhibit) * 6
        for time in [stop * 45 + 200, stop * 45 + 240] {
          lines.append("{\"t\":\(time),\(identity),\"distance_m\":\(metres)}")
        }
      }
    }
    return TimelineFile(Array(lines.joined(separator: "\n").utf8))
  }

  private func outcomes(_ regions: [String], set: (String, String)? = nil) throws -> [Reason] {
    let walk = Walk(
      os: "ios17", strategy: "low-power", variant: .observed, near: 2_000_000, rearm: 4_000_000)
    var profile = walk.profile
    if let set { _ = try profile.set(set.0, to: set.1, source: "test", confidence: .low) }
    let file = Self.museum()
    #expect(file.faults == [])
    let timeline = file.timeline(regions: try regions.map { try #require(BeaconRegion($0)) })
    return Simulation(profile, near: walk.rule, timeline: timeline).verdicts.map(\.outcome)
  }

  private static let each = (0..<6).map { "\(uuid)/1/\($0)" }

  @Test func `with one region for a row of exhibits only the first wakes the app, with one for each all do`()
    throws
  {
    for one in [[], [Self.uuid], ["\(Self.uuid)/1"]] {
      let outcomes = try outcomes(one)
      #expect(outcomes.first == .delivered && outcomes.count == 6)
      #expect(outcomes.dropFirst().allSatisfy { $0 == .graceExpired })
    }
    let delivered = try outcomes(Self.each)
    #expect(delivered.count == 6 && delivered.allSatisfy(\.isDelivered))
  }

  @Test func `a beacon of no region is never seen`() throws {
    #expect(try outcomes(["\(Self.uuid)/2"]) == [])
    #expect(try outcomes(["\(Self.uuid)/1/3"]) == [.delivered])
  }

  @Test func `regions beyond the system's limit wake nothing`() throws {
    let outcomes = try outcomes(Self.each, set: ("region_limit", "2"))
    #expect(outcomes.count == 6 && outcomes.prefix(2).allSatisfy(\.isDelivered))
    #expect(outcomes.last == .regionLimit)
  }

  @Test func `a timeline may name the regions itself`() {
    let file = Self.museum(Self.each.map { "{\"region\":\"\($0)\"}" }.joined(separator: "\n"))
    #expect(file.faults == [])
    #expect(file.timeline().beacons.map(\.regions) == (0..<6).map { [$0] })
  }

  @Test(arguments: [
    (#"{"region":"x"}"#, 11, "is UUID, UUID/MAJOR or UUID/MAJOR/MINOR"),
    (#"{"region":"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6/70000"}"#, 11, "is UUID"),
    (#"{"region":"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6","t":1}"#, 50, ""),
    (#"{"t":0,"distance_m":1,"major":1}"#, 23, "goes with \"uuid\""),
    (
      #"{"t":0,"distance_m":1,"uuid":"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6","minor":1.5}"#, 77,
      "from 0 to 65535"
    ),
  ])
  func `a wrong region or number is refused at its place`(line: String, column: Int, message: String) {
    let fault = TimelineFile(Array(line.utf8)).faults.first
    #expect(fault?.column == column && fault?.message.contains(message) == true, "\(fault as Any)")
  }

  @Test func `an app monitors at most twenty regions`() {
    let lines = (0...20).map { "{\"region\":\"\(Self.uuid)/1/\($0)\"}" }.joined(separator: "\n")
    let fault = TimelineFile(Array(lines.utf8)).faults.first
    #expect(fault?.line == 21 && fault?.message == "an app monitors at most 20 regions")
  }
}
