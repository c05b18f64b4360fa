import Beacons
import Core

/// The text format, with one JSON object per line. It is an advertisement `{"t": Unix seconds, "receiver": "hci0", "address":
/// "C1:…", "address_type": "random", "rssi": -72, "payload": "02011a…"}`, an observation with a beacon's key `{"t": …,
/// "receiver": "hall/hci0", "rssi": -72, "beacon": "ibeacon f29d… 1 2"}`, a receiver's health `{"t": …, "receiver": "hci0",
/// "health": "gone"}`, or a report of a phone's app `{"t": …, "phone": "anna", "report": "seen", "payload": "7b…"}`. Unknown keys
/// are ignored.
struct TextLines: Sendable {
  /// Longer than any advertisement. It keeps an endless line from filling the memory.
  static let longestLine = 1 << 16
  /// Bytes of a beacon's key, as in the observations of a gateway.
  static let longestKey = 200

  /// Whether a line that cannot be read is refused and the next one read, as from a receiver that goes on.
  var isLive = false
  /// Whether the rest of a line that is too long is skipped.
  private var isSkipping = false
  private var number: Int64 = 0
  /// How many of the unread bytes are known to contain no line end.
  private var searched = 0
  private var payload: [UInt8] = []
  /// The receiver in the previous line, whose name need not be looked up again.
  private var receiverName: [UInt8] = []
  private var receiver: ReceiverIndex?

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

  /// Reads one line and returns its length; 0 if it is incomplete. A line that is not an advertisement stays unread while
  /// advertisements are in the batch.
  mutating func read(
    _ bytes: Span<UInt8>, atEnd: Bool, into output: inout CaptureOutput
  ) throws(CaptureError) -> Int {
    var end = searched
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
    if isSkipping { return skip(bytes, to: end) }
    guard end <= Self.longestLine else {
      let error = CaptureError(
        .damaged, at: .line(number + 1),
        "the line is longer than \(Self.longestLine) bytes; is this the text form?")
      guard isLive else { throw error }
      output.refuse(error)
      isSkipping = true
      return skip(bytes, to: end)
    }
    guard end < bytes.count || (atEnd && end > 0) else {
      searched = end
      return 0
    }
    searched = 0
    var line = bytes.extracting(..<end)
    if number == 0, line.count >= 3, line[0] == 0xEF, line[1] == 0xBB, line[2] == 0xBF {
      line = line.extracting(3...)
    }
    do throws(JSONCursor.Malformed) {
      guard try read(line, into: &output) else { return 0 }
    } catch {
      let isCut = atEnd && end == bytes.count
      let error = CaptureError(
        isCut ? .truncated : .damaged, at: .line(number + 1),
        "column \(error.offset + 1): \(error.message)\(isCut ? "; the last line is cut short" : "")")
      guard isLive else { throw error }
      output.refuse(error)
    }
    number += 1
    return min(end + 1, bytes.count)
  }

  /// Skips the bytes of a line that is too long; returns how many.
  private mutating func skip(_ bytes: Span<UInt8>, to end: Int) -> Int {
    searched = 0
    guard end < bytes.count else { return end }
    isSkipping = false
    number += 1
    return end + 1
  }

  /// Returns false for a line that must wait.
  private mutating func read(
    _ line: Span<UInt8>, into output: inout CaptureOutput
  ) throws(JSONCursor.Malformed) -> Bool {
    var cursor = JSONCursor()
    guard cursor.peek(line) != nil else { return true }
    let fields = try TextFields(line)
    guard let time = fields.time else { throw missing(in: fields) }
    if let health = fields.health {
      guard output.batch.isEmpty else { return false }
      guard fields.receiver != nil else { throw missing("receiver", "a name such as \"hci0\"") }
      let receiver = try receiverIndex(fields, line, &output)
      output.set(health, of: receiver, reason: try reason(fields, line), wallTime: time)
      return true
    }
    if let kind = fields.report, let phone = fields.phone, fields.address == nil {
      guard output.batch.isEmpty else { return false }
      guard let digits = fields.payload else { throw missing("payload", "what the app sent, in hexadecimal") }
      guard (1...255).contains(phone.count) else {
        throw JSONCursor.Malformed(
          offset: phone.lowerBound, message: "a phone's name has between 1 and 255 bytes")
      }
      try readPayload(digits, line)
      output.append(
        AppReport(
          phone: try JSONString.decode(phone, of: line), kind: kind, payload: payload,
          isRetained: fields.isRetained, time: .zero, wallTime: time))
      return true
    }
    if let beacon = fields.beacon, !fields.isOfAdvertisement {
      guard output.batch.isEmpty else { return false }
      try readObservation(of: beacon, time, fields, line, into: &output)
      return true
    }
    guard let bits = fields.address, let kind = fields.addressKind, let digits = fields.payload,
      fields.receiver != nil
    else { throw missing(in: fields) }
    try readPayload(digits, line)
    let receiver = try receiverIndex(fields, line, &output)
    output.append(
      Advertisement(
        receiver: receiver, address: DeviceAddress(bits: bits, kind: kind), rssi: fields.rssi,
        txPower: fields.txPower, phy: fields.phy, isScanResponse: fields.isScanResponse, time: .zero,
        wallTime: time),
      payload: payload.span)
    return true
  }

