import MQTT
import Beacons
import Settings
import Messages
import Proximity
import RangingPolicy

/// Simulates whether the apps on the configured phones would have noticed.
extension Pipeline {
  /// Sets the start time, before the first advertisement. The windows of all phones are known from then on.
  public mutating func begin(at time: MonotonicTime, wallTime: WallTime, into output: inout Output) {
    guard !phones.isEmpty, !phones.hasBegun else { return }
    phones.begin(at: time, wallTime: wallTime)
    tellPhones(into: &output)
  }

  /// Replaces the configured phones of a new pipeline.
  public mutating func follow(_ phones: [PhoneSettings]) {
    configuration.phones = phones
    self.phones = Phones(configuration)
  }

  public var hasPhones: Bool { !phones.isEmpty }

  /// Processes a report about a phone's app. Returns why it was refused; nil if it was accepted, or if the phone is
  /// unknown.
  public mutating func receive(
    _ payload: [UInt8], topic: String, isRetained: Bool, at time: MonotonicTime, wallTime: WallTime,
    into output: inout Output
  ) -> AppReports.Refusal? {
    let meant = configuration.phones.first { topics.appReport(phone: $0.name) == topic }
    guard let name = meant?.name else { return nil }
    begin(at: time, wallTime: wallTime, into: &output)
    let refusal = phones.report(payload, of: name, isRetained: isRetained, at: time, wallTime: wallTime)
    tellPhones(into: &output)
    return refusal
  }

  /// Processes a sighting for the phones, or an advertisement of an unknown sender.
  mutating func followPhones(_ sighting: Sighting, into output: inout Output) {
    if !phones.hasBegun { phones.begin(at: sighting.time, wallTime: sighting.wallTime) }
    if sighting.beacon != .nobody, phones.carry(sighting.beacon) {
      // Decisions caused by this sighting are processed after it.
      let first = nears.firstIndex { $0.time >= sighting.time } ?? nears.count
      for near in nears[..<first] { phones.trigger(near) }
      nears.removeFirst(first)
      phones.hear(sighting, in: engine)
    }
    triggerPhones()
    phones.advance(to: sighting.time, inclusive: false)
    tellPhones(into: &output)
  }

  /// Advances the phones to a time.
  mutating func advancePhones(to time: MonotonicTime, into output: inout Output) {
    triggerPhones()
    phones.advance(to: time, inclusive: true)
    tellPhones(into: &output)
  }

  mutating func sightOfPhonesChanged(at time: MonotonicTime, into output: inout Output) {
    triggerPhones()
    phones.sightChanged(in: engine, at: time)
    tellPhones(into: &output)
  }

  private mutating func triggerPhones() {
    if nears.isEmpty { return }
    for near in nears { phones.trigger(near) }
    nears.removeAll(keepingCapacity: true)
  }

  /// Converts the phones' news to messages.
  mutating func tellPhones(into output: inout Output) {
    if phones.news.items.isEmpty { return }
    for (place, item) in phones.news.items {
      switch item {
      case .window(let window, let time):
        output.items.append(
          .state(.window(message(window, at: time, of: phones.phones[place]).message(topics: topics))))
      case .verdict(let verdict, let waiting):
        output.items.append(.verdict(message(verdict, waiting, of: phones.phones[place])))
      }
    }
    phones.newsTold()
  }

  /// Each phone's current window. For phones that were removed, a message that clears it.
  var windowStates: [Message] {
    let forgotten = phones.dropped.map { name in
      Message(topic: topics.window(phone: name), payload: [], qos: .atLeastOnce, retained: true)
    }
    return forgotten + windows.map { $0.window.message(topics: topics) }
  }

  /// Each phone's current window, with the beacon that the phone carries.
  package var windows: [(window: WindowMessage, beacon: String)] {
    phones.phones.compactMap { phone in
      guard let window = phone.window, let now = phone.lanes.first?.engine.now else { return nil }
      return (message(window, at: now, of: phone), phone.settings.beacon)
    }
  }

  private func message(_ window: Window, at time: Milliseconds, of phone: Phone) -> WindowMessage {
    WindowMessage(
      phone: phone.settings.name, state: window.state, since: phone.wallTime(of: window.since),
      time: phone.wallTime(of: time), remaining: window.remaining(at: time),
      os: phone.settings.profile.os.name, strategy: phone.settings.profile.strategy.name, why: window.why)
  }

  private func message(_ verdict: Verdict, _ waiting: Phone.Waiting, of phone: Phone) -> VerdictMessage {
    VerdictMessage(
      phone: phone.settings.name, gateway: configuration.gatewayName, transition: waiting.transition,
      zone: waiting.zone, beacon: waiting.beacon, os: phone.settings.profile.os.name,
      strategy: phone.settings.profile.strategy.name, outcome: verdict.outcome,
      time: phone.wallTime(of: verdict.time), near: waiting.time,
      delivered: verdict.delivered.map(phone.wallTime), lateness: verdict.lateness,
      evidence: verdict.evidence.map { .init(time: phone.wallTime(of: $0.time), what: $0.what) })
  }
}
