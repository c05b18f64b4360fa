import Proximity
import Scanners
import Settings

/// Where the receivers in rooms come from: a name that nobody provides is never heard.
struct ReceiverOrigins {
  var rooms: [RoomReader.Entry]
  var receiverEntries: [Value]

  /// Names that are told; of more, the first.
  private static let toldLimit = 5

  /// Further ones would be passed over.
  func refuseTooMany() {
    let placed = receiverEntries.filter { $0.node["position"] != nil }
    let all = rooms.flatMap(\.receivers) + placed.compactMap { entry in nameOf(entry).map { ($0, entry) } }
    var names: Set<String> = []
    guard
      let first = all.first(where: { names.insert($0.name).inserted && names.count > RoomPlan.hearerLimit })
    else { return }
    let count = Set(all.map(\.name)).count
    first.value.error(
      "there are \(count) receivers in rooms or with a position",
      hint: "at most \(RoomPlan.hearerLimit) are possible")
  }

  /// - Parameter configuration: all of it. A fleet's receivers come through its queues.
  func warnOfStrangers(_ configuration: Configuration) {
    // Whatever could not be read may be the one that is missed.
    guard rooms.first?.value.diagnostics.hasErrors == false, configuration.fleet == nil else { return }
    let strangers = rooms.flatMap(\.receivers).filter {
      configuration.remedy(ifNobodyProvides: $0.name) != nil
    }
    guard let first = strangers.first else { return }
    let told = strangers.prefix(Self.toldLimit).map { quoted($0.name) }
    let more = strangers.count > told.count ? " and \(strangers.count - told.count) more" : ""
    first.value.warning(
      "no adapter or scanner provides \(listed(Array(told), joining: "or"))\(more)",
      hint: configuration.remedy(ifNobodyProvides: first.name))
  }
}

extension Configuration {
  /// What to do about a receiver that no adapter and no scanner provides; nil: one may.
  public func remedy(ifNobodyProvides name: String) -> String? {
    if radio.duty != .off, isAdapter(name) { return nil }
    if scanners.contains(where: { $0.mayHear(as: name) }) { return nil }
    if scanners.isEmpty {
      return radio.duty == .off && isAdapter(name)
        ? "the radio is off: remove radio: { duty: off }, or add scanners:"
        : "add its scanner, for example scanners: [{ kind: espresense }]; this machine's adapters are hci0, hci1, …"
    }
    let prefixes = scanners.map(\.prefix).filter { !$0.isEmpty && !name.hasPrefix($0) }
    guard let prefix = prefixes.first else { return "compare the name with those of the scanners" }
    return "a scanner has prefix: \(prefix), so its receivers are called \(prefix)…"
  }

  private func isAdapter(_ name: String) -> Bool {
    let number = name.dropFirst(3)
    return name.hasPrefix("hci") && !number.isEmpty && number.allSatisfy(\.isWholeNumber)
      || receivers.contains { $0.name == name && $0.adapter != nil }
  }
}

extension Scanner {
  /// Whether one of its receivers can have this name in the configuration.
  fileprivate func mayHear(as name: String) -> Bool {
    if aliases.values.contains(name) { return true }
    guard name.hasPrefix(prefix) else { return false }
    let rest = name.dropFirst(prefix.count)
    // Gateway and receiver.
    if kind == .beaconkeeper { return rest.contains("/") }
    guard topic.has(.receiver) || mapping.fields[.receiver] != nil else {
      return receiver.map { $0 == rest } ?? true
    }
    return !rest.isEmpty
  }
}

/// Reports scanners that nobody can publish to.
func warnOfPrivateBroker(_ scannerEntries: [Value], _ configuration: Configuration) {
  guard let first = scannerEntries.first, !first.diagnostics.hasErrors, !configuration.scanners.isEmpty,
    configuration.broker == .embedded, configuration.fleet == nil
  else { return }
  first.warning(
    "there is no broker: that this scanner could publish to",
    hint:
      "the gateway's private broker is not open to other machines; name yours: broker: { url: \"mqtt://…\" }")
}
