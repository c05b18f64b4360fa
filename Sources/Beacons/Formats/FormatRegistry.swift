import Core

/// The formats; `FrameDecoder` chooses among them. CONTRIBUTING.md shows how to add a sensor's format.
public enum FormatRegistry {
  /// Sensors: one line each.
  package static let sensors = SensorFormats(
    [
      .ruuvi3,
      .ruuvi5,
      .ruuvi6,
      .ruuviE1,
      .atc,
      .pvvx,
      .atcSealed,
      .pvvxSealed,
      .bParasite,
      .bParasiteWithLight,
      .bParasite2,
      .bParasite2WithLight,
      .miBeacon,
      .qingping,
    ] + SensorFormat.bthome1 + SensorFormat.govee + SensorFormat.switchBot + SensorFormat.thermometers
      + SensorFormat.sensorBeacons
      + SensorFormat.minew + SensorFormat.beaconMakers + SensorFormat.household + SensorFormat.kitchen)

  /// Sensors that their number does not identify: one line each. They are tried in order, after everything else.
  package static let sensorsBySender: [SensorFormat] =
    SensorFormat.goveeBySender + SensorFormat.switchBotMore + SensorFormat.switchBotTabled + SensorFormat.kkm
    + SensorFormat.thermometersBySender + SensorFormat.householdBySender

  /// A payload of each format, trackers included, in hexadecimal digits, with the name of the format in JSON.
  public static let samples: [(format: String, payload: String)] =
    [
      ("ibeacon", IBeacon.sample), ("altbeacon", AltBeacon.sample), ("eddystone-uid", EddystoneUID.sample),
      ("eddystone-url", EddystoneURL.sample), ("eddystone-tlm", EddystoneTLM.sample),
      ("eddystone-tlm", EddystoneEncryptedTLM.sample), ("eddystone-eid", EddystoneEID.sample),
      ("bthome", BTHome.sample), ("bthome", BTHome.encryptedSample),
      ("exposure-notification", ExposureNotification.sample),
    ] + IBeacon.models.map { ("ibeacon", $0.sample) }
    + (sensors.all + sensorsBySender).map { ($0.name, $0.sample) }
    + Noise.samples.map { ("noise", $0.payload) }
}

/// Formats of sensors, found by their number, the first octet and the length of their data.
package final class SensorFormats: Sendable {
  private struct Row: Sendable {
    var number: UInt32
    var first: UInt8?
    var frame: SensorFrame
  }

  package let all: [SensorFormat]
  /// The row for a number is at its hash, or in the next free place after that. At most a quarter is occupied.
  private let rows: [Row?]

  package init(_ formats: [SensorFormat]) {
    all = formats
    var size = 64
    while size < 4 * formats.count { size *= 2 }
    var rows = [Row?](repeating: nil, count: size)
    for format in formats {
      let number = Self.number(format.place)
      var row = Self.home(number) & (size - 1)
      while rows[row] != nil { row = (row + 1) & (size - 1) }
      rows[row] = Row(number: number, first: format.first, frame: SensorFrame(format))
    }
    self.rows = rows
  }

  @inline(__always) private static func number(_ place: SensorFormat.Place) -> UInt32 {
    switch place {
    case .manufacturer(let company): UInt32(company)
    case .service(let uuid): 0x1_0000 | UInt32(uuid)
    case .unnumbered: 0x2_0000
    }
  }

  @inline(__always) private static func home(_ number: UInt32) -> Int {
    Int(truncatingIfNeeded: number ^ number &>> 6 ^ number &>> 11)
  }

  /// The format for a number, a first octet and a length.
  @inline(__always)
  package func frame(in place: SensorFormat.Place, _ data: Span<UInt8>, first: UInt8) throws(Decline)
    -> SensorFrame
  {
    let number = Self.number(place)
    var place = Self.home(number) & (rows.count - 1)
    var reason = Decline.noDecoder
    while let row = rows[place] {
      place = (place + 1) & (rows.count - 1)
      if row.number != number { continue }
      if let octet = row.first, octet != first {
        if reason == .noDecoder { reason = .unknownFrameType(first) }
      } else if let decline = row.frame.decline(data) {
        reason = decline
      } else {
        return row.frame
      }
    }
    throw reason
  }
}

extension [SensorFormat] {
  /// The first format that the sender uses, and the range of its data; nil: none.
  ///
  /// - Parameter structure: the data of an AD structure, with the number of the format.
  package func first(
    in place: SensorFormat.Place, _ structure: Span<UInt8>, context: borrowing FormatContext
  ) -> (SensorFormat, data: Range<Int>)? {
    for format in self {
      let start: Int
      switch (format.place, place) {
      case (place, _): start = 2
      case (.unnumbered, .manufacturer): start = 0
      default: continue
      }
      let data = structure.extracting(start...)
      if let first = format.first, data.isEmpty || data[0] != first { continue }
      if format.decline(data) == nil, format.isSent(data, context) {
        return (format, start..<structure.count)
      }
    }
    return nil
  }
}
