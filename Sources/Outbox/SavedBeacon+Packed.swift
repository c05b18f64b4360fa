import Pipeline

// `withoutActuallyEscaping` compiles the length of the file's path into the program. A package must have the same bytes
// wherever it was built.
#sourceLocation(file:"SavedBeacon.swift",line:7)
/// A saved beacon as a row of the outbox.
extension SavedBeacon {
  /// Identifies which fields are written in which order. Increment it whenever they change, here or in the engine. Rows of
  /// another layout are skipped.
  static let layout: Int64 = 4

  /// - Parameter number: returns the number for a long text; see `PackedEncoder`.
  func packed(number: (String) -> Int64) throws -> [UInt8] {
    try withoutActuallyEscaping(number) { number in
      let encoder = PackedEncoder(number: number)
      try encoder.write(Self.layout)
      try encode(to: encoder)
      return encoder.writer.sealed
    }
  }

  /// nil for damaged data, or for another layout.
  ///
  /// - Parameter text: returns the long text for a number.
  init?(packed octets: [UInt8], text: (Int64) -> String?) {
    let beacon: SavedBeacon? = withoutActuallyEscaping(text) { text in
      guard let reader = try? PackedReader(sealed: octets) else { return nil }
      let decoder = PackedDecoder(reader, text: text)
      guard let layout = try? decoder.read(Int64.self), layout == Self.layout else { return nil }
      return try? SavedBeacon(from: decoder)
    }
    guard let beacon, beacon.isSound else { return nil }
    self = beacon
  }
}
