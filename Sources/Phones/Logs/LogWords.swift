import Core

/// Finds events in the lines of other programs' logs, by names of Apple's and Android's callbacks and by what AltBeacon and iOS
/// write themselves.
enum LogWords {
  /// In lower case. The first that occurs decides.
  private static let meanings: [(words: String, what: SeenEvent.What)] = [
    ("didfinishlaunching", .launched),
    ("didbecomeactive", .happened(.foreground)),
    ("willenterforeground", .happened(.foreground)),
    ("didenterbackground", .happened(.background)),
    ("willterminate", .terminated),
    ("didenterregion", .happened(.regionEnter)),
    ("did enter region", .happened(.regionEnter)),
    ("didexitregion", .happened(.regionExit)),
    ("did exit region", .happened(.regionExit)),
    ("didrange", .ranged(distance: nil, rssi: nil)),
    ("startupdatinglocation", .happened(.location(true))),
    ("stopupdatinglocation", .happened(.location(false))),
    // assertiond until iOS 12, then runningboardd.
    ("active assertions beyond permitted time", .terminated),
    ("task expired", .expiration),
    ("expiration handler", .expiration),
    // AltBeacon, with LogManager.setVerboseLoggingEnabled(true).
    ("we are not in the background.", .happened(.foreground)),
    ("we are in the background.", .happened(.background)),
    ("found a monitor that expired", .happened(.regionExit)),
    ("starting a new scan cycle", .scan(true)),
    ("done with scan cycle", .scan(false)),
  ]

  /// - Parameters:
  ///   - text: in lower case.
  ///   - isNamed: whether the line names the one app that is asked for.
  static func event(in text: [UInt8], isNamed: Bool) -> (what: SeenEvent.What, beacon: String?)? {
    if let end = find("background time remaining", in: text) ?? find("backgroundtimeremaining", in: text) {
      return number(in: text[end...]).map { (.remaining(SeenEvent.Reader.remaining($0)), nil) }
    }
    if let end = find("beacon packet detected for", in: text) { return packet(text[end...]) }
    if let end = find("diddeterminestate", in: text) {
      let rest = Array(text[end...])
      if find("inside", in: rest) != nil { return (.inside(true), nil) }
      return find("outside", in: rest) != nil ? (.inside(false), nil) : nil
    }
    // The call that begins a task has an argument named expirationHandler, but says nothing about the task's
    // end.
    if find("beginbackgroundtask", in: text) != nil { return nil }
    // runningboardd reports the state of every app.
    if isNamed, find("running-suspended", in: text) != nil { return (.suspended, nil) }
    if isNamed, find("running-active", in: text) != nil { return (.resumed, nil) }
    return meanings.first { find($0.words, in: text) != nil }.map { ($0.what, nil) }
  }

  /// `id1: 2f23… id2: 1 id3: 2 with rssi -39`
  private static func packet(_ text: ArraySlice<UInt8>) -> (what: SeenEvent.What, beacon: String?) {
    let words = text.split { $0 == 0x20 || $0 == 0x3A || $0 == 0x2C }.map {
      String(decoding: $0, as: UTF8.self)
    }
    func value(_ name: String) -> String? {
      words.firstIndex(of: name).flatMap {
        words.indices.contains($0 + 1) ? String(words[$0 + 1].prefix(36)) : nil
      }
    }
    let ids = ["id1", "id2", "id3"].compactMap(value)
    let rssi = value("rssi").flatMap(Int.init).flatMap { (-127...20).contains($0) ? $0 : nil }
    return (.ranged(distance: nil, rssi: rssi), ids.isEmpty ? nil : ids.joined(separator: "/"))
  }

  /// The first number, of at most 400 characters: iOS writes unlimited time with 309 digits.
  private static func number(in text: ArraySlice<UInt8>) -> Double? {
    let start = text.prefix(40).firstIndex { $0 ^ 0x30 < 10 }
    guard let start else { return nil }
    let digits = text[start...].prefix { $0 ^ 0x30 < 10 || $0 == 0x2E }.prefix(400)
    let isExponential = text[digits.endIndex...].first.map { $0 | 0x20 == 0x65 } ?? false
    return isExponential ? .greatestFiniteMagnitude : Double(String(decoding: digits, as: UTF8.self))
  }

  /// Where the words end in the text; nil: they do not occur.
  private static func find(_ words: String, in text: [UInt8]) -> Int? {
    let count = words.utf8.count
    guard let first = words.utf8.first, text.count >= count else { return nil }
    for start in 0...(text.count - count) where text[start] == first {
      if text[start...].starts(with: words.utf8) { return start + count }
    }
    return nil
  }
}
