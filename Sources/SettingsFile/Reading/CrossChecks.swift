import Settings
import Beacons

/// Checks for errors that only show in combination.

func nameOf(_ entry: Value) -> String? { entry.node["name"]?.scalar }

private func namePosition(_ entry: Value) -> Diagnostic.Position {
  entry.node["name"]?.position ?? entry.position
}

/// Reports two entries with the same name.
func refuseTwins(_ entries: [Value], _ kind: String) {
  var lines: [String: Int] = [:]
  for entry in entries {
    guard let name = nameOf(entry) else { continue }
    let position = namePosition(entry)
    if let line = lines[name] {
      entry.diagnostics.error(
        "the \(kind) \(quoted(name)) is there already, on line \(line)", at: position,
        hint: "every \(kind) has a name of its own")
    } else {
      lines[name] = position.line
    }
  }
}

private struct Identity: Hashable {
  var pattern: BeaconPattern
  var key: String?
}

/// Reports two names for the same beacon, and a name that a region gives to one of its members.
func refuseEqualPatterns(_ entries: [Value], _ beacons: [BeaconSettings]) {
  var positions: [String: Diagnostic.Position] = [:]
  for entry in entries {
    if let name = nameOf(entry), positions[name] == nil { positions[name] = namePosition(entry) }
  }
  guard let diagnostics = entries.first?.diagnostics else { return }
  let regions = Set(beacons.filter(\.pattern.isRegion).map(\.name))
  var names: [Identity: String] = [:]
  for beacon in beacons {
    let identity = Identity(pattern: beacon.pattern, key: beacon.identityKey)
    let position = positions[beacon.name]
    if let other = names[identity], other != beacon.name {
      diagnostics.error(
        "\(quoted(beacon.name)) and \(quoted(other)) are the same beacon", at: position,
        hint: "keep one of them")
    }
    names[identity] = beacon.name
    if let colon = beacon.name.firstIndex(of: ":"), regions.contains(String(beacon.name[..<colon])) {
      diagnostics.error(
        "\(quoted(beacon.name)) may be a member of the region \(quoted(String(beacon.name[..<colon])))",
        at: position, hint: "give it a name without a colon")
    }
  }
}

/// Warns of beacons that no zone watches: their state is published, but they never cause a zone event.
func warnOfIdleBeacons(_ entries: [Value], _ zones: [ZoneSettings]) {
  // An unreadable zone or name might be the one that watches it.
  guard entries.first?.diagnostics.hasErrors == false, !zones.isEmpty,
    !zones.contains(where: { $0.beacons == nil })
  else {
    return
  }
  let watched = Set(zones.flatMap { $0.beacons ?? [] })
  for entry in entries {
    guard let name = nameOf(entry), !watched.contains(name) else { continue }
    entry.diagnostics.warning(
      "no zone watches the beacon \(quoted(name))", at: namePosition(entry),
      hint: "add it to the beacons of a zone, unless its readings are all that you want")
  }
}
