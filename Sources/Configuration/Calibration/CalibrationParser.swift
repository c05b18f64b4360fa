import Core
import Proximity

/// Reads a calibration octet by octet. Unknown members are skipped, so that a later version may add some.
struct CalibrationParser {
  typealias Malformed = JSONCursor.Malformed

  private static let nameLimit = 256
  static let sampleLimit = 200_000
  private static let levelLimit = 128

  let bytes: [UInt8]
  var cursor = JSONCursor()
  private var sampleCount = 0
  /// Receivers read so far, also those of an earlier `receivers` in the same file.
  private var names: Set<String> = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func file() throws(Malformed) -> CalibrationFile {
    var account = CalibrationAccount(
      time: WallTime(nanoseconds: 0), version: "", beacon: "", stays: [], heldOut: nil)
    var calibration = RoomCalibration(wallLoss: 0)
    var (first, missing) = (true, Set(["v", "time", "rooms", "receivers", "wall_loss_db"]))
    while let key = try nextKey(&first) {
      missing.remove(key)
      switch key {
      case "v":
        guard try number(in: 0...1e6) == 1 else {
          throw malformed("this is no calibration of version 1, which this Beaconkeeper reads")
        }
      case "time": account.time = try time()
      case "version": account.version = try name()
      case "beacon": account.beacon = try name()
      case "measured_power_dbm": calibration.measuredPower = try optionalNumber(in: -150...50)
      case "rooms": account.stays = try stays()
      case "held_out": account.heldOut = try heldOut()
      case "wall_loss_db": calibration.wallLoss = try number(in: 0...40)
      case "visits": calibration.visits = try visits()
      case "receivers": try receivers(into: &calibration, &account)
      default: try skipValue()
      }
    }
    guard isAtEnd() else { throw malformed("nothing may follow the object") }
    if let name = missing.min() { throw malformed("\(name) is missing") }
    return CalibrationFile(calibration, account)
  }

  private mutating func stays() throws(Malformed) -> [CalibrationAccount.Stay] {
    var (first, stays) = (true, [CalibrationAccount.Stay]())
    while try nextElement(&first) {
      guard stays.count < RoomPlan.mappedLimit else {
        throw malformed("more than \(RoomPlan.mappedLimit) rooms")
      }
      var (first, stay) = (true, CalibrationAccount.Stay(room: "", seconds: 0))
      while let key = try nextKey(&first) {
        switch key {
        case "room": stay.room = try name()
        case "seconds": stay.seconds = try number(in: 0...1e6)
        case "receivers":
          var first = true
          while try nextElement(&first) {
            guard stay.receivers.count < RoomPlan.mappedLimit else {
              throw malformed("more than \(RoomPlan.mappedLimit) receivers")
            }
            stay.receivers.append(try name())
          }
        default: try skipValue()
        }
      }
      stays.append(stay)
    }
    return stays
  }

  private mutating func heldOut() throws(Malformed) -> CalibrationAccount.HeldOut? {
    if takeNull() { return nil }
    var (first, result) = (true, CalibrationAccount.HeldOut(right: 0, changes: 0, trueChanges: 0, delay: nil))
    while let key = try nextKey(&first) {
      switch key {
      case "right": result.right = try number(in: 0...1)
      case "changes": result.changes = Int(try number(in: 0...1e6))
      case "true_changes": result.trueChanges = Int(try number(in: 0...1e6))
      case "median_delay_s": result.delay = try optionalNumber(in: 0...1e6)
      default: try skipValue()
      }
    }
    return result
  }

