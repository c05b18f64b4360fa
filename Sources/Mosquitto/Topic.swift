import CMosquitto

/// What may stand in a topic (MQTT 5.0 section 4.7).
enum Topic {
  /// Why nobody can publish to this topic; `nil` if all is well.
  static func refusal(ofName topic: String) -> String? {
    refusal(of: topic) { mosquitto_pub_topic_check2($0, $1) }
  }

  /// Why nobody can subscribe to this filter; `nil` if all is well.
  static func refusal(ofFilter filter: String) -> String? {
    refusal(of: filter) { mosquitto_sub_topic_check2($0, $1) }
  }

  private static func refusal(
    of topic: String, check: (UnsafePointer<CChar>, Int) -> Int32
  ) -> String? {
    let bytes = topic.utf8
    // So is nearly every topic.
    if !bytes.isEmpty, bytes.count <= 65535, isPlain(bytes.span) { return nil }
    if bytes.isEmpty { return "is empty" }
    if bytes.count > 65535 { return "is longer than 65535 bytes" }
    // A C string would end at a NUL, in the middle of the topic.
    if bytes.contains(0) { return "contains a NUL" }
    return topic.withCString { pointer -> String? in
      if check(pointer, bytes.count) != MOSQ_ERR_SUCCESS.code { return "has a misplaced + or #" }
      if mosquitto_validate_utf8(pointer, Int32(bytes.count)) != MOSQ_ERR_SUCCESS.code {
        return "contains a control character"
      }
      return nil
    }
  }

  /// Whether there are nothing but visible characters of ASCII and spaces, no wildcard among them.
  private static func isPlain(_ topic: Span<UInt8>) -> Bool {
    // All are looked at: without a way out at each octet, many are compared at once.
    var strange: UInt8 = 0
    for index in topic.indices {
      let unit = topic[index]
      strange |= unit < 0x20 || unit >= 0x7F || unit == UInt8(ascii: "+") || unit == UInt8(ascii: "#") ? 1 : 0
    }
    return strange == 0
  }
}
