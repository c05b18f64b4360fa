import Beacons
import Core
import Proximity
import TestSupport
import Testing

@testable import Contract

@Suite struct TransitionMessageTests {
  static let message = TransitionMessage(
    .zone(
      Transition(
        event: .near, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
        wallTime: WallTime(nanoseconds: 1_795_211_403_120_000_000), distance: 1.4, distanceDeviation: 0.5,
        rssi: -61,
        evidence: Evidence(
          threshold: 1.5, value: 1.4, unit: .metres, samples: 9, dwell: .seconds(2),
          receiver: ReceiverIndex(rawValue: 0)))),
    epoch: 7, sequence: 42, gateway: "forecourt", place: "pump-3", beacon: "fleet:1.2", receiver: "hci0")

  @Test func isTheObjectOfTheContract() {
    #expect(
      String(decoding: Self.message.json, as: UTF8.self)
        == #"{"v":1,"id":"\#(Self.message.id)","epoch":7,"seq":42,"event":"near","#
        + #""time":"2026-11-20T21:50:03.120Z","gateway":"forecourt","zone":"pump-3","beacon":"fleet:1.2","#
        + #""distance_m":1.4,"distance_sd_m":0.5,"rssi_dbm":-61,"because":{"threshold":1.5,"value":1.4,"#
        + #""unit":"m","samples":9,"dwell_s":2,"receiver":"hci0"}}"#)
  }

  /// The payload by the writer that other messages are written with, member by member.
  private func plain(_ message: TransitionMessage) throws -> [UInt8] {
    let transition = try #require(message.transition)
    let evidence = transition.evidence
    return JSONWriter.object {
      $0.field("v", 1)
      $0.field("id", message.id)
      $0.field("epoch", message.epoch)
      $0.field("seq", message.sequence)
      $0.field("event", transition.event.rawValue)
      $0.field("time", transition.wallTime)
      if transition.wallTime.nanoseconds < 1_704_067_200_000_000_000 { $0.field("time_unsure", true) }
      $0.field("gateway", message.gateway)
      $0.field("zone", message.place)
      $0.field("beacon", message.beacon)
      $0.field("distance_m", transition.distance, decimals: 2)
      $0.field("distance_sd_m", transition.distanceDeviation, decimals: 2)
      $0.field("rssi_dbm", transition.rssi, decimals: 1)
      $0.key("because")
      $0.object {
        $0.field("threshold", evidence.threshold, decimals: 3)
        $0.field("value", evidence.value, decimals: 3)
        $0.field("unit", evidence.unit.rawValue)
        $0.field("samples", evidence.samples)
        $0.field("dwell_s", evidence.dwell.seconds, decimals: 3)
        $0.field("receiver", message.receiver)
        if let reason = evidence.reason { $0.field("reason", reason.rawValue) }
      }
    }
  }

  private static let names = [
    "", "a", "pump-3", "a name of more than fifteen octets", "\"", "\\", "tab\t", "\u{7F}", "\0", "Küche",
    "🚲",
    String(repeating: "long ", count: 50), String(repeating: "\u{1}", count: 300),
  ]
  private static let numbers: [Double] = [
    0, -0.0, 1.4, -61, 0.125, 0.005, 12_345.678_9, -0.000_4, 999_999_999.999, 1e9, -1e300, .nan, .infinity,
    -.greatestFiniteMagnitude,
  ]

  @Test func theFastWriterGivesTheSameBytesAsJSONWriter() throws {
    var dice = SeededGenerator(seed: 1)
    func any(_ names: [String]) throws -> String { try #require(names.randomElement(using: &dice)) }
    func any() throws -> Double { try #require(Self.numbers.randomElement(using: &dice)) }
    for _ in 0..<3000 {
      var message = Self.message
      message.epoch = .random(in: 0 ... .max, using: &dice) >> UInt64.random(in: 0...63, using: &dice)
      message.sequence = .random(in: 0 ... .max, using: &dice) >> UInt64.random(in: 0...63, using: &dice)
      message.gateway = try any(Self.names)
      message.place = try any(Self.names)
      message.beacon = try any(Self.names)
      message.receiver = try any(Self.names)
      message.transition?.event = try #require(Transition.Event.allCases.randomElement(using: &dice))
      message.transition?.wallTime = WallTime(nanoseconds: .random(in: .min ... .max, using: &dice))
      message.transition?.distance = Bool.random(using: &dice) ? try any() : nil
      message.transition?.distanceDeviation = Bool.random(using: &dice) ? try any() : nil
      message.transition?.rssi = Bool.random(using: &dice) ? try any() : nil
      message.transition?.evidence.threshold = try any()
      message.transition?.evidence.value = try any()
      message.transition?.evidence.unit = try #require(
        [.metres, .decibelMilliwatts, .seconds].randomElement(using: &dice))
      message.transition?.evidence.reason =
        ([nil] + Evidence.Reason.allCases).randomElement(using: &dice) ?? nil
      message.transition?.evidence.samples =
        .random(in: .min ... .max, using: &dice) >> Int.random(in: 0...63, using: &dice)
      message.transition?.evidence.dwell = TimeSpan(nanoseconds: .random(in: .min ... .max, using: &dice))
      #expect(try message.json == plain(message))
    }
  }

  /// The longest of everything, for which there must be room.
  @Test func holdsTheLongestOfEverything() throws {
    var message = Self.message
    (message.epoch, message.sequence) = (.max, .max)
    (message.gateway, message.place, message.beacon, message.receiver) = ("\0", "\0", "\0", "\0")
    message.transition?.event = .enter
    message.transition?.wallTime = WallTime(nanoseconds: .min)
    let longest = -Double.greatestFiniteMagnitude
    message.transition?.distance = longest
    message.transition?.distanceDeviation = longest
    message.transition?.rssi = longest
    message.transition?.evidence.threshold = longest
    message.transition?.evidence.value = longest
    message.transition?.evidence.unit = .decibelMilliwatts
    message.transition?.evidence.reason = .receiversChanged
    message.transition?.evidence.samples = .min
    message.transition?.evidence.dwell = TimeSpan(nanoseconds: .min)
    #expect(try message.json == plain(message))
    // Four names of one octet, which take six each; but for numbers, of which each could take 24, nothing is left over.
    let numbers = message.json.count - 4 * 6 - (TransitionMessage.roomBesideNames - 9 * decimalTextLimit)
    #expect(numbers == 3 * 20 + 5 * 24 + 18)
  }

  @Test func goesToItsZoneOnceAndIsNotRetained() {
    let sent = Self.message.message(topics: Topics(gateway: "forecourt"))
    #expect(sent.topic == "beaconkeeper/forecourt/zone/pump-3/near")
    #expect(sent.qos == .atLeastOnce)
    #expect(!sent.retained)
  }

  @Test func idDependsOnTheEventAndNotOnTheSender() {
    var other = Self.message
    other.epoch = 8
    other.sequence = 1
    other.receiver = "hci1"
    #expect(other.id == Self.message.id)
    #expect(other.id.utf8.count == 32)
    other.place = "pump-4"
    #expect(other.id != Self.message.id)
  }

  @Test func idTellsApartNamesThatRunIntoEachOther() {
    var one = Self.message
    var other = Self.message
    (one.gateway, one.place) = ("ab", "c")
    (other.gateway, other.place) = ("a", "bc")
    #expect(one.id != other.id)
  }
}
