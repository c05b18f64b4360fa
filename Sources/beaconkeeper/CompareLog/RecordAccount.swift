import Core

/// A message of `phone/<phone>/record` as text for people: what the gateway predicted for a phone, and what its app noticed.
struct RecordAccount {
  let text: String
  /// Whether the app did what was predicted each time.
  let agrees: Bool

  /// The bytes may be hostile. nil: the bytes are no record.
  init?(_ bytes: [UInt8]) {
    guard let tree = try? JSONTree(bytes), let os = tree.text("os"), let strategy = tree.text("strategy"),
      let beacon = tree.text("beacon"), case .list(let latest)? = tree["latest"]
    else { return nil }
    func count(_ name: String) -> Int? {
      tree.number(name).flatMap { (0...1e15).contains($0) ? Int(exactly: $0) : nil }
    }
    guard let nears = count("nears"), let predicted = count("predicted"), let seen = count("seen"),
      let missed = count("missed"), let unpredicted = count("unpredicted"), let alarms = count("false"),
      let late = count("late"), let uncounted = count("uncounted"), let pending = count("pending")
    else { return nil }
    agrees = missed == 0 && unpredicted == 0 && alarms == 0
    let since = tree.text("since")
    var lines = [
      "\(os.printable) \(strategy.printable), \(beacon.printable): "
        + (since.map { "\(nears == 1 ? "one near" : "\(nears) nears") since \($0.printable)" }
          ?? "the app has reported nothing yet")
    ]
    if since != nil {
      lines += [
        "", "RECORD",
        [
          ["predicted", "\(predicted)", "nears that the app was predicted to notice"],
          ["  missed", "\(missed)", "of these, those that it did not notice"],
          ["seen", "\(seen)", "nears that it noticed"],
          ["  unpredicted", "\(unpredicted)", "of these, those that it was predicted to miss"],
          ["  late", "\(late)", "of these, those that took it a second or more"],
          ["false", "\(alarms)", "reports though the beacon was not near"],
          ["uncounted", "\(uncounted)", "reports that count nowhere"],
          ["pending", "\(pending)", "not concluded yet"],
        ].text,
      ]
      if let median = Self.seconds(tree, "median_late_s"), let worst = Self.seconds(tree, "worst_late_s") {
        let offset = Self.seconds(tree, "offset_s").map { "its clock was behind by \($0)" }
        lines.append(
          "the app was late by \(median) (median) and at most \(worst); "
            + (offset ?? "how far its clock is off, its reports do not tell"))
      }
    }
    let rows = latest.prefix(32).map { one in
      ["near_at", "zone", "outcome", "delivered_at", "seen_at", "result"].map {
        one.text($0)?.printable ?? "-"
      }
    }
    if !rows.isEmpty {
      lines += [
        "", "THE LATEST",
        ([["NEAR AT", "ZONE", "PREDICTED", "FOR", "SEEN AT", "RESULT"]] + rows).text,
      ]
    }
    text = lines.joined(separator: "\n")
  }

  private static func seconds(_ tree: JSONTree, _ name: String) -> String? {
    tree.number(name).map { decimal($0, decimals: 3) + " s" }
  }
}

extension JSONTree {
  fileprivate func number(_ name: String) -> Double? {
    if case .number(let number)? = self[name] { return number }
    return nil
  }
}
