import Beacons
@testable import Configuration
import Contract
import Core
import Phones
import Proximity
import Scenes
import TestSupport

@testable import Pipeline

/// A site by chance: zones of distances, of signals and of rooms, rooms with and without outlines, a region of many members,
/// phones, and what happens there.
struct RandomSite {
  enum Event {
    case heard(Advertisement, [UInt8])
    case told(Observation)
    case blind(ReceiverIndex, Bool, MonotonicTime)
    case passed(MonotonicTime)
    /// A phone's app reports.
    case reported(String, phone: String, isRetained: Bool, MonotonicTime)
    /// Whoever runs the pipeline takes what has gathered.
    case collected
  }

  static let receivers = ["hci0", "hci1", "hci2", "hci3"]
  var configuration = Configuration(gatewayName: "site")
  var limits: AdmissionLimits
  private(set) var time = MonotonicTime.zero + .seconds(1000)
  private let members: UInt16
  private var dice: SeededGenerator

  init(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    members = [6, 25, 160].randomElement(using: &dice)!
    let room = Int(members) / Int.random(in: 1...2, using: &dice)
    limits = AdmissionLimits(
      members: room, burst: max(3, room / 2), perSecond: 5,
      transitions: RateLimit(burst: 30, perSecond: 2))
    configuration.beacons = [
      BeaconSettings(
        name: "fleet", pattern: .iBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425),
        names: ["1.2": "Second"]),
      BeaconSettings(name: "fridge", pattern: .address(0xC100_0000_0005)),
      BeaconSettings(
        name: "one", pattern: .iBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 1, minor: 1)),
    ]
    let isPlaced = dice.oneIn(2)
    configuration.receivers = Self.receivers.enumerated().map { place, name in
      let position = Position(x: Double(place % 2) * 4, y: Double(place / 2) * 3)
      return ReceiverSettings(
        name: name, calibration: Calibration(deviation: 5, position: isPlaced ? position : nil))
    }
    configuration.telemetry.beaconState = .seconds(Double.random(in: 1...10, using: &dice))
    if dice.oneIn(2) { configuration.homeAssistant.rooms = "espresense" }
    if dice.oneIn(2) {
      configuration.homeAssistant.isOn = true
      configuration.homeAssistant.places = [Place(zone: "near", entity: "zone.home")]
    }
    if dice.oneIn(2) { configuration.scanners = [Scanner(kind: .beaconkeeper)] }
    self.dice = dice
    addRooms(isPlaced: isPlaced)
    addZones()
    addPhones()
  }

  private mutating func addRooms(isPlaced: Bool) {
    if dice.oneIn(4) { return }
    let hasOutlines = dice.oneIn(2)
    configuration.rooms = (0..<2).map { room in
      let x = Double(room) * 3
      return RoomSettings(
        name: ["kitchen", "hall"][room],
        outline: hasOutlines
          ? [Point(x: x, y: 0), Point(x: x + 3, y: 0), Point(x: x + 3, y: 3), Point(x: x, y: 3)] : [],
        receivers: [Self.receivers[room], Self.receivers[room + 2]])
    }
    guard dice.oneIn(2) else { return }
    configuration.roomCalibration = RoomCalibration(
      receivers: Self.receivers.map { .init(name: $0, power: -61, exponent: 2.2) }, wallLoss: 4,
      samples: hasOutlines ? [.init(receiver: "hci0", x: 1, y: 1, level: -60, spread: 3, weight: 9)] : [],
      histograms: Self.receivers.enumerated().flatMap { place, name in
        ["kitchen", "hall"].enumerated().map { room, roomName in
          .init(
            receiver: name, room: roomName, lowest: place % 2 == room ? -64 : -80,
            counts: [1, 4, 9, 14, 9, 4, 1])
        }
      })
  }

  private mutating func addZones() {
    func span(_ range: ClosedRange<Double>) -> TimeSpan { .seconds(Double.random(in: range, using: &dice)) }
    configuration.zones = [
      ZoneSettings(
        name: "near",
        near: NearRule(rule: Rule(threshold: .distance(2), dwell: .seconds(1)), rearm: .distance(4)),
        enter: Rule(threshold: .distance(5), dwell: span(0...3)),
        exit: Rule(threshold: .distance(7), dwell: span(0...5)),
        lost: dice.oneIn(2) ? .auto : .after(span(5...30))),
      ZoneSettings(
        name: "loud", receivers: ["hci0", "hci2"], beacons: dice.oneIn(2) ? nil : ["fleet"],
        near: NearRule(rule: Rule(threshold: .signal(-58), dwell: span(0...1)), rearm: .signal(-66)),
        enter: Rule(threshold: .signal(-70), dwell: .zero),
        exit: Rule(threshold: .signal(-78), dwell: span(0...3))),
    ]
    guard !configuration.rooms.isEmpty, dice.oneIn(2) else { return }
    configuration.zones.append(
      ZoneSettings(
        name: "flat", enter: Rule(threshold: .distance(5), dwell: span(0...3)),
        exit: Rule(threshold: .distance(7), dwell: span(0...3)), rooms: ["kitchen"]))
  }

  private mutating func addPhones() {
    guard dice.oneIn(2) else { return }
    let near = PhoneSettings.Trigger(
      zone: "near", near: NearDistances(near: 2_000_000, rearm: 4_000_000))
    let loud = PhoneSettings.Trigger(
      zone: "loud", near: NearDistances(near: nil, rearm: PhoneSettings.distanceless), rearmSignal: -66)
    configuration.phones = ["one", "fleet:1.2", "fleet:1.3", "fridge", "fleet:1.9999"].enumerated().map {
      number, beacon in
      PhoneSettings(
        name: "phone \(number)", beacon: beacon, profile: PhoneProfile.all().randomElement(using: &dice)!,
        triggers: [[], [near], [near, loud], [loud]].randomElement(using: &dice)!, countdown: dice.oneIn(2))
    }
  }

  private static let reports = [
    "foreground", "background", "background", "user-launch", "screen-on", "screen-off", "bluetooth off",
    "bluetooth on", "permission denied", "permission when-in-use", "permission always", "terminated",
    "terminated force-quit", "terminated reboot", "begin-task a", "begin-task b", "end-task a", "end-task c",
    #"{"event":"begin-task","id":7,"handler":true}"#, "audio on", "audio off", "location on", "location off",
    "still", "moving", "bucket rare", "bucket working-set", "background-fetch", "location-services off",
    "location-services on", "region-enter", "nonsense", "", #"{"event":"near"}"#, #"{"event":"near"}"#,
    #"{"event":"near","time":1795211400}"#, #"{"event":"near","beacon":"nobody"}"#,
  ]

  private mutating func report() -> Event {
    .reported(
      Self.reports.randomElement(using: &dice)!, phone: "phone \(Int.random(in: 0..<5, using: &dice))",
      isRetained: dice.oneIn(4), time)
  }

  /// What happens next. Beacons are far and near, loud here and there, in turns of some seconds.
  mutating func next() -> Event {
    time = time + .milliseconds(Int64.random(in: 1...(members > 100 ? 40 : 200), using: &dice))
    switch Int.random(in: 0..<400, using: &dice) {
    case 0..<3: return .blind(receiver(), !dice.oneIn(3), time)
    case 3:
      time = time + .seconds(Double.random(in: 1...90, using: &dice))
      return .passed(time)
    case 4..<30: return .passed(time)
    case 30..<40: return .collected
    case 40..<50: return report()
    default: return heard()
    }
  }

  private mutating func receiver() -> ReceiverIndex {
    ReceiverIndex(rawValue: UInt16.random(in: 0..<UInt16(Self.receivers.count), using: &dice))
  }

  private mutating func heard() -> Event {
    // Those with high numbers come and go for good.
    let shift = UInt16(time.nanoseconds / 60_000_000_000 % 5) * (members / 3)
    let number = UInt16.random(in: 0..<members, using: &dice) + (dice.oneIn(3) ? shift : 0)
    let receiver = receiver()
    let turn = (Int(time.nanoseconds / 15_000_000_000) + Int(number)) % 4
    let isNear = turn == Int(receiver.rawValue) || turn == 3 && dice.oneIn(2)
    let rssi = Int8.random(in: isNear ? -66 ... -52 : -95 ... -72, using: &dice)
    let wallTime = WallTime(nanoseconds: 1_795_211_400_000_000_000 + time.nanoseconds)
    if dice.oneIn(4) {
      let late = TimeSpan.milliseconds(Int64.random(in: 0...800, using: &dice))
      return .told(
        Observation(
          key: "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 \(number)", receiver: receiver,
          rssi: dice.oneIn(30) ? nil : rssi, measuredPower: -59, time: time - late, wallTime: wallTime))
    }
    let isFridge = dice.oneIn(12)
    let address = DeviceAddress(bits: 0xC100_0000_0000 + (isFridge ? 5 : 100 + UInt64(number)), kind: .random)
    let payload =
      isFridge
      ? (dice.oneIn(3)
        ? Scene.doorbell(
          number: UInt8.random(in: 0...9, using: &dice), isOpen: dice.oneIn(2),
          button: UInt8.random(in: 0...4, using: &dice))
        : dice.oneIn(2) ? Scene.ruuvi : Scene.iBeacon(number: 2))
      : dice.oneIn(8)
        ? Scene.temperature(UInt16.random(in: 0...4000, using: &dice)) : Scene.iBeacon(number: number)
    return .heard(
      Advertisement(receiver: receiver, address: address, rssi: rssi, time: time, wallTime: wallTime), payload
    )
  }
}

