import Beacons
import Core

/// How often one receiver reports, and how many devices. Anybody who may publish on a receiver's topics
/// decides where beacons are. So there is a notice if it suddenly reports far more often, or far more devices
/// than before. And there is one if it hears none of many any more, although it works: its radio may have failed.
struct SpeakingPace: Sendable {
  /// Time is divided into spans, and each is compared with those before it.
  private static let span = TimeSpan.seconds(5)
  /// After this many spans the usual pace is known.
  private static let learnt: UInt8 = 12
  /// If it hears none of at least this many, for this long, that is a change.
  private static let many: UInt32 = 8
  private static let silence = TimeSpan.seconds(20)
  /// So many spans without a pause are five minutes.
  private static let dense: UInt8 = 60
  /// After this time a change is reported again.
  private static let pause = TimeSpan.seconds(3600)

  private var start = MonotonicTime(nanoseconds: .min)
  private var count: UInt32 = 0
  /// A bit for each hash of a device.
  private var devices: UInt64 = 0
  /// In sixteenths, averaged over some 12 spans with observations.
  private var usualCount: UInt32 = 0
  private var usualDevices: UInt32 = 0
  private var spans: UInt8 = 0
  /// How many spans in a row had observations.
  private var steady: UInt8 = 0
  private var toldUntil = MonotonicTime(nanoseconds: .min)

  /// Counts an observation; returns a complaint if there are too many.
  ///
  /// - Parameter device: a hash.
  mutating func note(_ device: UInt64, at time: MonotonicTime) -> String? {
    if start.nanoseconds == .min { start = time }
    if time - start >= Self.span { close(at: time) }
    count &+= 1
    devices |= 1 << (device & 63)
    guard spans >= Self.learnt, time >= toldUntil else { return nil }
    if count > usualCount / 4 + 20 {
      toldUntil = time + Self.pause
      return "speaks far more often than before: \(count) times within 5 s, otherwise some \(usualCount / 16)"
    }
    if devices.nonzeroBitCount > Int(usualDevices / 4) + 10 {
      toldUntil = time + Self.pause
      return
        "hears far more devices than before: \(devices.nonzeroBitCount) within 5 s, otherwise some \(usualDevices / 16)"
    }
    return nil
  }

  /// Whether it has reported many devices for five minutes without a pause, so that a pause shows that something has failed.
  var isDense: Bool { steady >= Self.dense && usualDevices / 16 >= Self.many }

  /// It gives a sign of life; returns a complaint if it heard many devices before, and hears none.
  mutating func noteSilence(at time: MonotonicTime) -> String? {
    guard spans >= Self.learnt, usualDevices / 16 >= Self.many, time >= toldUntil,
      time - start >= Self.silence
    else { return nil }
    toldUntil = time + Self.pause
    return "works, but hears none of some \(usualDevices / 16) devices any more"
  }

  private mutating func close(at time: MonotonicTime) {
    // A pause does not show how often a receiver reports, so spans of silence are not learnt.
    let passed = (time - start).nanoseconds / Self.span.nanoseconds
    learn(count, UInt32(devices.nonzeroBitCount))
    // Messages that were held up during the pause arrive together, so the next span is not compared.
    if passed > 1 { spans = min(spans, Self.learnt - 1) }
    steady = passed > 1 ? 0 : min(steady + 1, Self.dense)
    start = start + TimeSpan(nanoseconds: passed * Self.span.nanoseconds)
    (count, devices) = (0, 0)
  }

  private mutating func learn(_ count: UInt32, _ devices: UInt32) {
    // At first, the usual pace is the mean of all spans. Later, a burst changes it only slowly.
    let isLearnt = spans >= Self.learnt
    let count = isLearnt ? min(count, usualCount / 8 + 10) : min(count, 1 << 20)
    let devices = isLearnt ? min(devices, usualDevices / 8 + 5) : devices
    let weight = UInt32(spans) + 1
    usualCount = usualCount - usualCount / weight + count * 16 / weight
    usualDevices = usualDevices - usualDevices / weight + devices * 16 / weight
    if !isLearnt { spans += 1 }
  }
}

extension SpeakingPace: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("start", &start)
    try coder("count", &count)
    try coder("devices", &devices)
    try coder("usual_count", &usualCount)
    try coder("usual_devices", &usualDevices)
    try coder("spans", &spans)
    try coder("steady", &steady)
    try coder("told_until", &toldUntil)
    try coder.check(usualCount < 1 << 28 && usualDevices < 1 << 16)
  }
}

extension ScannerIntake {
  /// Records a sign of life of a receiver. Adds a notice if the receiver heard many devices, and hears none.
  mutating func noteSilence(
    of receiver: ReceiverIndex, at time: MonotonicTime, into hearing: inout Hearing
  ) {
    guard let complaint = receivers.noteSilence(of: receiver, at: time) else { return }
    hearing.notices.append(
      "\(table.name(of: receiver).printable) \(complaint). If they did not all leave, its radio has failed: restart the board"
    )
  }

  /// Records an observation of a receiver. Adds a notice if the receiver reports far more often than before, or far more devices.
  mutating func noteSpeech(
    of receiver: ReceiverIndex, about device: UInt64, at time: MonotonicTime, into hearing: inout Hearing
  ) {
    guard let complaint = receivers.note(device, by: receiver, at: time) else { return }
    hearing.notices.append(
      "\(table.name(of: receiver).printable) \(complaint). If nothing changed there, somebody else may publish in its name: give each board its own user, as deploy/mosquitto.acl shows"
    )
  }
}
