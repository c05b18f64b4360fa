/// What rooms learnt of their receivers, as a value in the outbox.
struct ReceiverGainRow {
  /// dB, by receiver.
  var gains: [String: Double]

  init(gains: [String: Double]) { self.gains = gains }

  init(packed octets: [UInt8]) throws(PackedReader.Damaged) {
    var reader = try PackedReader(sealed: octets)
    gains = [:]
    while !reader.isAtEnd { gains[try reader.text()] = try reader.finite() }
  }

  var packed: [UInt8] {
    var writer = PackedWriter()
    for (receiver, gain) in gains.sorted(by: { $0.key < $1.key }) {
      writer.write(receiver)
      writer.write(gain)
    }
    return writer.sealed
  }
}
