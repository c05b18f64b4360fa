import CMosquitto

/// Which topics and filters are valid (MQTT 5.0 section 4.7).
enum Topic {
  /// Why the topic is invalid for publishing; nil if it is valid.
  static func refusal(ofName topic: String) -> String? {
    refusal(of: topic) { mosquitto_pub_topic_check2($0, $1) }
  }

  /// Why the filter is invalid; nil if it is valid.
  static func refusal(ofFilter filter: String) -> String? {
    refusal(of: filter) { mosquitto_sub_topic_check2($0, $1) }
  }

  private static func refusal(
    of topic: String, check: (UnsafePointer<CChar>, Int) -> Int32
  ) -> String? {
    // A fast check that almost every topic passes.
    if 1...65535 ~= topic.utf8.count, isPlain(topic.utf8.span) { return nil }
    let bytes = topic.utf8
    if bytes.isEmpty { return "is empty" }
    if bytes.count > 65535 { return "is longer than 65535 bytes" }
    // A NUL would end the C string within the topic.
    if bytes.contains(0) { return "contains a NUL" }
    return topic.withCString { pointer -> String? in
      if check(pointer, bytes.count) != MOSQ_ERR_SUCCESS.code { return "has a misplaced + or #" }
      if mosquitto_validate_utf8(pointer, Int32(bytes.count)) != MOSQ_ERR_SUCCESS.code {
        return "contains a control character"
      }
      return nil
    }
  }

  /// Whether the topic consists of visible ASCII characters and spaces only, without wildcards.
  private static func isPlain(_ topic: Span<UInt8>) -> Bool {
    var index = 0
    while index + 8 <= topic.count {
      let eight = topic.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      if isStrange(eight) { return false }
      index += 8
    }
    while index < topic.count {
      // Padded with spaces.
      if isStrange(UInt64(topic[index]) | 0x2020_2020_2020_2000) { return false }
      index += 1
    }
    return true
  }

  /// Whether any of eight bytes is a wildcard, or not visible ASCII. All are tested at once: with the top bit of each byte set, a
  /// subtraction borrows from that bit and never from the neighbouring byte, so the bit shows the result.
  private static func isStrange(_ octets: UInt64) -> Bool {
    let (ones, signs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let isASCII = ~octets
    let isVisible = (octets | signs) &- 0x20 * ones
    let isNoDelete = ((octets ^ 0x7F * ones) | signs) &- ones
    let isNoPlus = ((octets ^ UInt64(UInt8(ascii: "+")) * ones) | signs) &- ones
    let isNoHash = ((octets ^ UInt64(UInt8(ascii: "#")) * ones) | signs) &- ones
    return isASCII & isVisible & isNoDelete & isNoPlus & isNoHash & signs != signs
  }
}
