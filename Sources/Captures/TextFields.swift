import Beacons
import Core

/// The fields of one line of the text form, each checked.
struct TextFields {
  var time: WallTime?
  var receiver: Range<Int>?
  var address: UInt64?
  var addressKind: DeviceAddress.Kind?
  var rssi: Int8?
  /// The position of the hexadecimal digits in the line; their number is even.
  var payload: Range<Int>?
  var txPower: Int8?
  var phy = PHY.le1M
  var isScanResponse = false
  /// See `Observation`.
  var beacon: Range<Int>?
  var measuredPower: Int8?
  var health: ReceiverHealth?
  var reason: Range<Int>?
  /// See `AppReport`.
  var phone: Range<Int>?
  var report: AppReport.Kind?
  var isRetained = false

  /// Whether it has a field that only advertisements have. Then `beacon` is another program's field.
  var isOfAdvertisement: Bool { address != nil || addressKind != nil || payload != nil }

  private enum Key: UInt16, CaseIterable {
    case time, receiver, address, addressKind, rssi, payload, txPower, phy, scanResponse
    case beacon, measuredPower
    case health, reason
    case phone, report, retained

    var name: StaticString {
      switch self {
      case .time: "t"
      case .receiver: "receiver"
      case .address: "address"
      case .addressKind: "address_type"
      case .rssi: "rssi"
      case .payload: "payload"
      case .txPower: "tx_power"
      case .phy: "phy"
      case .scanResponse: "scan_response"
      case .beacon: "beacon"
      case .measuredPower: "measured_power"
      case .health: "health"
      case .reason: "reason"
      case .phone: "phone"
      case .report: "report"
      case .retained: "retained"
      }
    }
  }

  /// The longest extended advertisement (Core Specification, Vol 6, Part B, 4.4.2.4).
  static let longestPayload = 1650

  init(_ bytes: Span<UInt8>) throws(JSONCursor.Malformed) {
    var cursor = JSONCursor()
    try cursor.expect("{", bytes, "an object { … } belongs on each line")
    if !cursor.take("}", bytes) {
      var seen: UInt16 = 0
      repeat {
        let name = try cursor.string(bytes)
        try cursor.expect(":", bytes, "a colon belongs between key and value")
        guard let key = Self.key(bytes.extracting(name)) else {
          try cursor.skipValue(bytes)
          continue
        }
        let bit: UInt16 = 1 << key.rawValue
        guard seen & bit == 0 else { throw cursor.malformed("\"\(key.name)\" is given twice in this line") }
        seen |= bit
        try read(key, &cursor, bytes)
      } while cursor.take(",", bytes)
      try cursor.expect("}", bytes, "a comma or a closing brace belongs here")
    }
    guard cursor.peek(bytes) == nil else { throw cursor.malformed("something follows the object") }
  }

  private mutating func read(
    _ key: Key, _ cursor: inout JSONCursor, _ bytes: Span<UInt8>
  ) throws(JSONCursor.Malformed) {
    switch key {
    case .time:
      guard let nanoseconds = try cursor.number(bytes).scaled(byPowerOf10: 9) else {
        throw cursor.malformed("\"t\" is not a time in Unix seconds that fits")
      }
      time = WallTime(nanoseconds: nanoseconds)
    case .receiver: receiver = try cursor.string(bytes)
    case .address: address = try Self.address(&cursor, bytes)
    case .addressKind:
      switch try cursor.word(bytes) {
      case "public": addressKind = .public
      case "random": addressKind = .random
      case let other: throw cursor.malformed("\"address_type\" is \"public\" or \"random\", not \"\(other)\"")
      }
    case .rssi: rssi = try Self.power("rssi", &cursor, bytes)
    case .payload:
      let digits = try cursor.string(bytes)
      guard digits.count % 2 == 0, digits.count <= 2 * Self.longestPayload else {
        throw cursor.malformed("the payload has \(digits.count) digits; two make a byte, 3300 are the most")
      }
      payload = digits
    case .txPower: txPower = try Self.power("tx_power", &cursor, bytes)
    case .phy:
      switch try cursor.word(bytes) {
      case "1m": phy = .le1M
      case "2m": phy = .le2M
      case "coded": phy = .leCoded
      case let other: throw cursor.malformed("\"phy\" is \"1m\", \"2m\" or \"coded\", not \"\(other)\"")
      }
    case .scanResponse:
      if cursor.takeWord("true", bytes) {
        isScanResponse = true
      } else if !cursor.takeWord("false", bytes) {
        throw cursor.malformed("\"scan_response\" is true or false")
      }
    case .beacon: beacon = try cursor.string(bytes)
    case .measuredPower: measuredPower = try Self.power("measured_power", &cursor, bytes)
    case .health:
      let word = try cursor.word(bytes)
      guard let known = ReceiverHealth(rawValue: word) else {
        let states = ReceiverHealth.allCases.map(\.rawValue).joined(separator: ", ")
        throw cursor.malformed("\"health\" is one of \(states), not \"\(word)\"")
      }
      health = known
    case .reason: reason = try cursor.string(bytes)
    case .phone: phone = try cursor.string(bytes)
    case .report:
      let word = try cursor.word(bytes)
      guard let kind = AppReport.Kind(rawValue: word) else {
        throw cursor.malformed("\"report\" is \"set\" or \"seen\", not \"\(word)\"")
      }
      report = kind
    case .retained:
      if cursor.takeWord("true", bytes) {
        isRetained = true
      } else if !cursor.takeWord("false", bytes) {
        throw cursor.malformed("\"retained\" is true or false")
      }
    }
  }

  private static func key(_ name: Span<UInt8>) -> Key? {
    for key in Key.allCases where name.equals(key.name) { return key }
    return nil
  }

  /// dBm; nil for null and for 127, which means "unknown" in HCI.
  private static func power(
    _ name: StaticString, _ cursor: inout JSONCursor, _ bytes: Span<UInt8>
  ) throws(JSONCursor.Malformed) -> Int8? {
    if cursor.takeWord("null", bytes) { return nil }
    guard let value = try cursor.number(bytes).wholeNumber.flatMap({ Int8(exactly: $0) }) else {
      throw cursor.malformed("\"\(name)\" is a whole number of dBm between -128 and 127")
    }
    return value == 127 ? nil : value
  }

  private static func address(
    _ cursor: inout JSONCursor, _ bytes: Span<UInt8>
  ) throws(JSONCursor.Malformed) -> UInt64 {
    let range = try cursor.string(bytes)
    guard range.count == 17 else { throw cursor.malformed("an address is written C1:00:00:00:00:01") }
    var bits: UInt64 = 0
    for offset in 0..<17 {
      let character = bytes[range.lowerBound + offset]
      if offset % 3 == 2 {
        guard character == UInt8(ascii: ":") || character == UInt8(ascii: "-") else {
          throw cursor.malformed("an address is written C1:00:00:00:00:01")
        }
      } else if let digit = hexadecimalDigit(character) {
        bits = bits << 4 | UInt64(digit)
      } else {
        throw cursor.malformed("an address is written C1:00:00:00:00:01")
      }
    }
    return bits
  }
}

extension JSONCursor {
  /// A short string as text.
  mutating func word(_ bytes: Span<UInt8>) throws(Malformed) -> String {
    let raw = try string(bytes)
    guard raw.count <= 64 else { throw malformed("the string is too long") }
    return try JSONString.decode(raw, of: bytes)
  }
}