extension Pipeline {
  init(_ site: RandomSite) {
    self.init(site.configuration, limits: site.limits)
    for name in RandomSite.receivers { _ = receiver(name) }
  }

  /// All that it says to an event, as text.
  mutating func say(to event: RandomSite.Event) -> [String] {
    var output = Output()
    var said: [String] = []
    switch event {
    case .heard(let advertisement, let payload):
      _ = observe(advertisement, payload: payload.span, into: &output)
    case .told(let observation):
      var map = ReceiverMap()
      map.learn(receivers) { receiver($0) }
      observe(remote: AdvertisementBatch(), [observation], from: map, into: &output)
    case .blind(let receiver, let isBlind, let time): setBlind(receiver, isBlind, at: time, into: &output)
    case .reported(let report, let phone, let isRetained, let time):
      let refusal = self.receive(
        Array(report.utf8),
        topic: report.contains("near") ? topics.appSeen(phone: phone) : topics.appReport(phone: phone),
        isRetained: isRetained, at: time,
        wallTime: WallTime(nanoseconds: 1_795_211_400_000_000_000 + time.nanoseconds), into: &output)
      said += refusal.map { ["\($0)"] } ?? []
    case .passed(let time): advance(to: time, into: &output)
    case .collected:
      said += takeNotices() + takeForgotten()
      said += takeNews().map { "\($0.name) \($0.beacon.zones.sorted()) \($0.beacon.readings.count)" }
      said += takeCounters().map { "\($0) \($1)" }.sorted()
    }
    said += output.messages(topics: topics).map { message in
      "\(message.topic) \(message.qos) \(message.retained) \(String(decoding: message.payload, as: UTF8.self))"
    }
    said.append(
      "\(nextDeadline?.nanoseconds ?? 0) \(counts) \(beaconCount) \(heldTransitions) \(refusedMembers) \(droppedForRooms ?? 0) \(refusedReports) \(refusedSightings)"
    )
    return said
  }

  var snapshotOctets: [UInt8] {
    var writer = StateCoder()
    snapshot(into: &writer)
    return writer.finished()
  }

  init(_ site: RandomSite, octets: [UInt8]) throws {
    var reader = try StateCoder(reading: octets)
    self.init(site.configuration, limits: site.limits)
    try restore(from: &reader)
    try reader.finish()
  }
}

extension SeededGenerator {
  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
