import Beacons
import Messages
import Proximity

/// A transition as a row of table `waiting`.
extension TransitionMessage {
  /// The layout of the body, in its first byte.
  private static let layout: UInt64 = 1

  func insert(into database: Connection, row: Int64) throws(DatabaseError) {
    try database.execute(
      "INSERT INTO waiting (id, epoch, seq, body) VALUES (?, ?, ?, ?)", .integer(row),
      .integer(Int64(clamping: epoch)), .integer(Int64(clamping: sequence)), .blob(body))
  }

  private var body: [UInt8] {
    var writer = PackedWriter()
    writer.write(Self.layout)
    writer.write(transition.event.rawValue)
    writer.write(transition.wallTime.nanoseconds)
    writer.write(transition.time.nanoseconds)
    for name in [gateway, zone, beacon, receiver] { writer.write(name) }
    for number in [transition.distance, transition.distanceDeviation, transition.rssi] {
      writer.write(number != nil)
      if let number { writer.write(number) }
    }
    writer.write(transition.evidence.threshold)
    writer.write(transition.evidence.value)
    writer.write(transition.evidence.unit.rawValue)
    writer.write(Int64(transition.evidence.samples))
    writer.write(transition.evidence.dwell.nanoseconds)
    writer.write(transition.evidence.reason?.rawValue ?? "")
    return writer.sealed
  }

  /// nil for a row that is damaged or that this version cannot read. A column may hold any type. Zone, beacon
  /// and receiver are saved as names only, because indices are valid only within a run.
  init?(_ row: SQLRow) {
    guard let epoch = row["epoch"].int64, let sequence = row["seq"].int64, let body = row["body"].bytes,
      let message = try? TransitionMessage(
        body, epoch: UInt64(clamping: epoch), sequence: UInt64(clamping: sequence))
    else { return nil }
    self = message
  }

  private init(_ body: [UInt8], epoch: UInt64, sequence: UInt64) throws(PackedReader.Damaged) {
    var reader = try PackedReader(sealed: body)
    guard try reader.unsigned() == Self.layout, let event = Transition.Event(rawValue: try reader.text())
    else {
      throw PackedReader.Damaged()
    }
    let wallTime = WallTime(nanoseconds: try reader.signed())
    let time = MonotonicTime(nanoseconds: try reader.signed())
    let (gateway, zone) = (try reader.text(), try reader.text())
    let (beacon, receiver) = (try reader.text(), try reader.text())
    let distance = try reader.flag() ? try reader.double() : nil
    let deviation = try reader.flag() ? try reader.double() : nil
    let rssi = try reader.flag() ? try reader.double() : nil
    let (threshold, value) = (try reader.double(), try reader.double())
    guard let unit = Evidence.Unit(rawValue: try reader.text()),
      let samples = Int(exactly: try reader.signed())
    else { throw PackedReader.Damaged() }
    let dwell = TimeSpan(nanoseconds: try reader.signed())
    let why = try reader.text()
    let reason = Evidence.Reason(rawValue: why)
    guard reason != nil || why.isEmpty, reader.isAtEnd else { throw PackedReader.Damaged() }
    self.init(
      transition: Transition(
        event: event, zone: ZoneIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1), time: time,
        wallTime: wallTime, distance: distance, distanceDeviation: deviation, rssi: rssi,
        evidence: Evidence(
          threshold: threshold, value: value, unit: unit, samples: samples, dwell: dwell,
          receiver: ReceiverIndex(rawValue: 0), reason: reason)),
      epoch: epoch, sequence: sequence, gateway: gateway, zone: zone, beacon: beacon, receiver: receiver)
  }
}
