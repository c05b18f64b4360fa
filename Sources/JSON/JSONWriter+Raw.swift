extension JSONWriter {
  /// A value that is JSON text already.
  public mutating func value(json: [UInt8]) {
    element(octets: json.count) { text in
      for octet in json { text.append(octet) }
    }
  }
}