  private mutating func receivers(
    into calibration: inout RoomCalibration, _ account: inout CalibrationAccount
  ) throws(Malformed) {
    var first = true
    while try nextElement(&first) {
      guard names.count < RoomPlan.mappedLimit else {
        throw malformed("more than \(RoomPlan.mappedLimit) receivers")
      }
      var receiver = RoomCalibration.Receiver(name: "", power: 0, exponent: 0)
      var (first, hasPower, hasExponent) = (true, false, false)
      var position: Position?
      var (samples, histograms) = ([RoomCalibration.Sample](), [RoomCalibration.Histogram]())
      while let key = try nextKey(&first) {
        switch key {
        case "receiver": receiver.name = try name()
        case "power_dbm": (receiver.power, hasPower) = (try number(in: -200...100), true)
        case "exponent": (receiver.exponent, hasExponent) = (try number(in: 0...10), true)
        case "position_m": position = try self.position()
        case "maps": samples = try maps()
        case "levels": histograms = try levels()
        default: try skipValue()
        }
      }
      guard !receiver.name.isEmpty, names.insert(receiver.name).inserted else {
        throw malformed(
          receiver.name.isEmpty ? "a receiver without name" : "a receiver that is there already")
      }
      guard hasPower == hasExponent else { throw malformed("power_dbm and exponent belong together") }
      account.positions[receiver.name] = position
      if hasPower { calibration.receivers.append(receiver) }
      for index in samples.indices { samples[index].receiver = receiver.name }
      for index in histograms.indices { histograms[index].receiver = receiver.name }
      calibration.samples += samples
      calibration.histograms += histograms
    }
  }

  private mutating func position() throws(Malformed) -> Position {
    let words = "a position is [x, y, z]"
    var place = Position(x: 0, y: 0)
    try expect("[", words)
    place.x = try number(in: -1e5...1e5)
    try expect(",", words)
    place.y = try number(in: -1e5...1e5)
    try expect(",", words)
    place.z = try number(in: -1e5...1e5)
    try expect("]", words)
    return place
  }

  /// By floor, the points of the walk.
  private mutating func maps() throws(Malformed) -> [RoomCalibration.Sample] {
    var (first, samples) = (true, [RoomCalibration.Sample]())
    while try nextElement(&first) {
      var (first, start, floor) = (true, samples.count, String?.none)
      while let key = try nextKey(&first) {
        switch key {
        case "floor": floor = try optionalName()
        case "points": try points(into: &samples)
        default: try skipValue()
        }
      }
      while start < samples.count {
        samples[start].floor = floor
        start += 1
      }
    }
    return samples
  }

  private mutating func points(into samples: inout [RoomCalibration.Sample]) throws(Malformed) {
    var first = true
    while try nextElement(&first) {
      sampleCount += 1
      guard sampleCount <= Self.sampleLimit else { throw malformed("more than \(Self.sampleLimit) points") }
      var sample = RoomCalibration.Sample(receiver: "", x: 0, y: 0, level: 0, spread: 0, weight: 0)
      try expect("[", "a point is [x, y, level, spread, weight]")
      sample.x = try number(in: -1e5...1e5)
      try comma()
      sample.y = try number(in: -1e5...1e5)
      try comma()
      sample.level = try number(in: -150...50)
      try comma()
      sample.spread = try number(in: 0...100)
      try comma()
      sample.weight = try number(in: 0...1e6)
      try expect("]", "a point is [x, y, level, spread, weight]")
      samples.append(sample)
    }
  }

  /// How long the walk was in each room, or by floor at each point.
  private mutating func visits() throws(Malformed) -> [RoomCalibration.Visit] {
    var (first, visits) = (true, [RoomCalibration.Visit]())
    while try nextElement(&first) {
      var (first, start, visit) = (true, visits.count, RoomCalibration.Visit(weight: 0))
      while let key = try nextKey(&first) {
        switch key {
        case "room": visit.room = try name()
        case "seconds": visit.weight = try number(in: 0...1e6)
        case "floor": visit.floor = try optionalName()
        case "points": try visited(into: &visits)
        default: try skipValue()
        }
      }
      if visit.room != nil {
        guard visits.count == start else { throw malformed("a visit has a room or points") }
        visits.append(visit)
      }
      guard visits.count <= Self.sampleLimit else { throw malformed("more than \(Self.sampleLimit) visits") }
      while start < visits.count {
        visits[start].floor = visit.floor
        start += 1
      }
    }
    return visits
  }

  private mutating func visited(into visits: inout [RoomCalibration.Visit]) throws(Malformed) {
    let words = "a point of a visit is [x, y, seconds]"
    var first = true
    while try nextElement(&first) {
      guard visits.count < Self.sampleLimit else { throw malformed("more than \(Self.sampleLimit) visits") }
      var visit = RoomCalibration.Visit(weight: 0)
      try expect("[", words)
      visit.x = try number(in: -1e5...1e5)
      try expect(",", words)
      visit.y = try number(in: -1e5...1e5)
      try expect(",", words)
      visit.weight = try number(in: 0...1e6)
      try expect("]", words)
      visits.append(visit)
    }
  }

