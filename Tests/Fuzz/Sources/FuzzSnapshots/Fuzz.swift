import Beacons
@testable import Configuration
@testable import Contract
import Core
import Phones
@testable import Pipeline
import Proximity

/// A pipeline's and an intake's snapshot, with octets changed: three of the input say where and to what. What is read in spite of
/// that can go on, and be written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = input.first else { return 0 }
  var body = first & 1 == 0 ? site.pipeline : site.intake
  // The fingerprint in front stays, or nothing else would be read.
  for place in stride(from: 1, to: input.count - 2, by: 3) {
    body[8 + (Int(input[place]) << 8 | Int(input[place + 1])) % (body.count - 8)] = input[place + 2]
  }
  if first & 2 != 0 { body.removeLast(min(body.count - 8, Int(first))) }
  var reader = StateCoder(body: body)
  if first & 1 == 0 {
    var pipeline = Pipeline(site.configuration)
    guard (try? pipeline.restore(from: &reader)) != nil else { return 0 }
    site.play(&pipeline, from: 1010)
  } else {
    guard var intake = try? ScannerIntake(Site.scanners, ownGateway: "site", snapshot: &reader) else {
      return 0
    }
    site.play(&intake, from: 1010)
  }
  return 0
}

let site = Site()

/// Rooms, zones and a region, with three receivers, some members and phones.
struct Site: Sendable {
  static let scanners = [Scanner(kind: .beaconkeeper), Scanner(kind: .theengs)]
  let configuration: Configuration
  private(set) var pipeline: [UInt8] = []
  private(set) var intake: [UInt8] = []

  init() {
    var configuration = Configuration(gatewayName: "site")
    configuration.beacons = [
      BeaconSettings(name: "tag", pattern: .iBeacon(uuid: 1)),
      BeaconSettings(name: "page", pattern: .eddystoneURL("https://a.com/")),
    ]
    configuration.receivers = (0..<3).map {
      ReceiverSettings(
        name: "r\($0)", calibration: Calibration(position: Position(x: Double($0), y: Double($0 & 1))))
    }
    configuration.rooms = [
      RoomSettings(name: "hall", receivers: ["r0"]), RoomSettings(name: "kitchen", receivers: ["r1", "r2"]),
    ]
    let (enter, exit) = (
      Rule(threshold: .distance(5), dwell: .seconds(1)), Rule(threshold: .distance(7), dwell: .seconds(1))
    )
    configuration.zones = [
      ZoneSettings(
        name: "desk", near: NearRule(rule: Rule(threshold: .signal(-50), dwell: .zero), rearm: .signal(-60)),
        enter: enter, exit: exit),
      ZoneSettings(name: "flat", enter: enter, exit: exit, rooms: ["hall"]),
    ]
    configuration.phones = PhoneProfile.all(.seed).enumerated().filter { $0.offset % 9 == 0 }.map {
      number, profile in
      PhoneSettings(
        name: "p\(number)", beacon: "tag:1.\(number % 5)", profile: profile,
        triggers: [
          .init(
            zone: "desk", near: NearDistances(near: nil, rearm: PhoneSettings.distanceless), rearmSignal: -60)
        ], countdown: number % 2 == 0)
    }
    configuration.homeAssistant.rooms = "espresense"
    self.configuration = configuration
    var live = Pipeline(configuration)
    play(&live, from: 1000)
    var writer = StateCoder()
    live.snapshot(into: &writer)
    pipeline = Self.body(writer)
    var ears = ScannerIntake(Self.scanners, ownGateway: "site", expected: ["r0"])
    play(&ears, from: 1000)
    writer = StateCoder()
    ears.snapshot(into: &writer)
    intake = Self.body(writer)
  }

  private static func body(_ writer: StateCoder) -> [UInt8] {
    Array(writer.finished().dropFirst(16).dropLast(8))
  }

  /// Ten seconds.
  func play(_ pipeline: inout Pipeline, from second: Int) {
    var output = Pipeline.Output()
    for step in 0..<60 {
      let time = MonotonicTime.zero + .milliseconds(Int64(second * 1000 + step * 170))
      if step % 20 == 7 {
        pipeline.setBlind(ReceiverIndex(rawValue: UInt16(step / 20)), step % 40 == 7, at: time, into: &output)
      }
      var batch = AdvertisementBatch()
      let payload: [UInt8] =
        [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0, count: 15) + [
          1, 0, 1, 0, UInt8(step % 5), 0xC5,
        ]
      batch.append(
        Advertisement(
          receiver: ReceiverIndex(rawValue: UInt16(step % 3)),
          address: DeviceAddress(bits: UInt64(step % 5), kind: .random), rssi: Int8(-45 - step % 7 * 6),
          time: time,
          wallTime: WallTime(nanoseconds: time.nanoseconds)), payload: payload.span)
      pipeline.observe(batch, into: &output)
    }
    for (number, word) in ["foreground", "background", "begin-task a", "screen-on", "still"].enumerated() {
      for phone in configuration.phones {
        let time = MonotonicTime.zero + .seconds(Double(second) + 11 + Double(number))
        _ = pipeline.receive(
          Array(word.utf8), topic: pipeline.topics.appReport(phone: phone.name), isRetained: false, at: time,
          wallTime: WallTime(nanoseconds: time.nanoseconds), into: &output)
      }
    }
    pipeline.advance(to: MonotonicTime.zero + .seconds(Double(second) + 60), into: &output)
    for state in output.states(topics: pipeline.topics) + pipeline.allStates() {
      precondition(!state.topic.isEmpty)
    }
    var writer = StateCoder()
    pipeline.snapshot(into: &writer)
  }

  func play(_ intake: inout ScannerIntake, from second: Int) {
    var hearing = Hearing()
    let (now, wall) = (MonotonicTime.zero + .seconds(Double(second)), WallTime(nanoseconds: 0))
    intake.brokerConnected(at: now, wallTime: wall, into: &hearing)
    let batch =
      #"{"v":1,"gateway":"a","boot":"b","seq":\#(second),"sent_ms":\#(second * 1000),"held_ms":0,"receivers":["hci0"],"#
      + #""beacons":[{"key":"ibeacon 00000000000000000000000000000001 1 2","heard":[[0,-60,5]]}]}"#
    for (topic, text) in [
      ("beaconkeeper/a/observations/0", batch), ("beaconkeeper/a/observations/0", batch),
      ("home/x/BTtoMQTT/C1", #"{"id":"C1:00:00:00:00:01","rssi":-60}"#), ("beaconkeeper/a/status", "offline"),
    ] {
      _ = intake.take(
        Array(text.utf8), topic: topic, isRetained: false, at: now, wallTime: wall, into: &hearing)
    }
    intake.look(at: now + .seconds(70), wallTime: wall, into: &hearing)
    var writer = StateCoder()
    intake.snapshot(into: &writer)
  }
}