  private mutating func readPayload(
    _ digits: Range<Int>, _ line: Span<UInt8>
  ) throws(JSONCursor.Malformed) {
    payload.removeAll(keepingCapacity: true)
    var index = digits.lowerBound
    while index < digits.upperBound {
      guard let high = hexadecimalDigit(line[index]), let low = hexadecimalDigit(line[index + 1]) else {
        throw JSONCursor.Malformed(offset: index, message: "the payload is not hexadecimal here")
      }
      payload.append(high << 4 | low)
      index += 2
    }
  }

  private mutating func readObservation(
    of beacon: Range<Int>, _ time: WallTime, _ fields: borrowing TextFields, _ line: Span<UInt8>,
    into output: inout CaptureOutput
  ) throws(JSONCursor.Malformed) {
    let receiver = try receiverIndex(fields, line, &output)
    // An escape needs up to six characters for each byte.
    let key = beacon.count <= 6 * Self.longestKey ? try JSONString.decode(beacon, of: line) : ""
    guard (1...Self.longestKey).contains(key.utf8.count) else {
      throw JSONCursor.Malformed(
        offset: beacon.lowerBound, message: "a beacon's key has between 1 and \(Self.longestKey) bytes")
    }
    output.append(
      Observation(
        key: key, receiver: receiver, rssi: fields.rssi, measuredPower: fields.measuredPower, time: .zero,
        wallTime: time))
  }

  private func missing(_ key: String, _ meaning: String) -> JSONCursor.Malformed {
    JSONCursor.Malformed(offset: 0, message: "\"\(key)\" is missing: \(meaning)")
  }

  /// The error for a line that lacks fields of an advertisement, or of a health change.
  private func missing(in fields: borrowing TextFields) -> JSONCursor.Malformed {
    var missing: [String] = []
    if fields.time == nil { missing.append("\"t\", the time in Unix seconds") }
    if fields.receiver == nil { missing.append("\"receiver\", a name such as \"hci0\"") }
    if fields.health == nil {
      if fields.address == nil { missing.append("\"address\", for example \"C1:00:00:00:00:01\"") }
      if fields.addressKind == nil { missing.append("\"address_type\", \"public\" or \"random\"") }
      if fields.payload == nil { missing.append("\"payload\", the AD structures in hexadecimal") }
    }
    return JSONCursor.Malformed(offset: 0, message: "missing: \(missing.joined(separator: "; "))")
  }

  private mutating func receiverIndex(
    _ fields: borrowing TextFields, _ line: Span<UInt8>, _ output: inout CaptureOutput
  ) throws(JSONCursor.Malformed) -> ReceiverIndex {
    guard let range = fields.receiver else { throw missing("receiver", "a name such as \"hci0\"") }
    if let receiver, range.count == receiverName.count {
      var offset = 0
      while offset < range.count, line[range.lowerBound + offset] == receiverName[offset] { offset += 1 }
      if offset == range.count { return receiver }
    }
    guard (1...255).contains(range.count) else {
      throw JSONCursor.Malformed(
        offset: range.lowerBound, message: "a receiver's name has between 1 and 255 bytes")
    }
    let text = try JSONString.decode(range, of: line)
    guard let index = output.receivers.index(of: text) else {
      throw JSONCursor.Malformed(
        offset: range.lowerBound, message: "more than \(ReceiverTable.limit) receivers in one recording")
    }
    receiverName.removeAll(keepingCapacity: true)
    receiverName.append(line.extracting(range))
    receiver = index
    return index
  }

  private func reason(
    _ fields: borrowing TextFields, _ line: Span<UInt8>
  ) throws(JSONCursor.Malformed) -> String {
    guard let reason = fields.reason else { return "" }
    return try JSONString.decode(reason, of: line)
  }
}