  private mutating func comma() throws(Malformed) {
    try expect(",", "a point is [x, y, level, spread, weight]")
  }

  private mutating func levels() throws(Malformed) -> [RoomCalibration.Histogram] {
    var (first, histograms) = (true, [RoomCalibration.Histogram]())
    while try nextElement(&first) {
      guard histograms.count < RoomPlan.mappedLimit else {
        throw malformed("more than \(RoomPlan.mappedLimit) rooms")
      }
      var (first, histogram) = (
        true, RoomCalibration.Histogram(receiver: "", room: "", lowest: 0, counts: [])
      )
      while let key = try nextKey(&first) {
        switch key {
        case "room": histogram.room = try name()
        case "from_dbm": histogram.lowest = Int(try number(in: -127...20))
        case "counts":
          var first = true
          while try nextElement(&first) {
            guard histogram.counts.count < Self.levelLimit else {
              throw malformed("more than \(Self.levelLimit) levels")
            }
            histogram.counts.append(try number(in: 0...1e6))
          }
        default: try skipValue()
        }
      }
      histograms.append(histogram)
    }
    return histograms
  }

  func malformed(_ message: String) -> Malformed { cursor.malformed(message) }

  private mutating func time() throws(Malformed) -> WallTime {
    guard let time = WallTime(rfc3339: try name()) else { throw malformed("this is no time in RFC 3339") }
    return time
  }

  private mutating func optionalName() throws(Malformed) -> String? {
    takeNull() ? nil : try name()
  }

  private mutating func name() throws(Malformed) -> String {
    let name = try string()
    guard name.utf8.count <= Self.nameLimit else {
      throw malformed("the text is longer than \(Self.nameLimit) bytes")
    }
    return name
  }
}

/// Objects, arrays and numbers within bounds.
extension CalibrationParser {
  /// The name of an object's next member; nil at its end. `first` is true before the first call.
  mutating func nextKey(_ first: inout Bool) throws(Malformed) -> String? {
    guard try next(&first, "{", "}") else { return nil }
    let key = try string()
    try expect(":", "a colon belongs after the name")
    return key
  }

  /// Whether another element of an array follows.
  mutating func nextElement(_ first: inout Bool) throws(Malformed) -> Bool { try next(&first, "[", "]") }

  private mutating func next(
    _ first: inout Bool, _ open: Unicode.Scalar, _ close: Unicode.Scalar
  ) throws(Malformed) -> Bool {
    let bytes = bytes
    if first { try expect(open, "\(open) belongs here") }
    if cursor.take(close, bytes.span) { return false }
    if !first { try expect(",", "a comma or \(close) belongs here") }
    first = false
    return true
  }

  mutating func optionalNumber(in range: ClosedRange<Double>) throws(Malformed) -> Double? {
    takeNull() ? nil : try number(in: range)
  }

  /// With at most six decimals; further ones are rounded.
  mutating func number(in range: ClosedRange<Double>) throws(Malformed) -> Double {
    let bytes = bytes
    _ = cursor.peek(bytes.span)
    let start = cursor.position
    guard let millionths = try cursor.number(bytes.span).scaled(byPowerOf10: 6),
      case let number = Double(millionths) / 1e6, range.contains(number)
    else {
      throw Malformed(
        offset: start, message: "the number is not from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func expect(_ character: Unicode.Scalar, _ message: String) throws(Malformed) {
    let bytes = bytes
    try cursor.expect(character, bytes.span, message)
  }

  mutating func string() throws(Malformed) -> String {
    let bytes = bytes
    return try JSONString.decode(cursor.string(bytes.span), of: bytes.span)
  }

  mutating func takeNull() -> Bool {
    let bytes = bytes
    return cursor.takeWord("null", bytes.span)
  }

  mutating func skipValue() throws(Malformed) {
    let bytes = bytes
    try cursor.skipValue(bytes.span)
  }

  mutating func isAtEnd() -> Bool {
    let bytes = bytes
    return cursor.peek(bytes.span) == nil
  }
}
