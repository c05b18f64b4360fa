import Beacons
import Captures
import Core
import Foundation
import Phones
import Proximity
import Radio
import Testing

/// The examples that stand beside the public types. Whoever changes one changes the other.
@Suite struct ExampleTests {
  private let payload: [UInt8] = [
    0x02, 0x01, 0x1A, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15, 0xF2, 0x9D, 0xC7, 0x4A, 0xDB, 0xBD, 0x12, 0xDE,
    0x31,
    0x8A, 0xC8, 0xB0, 0x46, 0xDD, 0x44, 0x25, 0x00, 0x01, 0x00, 0x02, 0xC5,
  ]

  @Test func framesOfAPayload() {
    var told: [String] = []
    FrameDecoder.forEachFrame(in: payload.span) { result, _ in
      switch result {
      case .frame(.iBeacon(let beacon), _): told.append("\(beacon.major).\(beacon.minor)")
      case .frame: told.append("another format")
      case .declined(let reason, _): told.append("\(reason)")
      }
    }
    #expect(told == ["1.2"])
  }

  @Test func whoSentIt() throws {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(
        name: "van", pattern: .iBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 1, minor: 2))
    ])
    let advertisement = Advertisement(
      receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: 0xC100_0000_0001, kind: .random),
      rssi: -67, time: .zero, wallTime: WallTime(nanoseconds: 0))
    let sighting = catalogue.sighting(of: advertisement, payload: payload.span)
    #expect(sighting.map { catalogue.name(of: $0.beacon) } == "van")
  }

  @Test func aCaptureIsReadInBatches() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("example-\(UUID()).jsonl").path
    let line =
      #"{"t":1700000000,"receiver":"hci0","address":"C1:00:00:00:00:01","address_type":"random","payload":"020106"}"#
    try Data((line + "\n").utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var capture = try CaptureFile(path: path)
    var batch = AdvertisementBatch()
    var heard: [DeviceAddress] = []
    reading: while true {
      switch try capture.next(into: &batch) {
      case .advertisements: batch.forEach { advertisement, _ in heard.append(advertisement.address) }
      case .observation, .health, .report: continue
      case .end: break reading
      }
    }
    #expect(heard.map(\.description) == ["C1:00:00:00:00:01"])
  }

  @Test func bytesThatArriveInPiecesAreDecoded() throws {
    var table = ReceiverTable()
    let hci0 = table.index(of: "hci0")
    let receiver = try #require(hci0)
    var encoder = TextEncoder()
    encoder.append(
      Advertisement(
        receiver: receiver, address: DeviceAddress(bits: 0xC100_0000_0001, kind: .random), rssi: -67,
        time: .zero, wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000)),
      payload: payload.span, receivers: table)
    var rest = encoder.bytes[...]
    func read(into buffer: inout MutableSpan<UInt8>, from offset: Int) -> Int {
      let piece = rest.prefix(7)
      for (index, octet) in piece.enumerated() { buffer[offset + index] = octet }
      rest = rest.dropFirst(7)
      return piece.count
    }
    var decoder = CaptureDecoder()
    var batch = AdvertisementBatch()
    var heard: [DeviceAddress] = []
    reading: while true {
      switch try decoder.next(into: &batch) {
      case .advertisements: batch.forEach { advertisement, _ in heard.append(advertisement.address) }
      case .observation, .health, .report: continue
      case .end: break reading
      case nil: decoder.fill { buffer, offset in read(into: &buffer, from: offset) }
      }
    }
    #expect(heard.map(\.description) == ["C1:00:00:00:00:01"])
  }

  @Test func whatIsOnAir() {
    let beacon = IBeacon(
      uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 1, minor: 2, measuredPower: -59)
    let plan = BroadcastPlan(identities: [beacon], mostAtOnce: 1) { elapsed in
      let turn = Int64(elapsed.seconds / 10)
      let isOn = elapsed.seconds - Double(10 * turn) < 3
      return BroadcastPlan.OnAir(
        identities: isOn ? [0] : [], until: .milliseconds(isOn ? 10_000 * turn + 3_000 : 10_000 * (turn + 1)))
    }
    #expect(plan.onAir(.seconds(12)) == BroadcastPlan.OnAir(identities: [0], until: .seconds(13)))
    #expect(plan.onAir(.seconds(13)) == BroadcastPlan.OnAir(identities: [], until: .seconds(20)))
  }

  @Test func whoIsInAZone() {
    let door = Zone(
      receivers: nil, near: nil, enter: Rule(threshold: .distance(6), dwell: .seconds(1)),
      exit: Rule(threshold: .distance(9), dwell: .seconds(2)), lost: .auto)
    var engine = ZoneEngine(site: Site(zones: [door]))
    let van = BeaconIndex(rawValue: 0)
    engine.admit(van, zones: [ZoneIndex(rawValue: 0)])
    var transitions: [Transition] = []
    for tenth in 0..<20 {
      let time = MonotonicTime.zero + .milliseconds(100 * Int64(tenth))
      engine.observe(
        Sighting(
          beacon: van, receiver: ReceiverIndex(rawValue: 0), rssi: -62, measuredPower: -59, time: time,
          wallTime: WallTime(nanoseconds: time.nanoseconds)),
        into: &transitions)
    }
    #expect(transitions.map(\.event) == [.enter])
    // Nothing is heard any more.
    engine.advance(to: .zero + .seconds(60), into: &transitions)
    #expect(transitions.map(\.event) == [.enter, .exit])
  }

  @Test func whatAPhoneWouldHaveSeen() throws {
    let os = try #require(Catalogue.systems(.seed).first { $0.name == "ios17" })
    let strategy = try #require(Catalogue.strategy(named: "background-task", variant: .seed))
    let phone = try #require(PhoneProfile(os: os, strategy: strategy))
    // From 50 m at 1 m/s; near is 4 m, and is armed again beyond 6 m.
    let walk = Timeline(approachFrom: 50_000_000, speed: 1_000_000)
    let simulation = Simulation(phone, near: NearDistances(near: 4_000_000, rearm: 6_000_000), timeline: walk)
    #expect(simulation.verdicts.map(\.outcome) == [.taskExpired])

    let proposal = WakeProposal(
      phone, WakeProposal.Request(visit: .init(reach: 50_000_000, speed: 1_000_000)))
    #expect(proposal.verdict == .gapFree && proposal.plan?.regions == 1)
  }
}
