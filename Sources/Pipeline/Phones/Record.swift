import Beacons
import Configuration
import Contract
import Core
import Phones
import Proximity

/// What phones' apps noticed, compared with what was predicted.
extension Phone {
  /// Processes a report that the phone's app noticed the beacon.
  ///
  /// - Parameter beacon: the phone's beacon; nil: it was not heard yet.
  mutating func reportSeen(
    _ payload: [UInt8], isRetained: Bool, of beacon: BeaconIndex?, in engine: ZoneEngine,
    at time: MonotonicTime, wallTime: WallTime, into news: inout PhoneNews
  ) throws(AppReports.Refusal) {
    // An empty payload only clears a retained report.
    if payload.isEmpty { return }
    if isRetained {
      throw AppReports.Refusal(
        description: "it is retained, so nobody knows when it was sent; publish it without retain")
    }
    let event: SeenEvent
    do throws(SeenEvent.Fault) {
      var reader = SeenEvent.Reader()
      event = try reader.read(payload)
    } catch {
      throw AppReports.Refusal(description: error.description)
    }
    if let name = event.beacon, !isOwn(name) {
      throw AppReports.Refusal(
        description: "it is about \(name.printable); this phone's beacon is \(settings.beacon.printable)")
    }
    // Other events say nothing about near.
    guard event.what == .near else { return }
    guard !settings.triggers.isEmpty else {
      throw AppReports.Refusal(
        description:
          "no zone has a near rule for \(settings.beacon.printable), so that there is nothing to compare with"
      )
    }
    wallOffset = wallTime - WallTime(nanoseconds: time.nanoseconds)
    passSilence(until: time, into: &news)
    let offset = event.time.map { wallTime - (WallTime(nanoseconds: 0) + .milliseconds($0)) }
    let delay = offset.flatMap { $0 <= PhoneRecord.clockLimit ? $0 : nil } ?? .zero
    let zones = lanes.compactMap(\.zone)
    record.report(
      // A report cannot be from the future: then the phone's clock is ahead.
      seen: time - max(delay, .zero), offset: offset, at: time, wallTime: wallTime,
      isNear: zones.contains { zone in
        beacon.flatMap { engine.progress(of: $0, in: zone)?.isNear } ?? false
      },
      isBlind: zones.contains { engine.isBlind($0) || !engine.isWatched($0) })
  }

  /// Whether a report's beacon is the phone's: by its name, its region's name, or as `uuid/major/minor`.
  private func isOwn(_ name: String) -> Bool {
    if name == settings.beacon || settings.entries.contains(name) { return true }
    let parts = name.split(separator: "/")
    guard parts.count == 3 else { return false }
    return settings.beaconKey == "ibeacon \(parts[0].replacing("-", with: "")) \(parts[1]) \(parts[2])"
  }

  /// Concludes what is due up to a time.
  mutating func advanceRecord(to time: MonotonicTime, into news: inout PhoneNews) {
    while let due = record.nextDeadline, due <= time {
      if record.step(at: due) { news.tell(.record(record, at: due)) }
    }
  }

  /// Continues with the record of a phone whose predictions began anew.
  mutating func take(_ earlier: PhoneRecord) {
    record = earlier
    record.forgetPresent()
  }
}

extension Pipeline {
  /// Publishes records that are held back because of their pace, because the run ends.
  package mutating func tellLastRecords(into output: inout Output) {
    for (place, record) in phones.takeUntoldRecords(at: time) {
      tell(record, at: time, of: phones.phones[place], into: &output)
    }
  }

  mutating func tell(
    _ record: PhoneRecord, at time: MonotonicTime, of phone: Phone, into output: inout Output
  ) {
    output.items.append(.state(.record(message(record, at: time, of: phone))))
    output.records[phone.settings.name] = .some(saved(record, of: phone))
  }

  func message(_ record: PhoneRecord, at time: MonotonicTime, of phone: Phone) -> RecordMessage {
    RecordMessage(
      phone: phone.settings.name, beacon: phone.settings.beacon, os: phone.settings.profile.os.name,
      strategy: phone.settings.profile.strategy.name, time: phone.wallTime(of: time), record: record,
      wallOffset: phone.wallOffset)
  }
}

/// Records of an earlier run.
extension Pipeline {
  /// The layout of the head before the record. The record itself is read by the names of its fields, because it outlives many
  /// versions.
  private static let recordLayout: UInt32 = 2
  private static let recordShape = StateShape(of: PhoneRecord())

  private func saved(_ record: PhoneRecord, of phone: Phone) -> [UInt8] {
    var coder = StateCoder.body
    coder.write(Self.recordLayout)
    for text in Self.identity(of: phone.settings) { coder.write(text) }
    coder.write(phone.wallOffset)
    coder.write(Self.recordShape)
    record.snapshot(into: &coder)
    return coder.written()
  }

  private static func identity(of phone: PhoneSettings) -> [String] {
    [phone.beacon, phone.profile.os.name, phone.profile.strategy.name]
  }

  /// Continues the records of phones that still have the same beacon, system and strategy; the others are forgotten.
  ///
  /// - Parameter records: by phone.
  package mutating func restore(
    records: [String: [UInt8]], isSameBoot: Bool, at time: MonotonicTime, wallTime: WallTime,
    into output: inout Output
  ) {
    if records.isEmpty { return }
    begin(at: time, wallTime: wallTime, into: &output)
    let wallOffset = wallTime - WallTime(nanoseconds: time.nanoseconds)
    for (name, octets) in records.sorted(by: { $0.key < $1.key }) {
      guard let place = phones.phones.firstIndex(where: { $0.settings.name == name }),
        let record = try? Self.record(
          octets, of: phones.phones[place].settings, isSameBoot ? nil : wallOffset)
      else {
        output.records[name] = .some(nil)
        continue
      }
      phones.restore(record, of: place)
    }
    // All states are published when the broker connects.
  }

  /// - Parameter wallOffset: of this boot; nil: it is the same boot.
  private static func record(
    _ octets: [UInt8], of phone: PhoneSettings, _ wallOffset: TimeSpan?
  ) throws(StateError) -> PhoneRecord {
    var coder = StateCoder(body: octets)
    let layout: UInt32 = try coder.read()
    guard layout == recordLayout else { throw .layout(layout) }
    for text in identity(of: phone) where try coder.read(String.self) != text { throw .configuration }
    let earlier: TimeSpan = try coder.read()
    let shape: StateShape = try coder.read()
    coder = StateCoder(body: try shape.rewrite(coder.rest, as: recordShape))
    if let wallOffset { coder.heirs = StateCoder.Heirs(clock: earlier - wallOffset) }
    var record = PhoneRecord()
    try record.restore(from: &coder)
    try coder.finish()
    return record
  }
}
