import CZstd

/// Compression with libzstd, in one frame (RFC 8878). A state has many zeros and much that is alike: a quarter of it is left.
enum Zstandard {
  /// The fastest of the usual ones. Higher ones take longer and leave no less of a state.
  private static let level: Int32 = 1

  static func compress(_ octets: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(octets.count)) { room, count in
      count = octets.withUnsafeBytes {
        ZSTD_compress(room.baseAddress, room.count, $0.baseAddress, $0.count, level)
      }
      // It fails where there is too little room or memory. There is enough room.
      precondition(ZSTD_isError(count) == 0, "out of memory")
    }
  }

  /// - Parameter limit: so long may it become, in octets. Up to this, what the frame says of its length is believed.
  /// - Returns: nil: it is damaged, or longer than the limit.
  static func decompress(_ octets: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    octets.withUnsafeBytes { frame in
      // Where the length is unknown, or there is no frame, it is a number near 2⁶⁴.
      guard let length = Int(exactly: ZSTD_getFrameContentSize(frame.baseAddress, frame.count)),
        length <= limit
      else { return nil }
      var isWhole = false
      let octets = [UInt8](unsafeUninitializedCapacity: length) { room, count in
        let end = ZSTD_decompress(room.baseAddress, room.count, frame.baseAddress, frame.count)
        isWhole = end == length
        count = isWhole ? length : 0
      }
      return isWhole ? octets : nil
    }
  }
}
