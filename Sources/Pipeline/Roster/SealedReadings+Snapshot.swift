import BeaconKeys
import Beacons
import Messages

extension SealedReadings {
  func snapshot(into writer: inout StateWriter) {
    for count in [counts.noKey, counts.wrongKey, counts.replayed, counts.unencrypted] { writer.write(count) }
    writer.write(notices)
    writer.count(told.count)
    for told in told.sorted(by: { ($0.beacon, $0.refusal.code) < ($1.beacon, $1.refusal.code) }) {
      writer.write(told.beacon)
      writer.write(told.refusal.code)
    }
    writer.count(decryptors.count)
    for (beacon, decryptor) in decryptors.sorted(by: { $0.key < $1.key }) {
      writer.write(beacon)
      decryptor.snapshot(into: &writer)
    }
    ledger.snapshot(into: &writer)
  }

  /// - Parameter key: the bind key of a beacon.
  mutating func restore(from reader: inout StateReader, key: (BeaconIndex) -> SecretKey?) throws(StateError) {
    reader.part = "encrypted readings"
    counts.noKey = try reader.tally()
    counts.wrongKey = try reader.tally()
    counts.replayed = try reader.tally()
    counts.unencrypted = try reader.tally()
    notices = try reader.read()
    for _ in 0..<(try reader.count()) {
      let (beacon, code): (String, UInt8) = (try reader.read(), try reader.read())
      guard let refusal = Refusal(code: code) else { throw reader.damaged }
      told.insert(Told(beacon: beacon, refusal: refusal))
    }
    for _ in 0..<(try reader.count()) {
      let beacon: BeaconIndex = try reader.read()
      guard let key = key(beacon), decryptors[beacon] == nil else { throw reader.damaged }
      var decryptor = BTHomeDecryptor(key: key)
      try decryptor.restore(from: &reader)
      decryptors[beacon] = decryptor
    }
    try ledger.restore(from: &reader)
  }
}

extension SealedReadings.Refusal {
  fileprivate static let all: [Self] = [.noKey, .wrongKey, .replayed, .unencrypted]
  fileprivate var code: UInt8 { UInt8(Self.all.firstIndex(of: self) ?? 0) }
  fileprivate init?(code: UInt8) {
    guard Self.all.indices.contains(Int(code)) else { return nil }
    self = Self.all[Int(code)]
  }
}
