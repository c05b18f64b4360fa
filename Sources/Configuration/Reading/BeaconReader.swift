import Beacons
import Contract
import Core

/// Reads `beacons:`.
struct BeaconReader {
  /// The names in the keys file; nil if it could not be read, and names cannot be checked.
  var keyNames: Set<String>?

  private static let patterns = [
    "ibeacon", "altbeacon", "eddystone", "address", "irk", "scanner_id", "local_name", "service",
  ]

  func read(_ value: Value) -> BeaconSettings? {
    guard let section = value.section(hint: "for example { name: key, address: C1:00:00:00:00:01 }") else {
      return nil
    }
    defer { section.finish() }
    let name = readName(section)
    let written = Self.patterns.compactMap { key in section.take(key).map { (key, $0) } }
    let measuredPower = section.take("measured_power").flatMap(readMeasuredPower)
    let bindKey = section.take("bind_key").flatMap(readKeyName)
    let owner = section.take("owner").flatMap(checkedName)
    let icon = section.take("icon").flatMap(readIcon)
    let ofMembers = BeaconWord.allCases.compactMap { word in
      section.take(word.ofMembers).map { (word, $0) }
    }
    if written.isEmpty, !section.hasUnknownKey {
      section.diagnostics.error(
        "how is this beacon recognised?", at: section.position, hint: "add one of \(listed(Self.patterns))")
    }
    for (key, extra) in written.dropFirst() {
      extra.error(
        "a beacon can have only one identifier, and \(written[0].0) is given already",
        hint: "remove \(key), or make it an entry of its own")
    }
    guard let (key, first) = written.first else { return nil }
    let identityKey = key == "irk" ? readKeyName(first) : nil
    guard let pattern = key == "irk" ? .resolvingKey : readPattern(key, first), let name else { return nil }
    var beacon = BeaconSettings(
      name: name, pattern: pattern, identityKey: identityKey, measuredPower: measuredPower, bindKey: bindKey,
      owner: owner, icon: icon)
    for (word, value) in ofMembers {
      beacon[members: word] = MembersReader(pattern: pattern, word: word).read(value) ?? [:]
    }
    return beacon
  }

  private func readPattern(_ key: String, _ value: Value) -> BeaconPattern? {
    switch key {
    case "ibeacon": readIBeacon(value)
    case "altbeacon": readAltBeacon(value)
    case "eddystone": readEddystone(value)
    case "local_name": readAdvertisedName(value, hint: "the name that it says").map { .localName($0) }
    case "service": readService(value)
    case "scanner_id": readScannerID(value)
    default: readAddress(value).map { .address($0.bits) }
    }
  }

  private func readAdvertisedName(_ value: Value, hint: String) -> String? {
    guard let text = value.text(hint: hint) else { return nil }
    return text.isEmpty ? value.refused("this name is empty", hint: hint) : text
  }

  private func readScannerID(_ value: Value) -> BeaconPattern? {
    guard let id = readAdvertisedName(value, hint: "for example \"phone:anna\"") else { return nil }
    if SpokenIdentity.isOfMake(id) {
      value.warning(
        "scanners call every device of its make \(quoted(id)): all of them count as this one",
        hint: "pair it once with `beaconkeeper enrol`, or use another identity that is its own")
    }
    return .scannerID(id)
  }

  /// A UUID of 16 or 128 bits, as the octets are sent: the lowest first. Many programs show one of 16 bits with the rest of
  /// Bluetooth's base UUID (Core Specification, Vol 3, Part B, 2.5.1).
  private func readService(_ value: Value) -> BeaconPattern? {
    guard let text = value.text() else { return nil }
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text.replacing("-", with: "")
    guard let octets = octets(hexadecimal: digits), octets.count == 2 || octets.count == 16 else {
      return value.refused(
        "\(quoted(text)) is no UUID of a service", hint: "4 or 32 hexadecimal digits, such as \"feed\"")
    }
    let base: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]
    let isShort = octets.count == 16 && octets.prefix(2) == [0, 0] && octets.suffix(12) == base[...]
    return .service((isShort ? Array(octets[2..<4]) : octets).reversed())
  }

  private func readIBeacon(_ value: Value) -> BeaconPattern? {
    guard let section = value.section(hint: "for example { uuid: …, major: 1, minor: 2 }") else { return nil }
    defer { section.finish() }
    let uuid = section.require("uuid").flatMap(readUUID)
    let major = section.take("major")
    let minor = section.take("minor")
    if let minor, major == nil {
      minor.error("minor needs a major", hint: "add major, or remove minor to take all of this UUID")
    }
    let majorNumber = major.flatMap { $0.integer(upTo: 0xFFFF) }
    let minorNumber = minor.flatMap { $0.integer(upTo: 0xFFFF) }
    return uuid.map {
      .iBeacon(
        uuid: $0, major: majorNumber.map { UInt16($0) }, minor: minorNumber.map { UInt16($0) })
    }
  }

  private func readAltBeacon(_ value: Value) -> BeaconPattern? {
    guard let section = value.section(hint: "for example { id: … }") else { return nil }
    defer { section.finish() }
    let id = section.require("id").flatMap {
      readBytes(
        $0, counts: [16, 18, 20], "an AltBeacon id",
        hint: "40 hexadecimal digits; the first 32 or 36 alone are a region")
    }
    return id.map { .altBeacon(idPrefix: $0) }
  }

  private func readEddystone(_ value: Value) -> BeaconPattern? {
    guard let section = value.section(hint: "for example { namespace: …, instance: … }") else { return nil }
    defer { section.finish() }
    let instance = section.take("instance")
    if let url = section.take("url") {
      if let extra = section.take("namespace") ?? instance {
        extra.error("an Eddystone beacon sends a url or a namespace, not both", hint: "remove one of them")
      }
      return url.text().map(BeaconPattern.eddystoneURL)
    }
    let namespaceBytes = section.require("namespace", hint: "namespace, or url").flatMap {
      readBytes($0, counts: [10], "an Eddystone namespace", hint: "20 hexadecimal digits")
    }
    let instanceBytes = instance.flatMap {
      readBytes($0, counts: [6], "an Eddystone instance", hint: "12 hexadecimal digits")
    }
    return namespaceBytes.map {
      .eddystoneUID(
        namespace: number(bigEndian: $0),
        instance: instanceBytes.map { UInt64(truncatingIfNeeded: number(bigEndian: $0)) })
    }
  }

  private func readBytes(_ value: Value, counts: [Int], _ what: String, hint: String) -> [UInt8]? {
    guard let text = value.text() else { return nil }
    guard let bytes = octets(hexadecimal: text.replacing("-", with: "")), counts.contains(bytes.count) else {
      return value.refused("\(quoted(text)) is not \(what)", hint: hint)
    }
    return bytes
  }

  /// Reads the name of a key. Keys themselves do not belong here; a text that looks like a key is not repeated in the message.
  private func readKeyName(_ value: Value) -> String? {
    guard let name = value.text() else { return nil }
    let remedy = "put the key into keys_file under a name, and that name here"
    guard !looksLikeKey(name) else { return value.refused("\(value.name) holds a key itself", hint: remedy) }
    guard let keyNames else { return name }
    guard keyNames.contains(name) else {
      return value.refused(
        "the keys file has no key \(quoted(name))",
        hint: suggestion(for: name, among: keyNames, whenEmpty: remedy))
    }
    return name
  }
}

func readUUID(_ value: Value) -> UInt128? {
  guard let text = value.text() else { return nil }
  let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
  guard groups == [8, 4, 4, 4, 12] || groups == [32],
    let bytes = octets(hexadecimal: text.replacing("-", with: ""))
  else {
    return value.refused(
      "\(quoted(text)) is no UUID",
      hint: "32 hexadecimal digits, such as F29DC74A-DBBD-12DE-318A-C8B046DD4425")
  }
  return number(bigEndian: bytes)
}

/// RSSI at 1 m in dBm.
func readMeasuredPower(_ value: Value) -> Double? {
  guard let power = value.measure(.signal) else { return nil }
  guard (-120...20).contains(power) else {
    let meant = (20...120).contains(power) ? "did you mean -\(Measure(.signal, power))?" : nil
    return value.refused(
      "\(Measure(.signal, power)) is not a signal strength at 1 m",
      hint: meant ?? "most beacons have about -59 dBm")
  }
  let (weakest, strongest) = (Double(StatedPower.weakest), Double(StatedPower.strongest))
  if power > strongest || power < weakest {
    value.warning(
      "\(Measure(.signal, power)) at 1 m, which \(power > strongest ? "tags do not reach" : "no receiver would hear")",
      hint: power > strongest
        ? "is it the power with which the tag sends? What a receiver hears at 1 m is about 59 dB less"
        : "most beacons have about -59 dBm")
  }
  return power
}

func readAddress(_ value: Value) -> DeviceAddress? {
  guard let text = value.text() else { return nil }
  guard let address = DeviceAddress(text, kind: .public) else {
    return value.refused(
      "\(quoted(text)) is no Bluetooth address", hint: "six pairs of digits, such as C1:00:00:00:00:01")
  }
  return address
}

/// Whether a text is, or was meant as, a 16-byte key. Messages never repeat such a text.
func looksLikeKey(_ text: String) -> Bool {
  let digits = text.utf8.count { hexadecimalDigit($0) != nil }
  return digits >= 20 || (text.utf8.count >= 22 && text.hasSuffix("="))
}

/// An icon of Home Assistant: one of Material Design Icons.
func readIcon(_ value: Value) -> String? {
  let hint = "as in Home Assistant, such as mdi:key"
  guard let text = value.text(hint: hint) else { return nil }
  let name = text.dropFirst("mdi:".count)
  guard text.hasPrefix("mdi:"), (1...60).contains(name.utf8.count),
    name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
  else { return value.refused("\(quoted(text)) is no icon", hint: hint) }
  return text
}

/// Reads what a region says of its members: `names:`, `owners:` and `icons:`.
struct MembersReader {
  /// The pattern of the region.
  var pattern: BeaconPattern
  var word: BeaconWord

  /// By member: the part after the colon in `fleet:1.1`.
  func read(_ value: Value) -> [String: String]? {
    let said = ["name": "Bella", "owner": "Anna", "icon": "mdi:dog"][word.rawValue] ?? ""
    guard pattern.isRegion else {
      let own = word == .name ? "name says what it is called" : "write \(word): \(said)"
      return value.refused(
        "\(word.ofMembers) are for the members of a region", hint: "this is one beacon: \(own)")
    }
    guard let section = value.section(hint: "for example { \"\(example)\": \(said) }") else { return nil }
    defer { section.finish() }
    var names: [String: String] = [:]
    var members: [String: String] = [:]
    for key in section.keys {
      guard let value = section.take(key, isVocabulary: false) else { continue }
      guard let member = pattern.memberName(key) else {
        section.diagnostics.error(
          "\(quoted(key)) is not a member of this region", at: section.keyPosition(of: key),
          hint: "members are written as \(example)")
        continue
      }
      guard let name = word == .icon ? readIcon(value) : checkedName(value) else { continue }
      if word == .name, let other = members[name] {
        value.warning("\(quoted(name)) is the name of \(other) too", hint: "nobody could tell them apart")
      }
      members[name] = member
      names[member] = name
    }
    return names
  }

  private var example: String { pattern.memberExample }
}

extension BeaconPattern {
  /// A member in its published form; nil if no member is written like that.
  fileprivate func memberName(_ text: String) -> String? {
    switch self {
    case .iBeacon(_, let major, _):
      guard let (first, second) = pair(text), major == nil || major == first else { return nil }
      return "\(first).\(second)"
    case .eddystoneUID: return octets(hexadecimal: text)?.count == 6 ? text.lowercased() : nil
    case .altBeacon: return pair(text).map { "\($0.0).\($0.1)" }
    case .eddystoneURL, .address, .resolvingKey, .scannerID, .localName, .service: return nil
    }
  }
}

extension BeaconPattern {
  /// As in an entry of `beacons:`: `ibeacon: { uuid: …, major: 1, minor: 2 }`.
  package var yaml: String {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      let numbers = [("major", major), ("minor", minor)].compactMap { key, number in
        number.map { ", \(key): \($0)" }
      }
      return "ibeacon: { uuid: \(uuidText(uuid))\(numbers.joined()) }"
    case .altBeacon(let prefix):
      return "altbeacon: { id: \(yamlScalar(hexadecimal(prefix))) }"
    case .eddystoneUID(let namespace, let instance):
      let rest = instance.map { ", instance: \(yamlScalar(hexadecimal(UInt128($0), octets: 6)))" } ?? ""
      return "eddystone: { namespace: \(yamlScalar(hexadecimal(namespace, octets: 10)))\(rest) }"
    case .eddystoneURL(let url): return "eddystone: { url: \(yamlScalar(url)) }"
    case .address(let bits): return "address: \"\(DeviceAddress(bits: bits, kind: .public))\""
    case .localName(let name): return "local_name: \(yamlScalar(name))"
    case .service(let octets): return "service: \(yamlScalar(hexadecimal(octets.reversed())))"
    case .scannerID(let id): return "scanner_id: \(yamlScalar(id))"
    // The name of the key is not in the pattern.
    case .resolvingKey: return "irk: "
    }
  }
}

// MARK: Explanation for `check`

func sentences(_ beacon: BeaconSettings) -> [String] {
  var sentences = [sentence(beacon.pattern, name: beacon.name, key: beacon.identityKey)]
  if let power = beacon.measuredPower {
    sentences.append("Its signal is assumed to be \(Measure(.signal, power)) at 1 m.")
  }
  if let owner = beacon.owner {
    sentences.append("\(beacon.pattern.isRegion ? "They belong" : "It belongs") to \(owner).")
  }
  for (word, title) in [(BeaconWord.name, "Names"), (.owner, "Owners")] where !beacon[members: word].isEmpty {
    let members = beacon[members: word].sorted { $0.key < $1.key }
    let said = members.map { "\($0.value) (\(beacon.name):\($0.key))" }
    sentences.append("\(title): \(listed(said, joining: "and")).")
  }
  if let key = beacon.bindKey {
    sentences.append(
      "Its readings are decrypted with the key \(quoted(key)); others from its address do not count.")
  }
  return sentences
}

private func sentence(_ pattern: BeaconPattern, name: String, key: String?) -> String {
  switch pattern {
  case .iBeacon(let uuid, let major?, let minor?):
    "The iBeacon \(uuidText(uuid).uppercased()) with major \(major) and minor \(minor)."
  case .iBeacon(let uuid, let major?, nil):
    "A region: every iBeacon \(uuidText(uuid).uppercased()) with major \(major), each as \(name):\(major).minor."
  case .iBeacon(let uuid, nil, _):
    "A region: every iBeacon \(uuidText(uuid).uppercased()), each as \(name):major.minor."
  case .altBeacon(let prefix):
    prefix.count == 20
      ? "The AltBeacon \(hexadecimal(prefix))."
      : "A region: every AltBeacon whose id begins with \(hexadecimal(prefix)), each with its own name after \(name):."
  case .eddystoneUID(let namespace, let instance?):
    "The Eddystone beacon \(hexadecimal(namespace, octets: 10)), \(hexadecimal(UInt128(instance), octets: 6))."
  case .eddystoneUID(let namespace, nil):
    "A region: every Eddystone beacon of \(hexadecimal(namespace, octets: 10)), each as \(name):instance."
  case .eddystoneURL(let url): "The Eddystone beacon that sends \(quoted(url))."
  case .address(let bits): "The device with the address \(DeviceAddress(bits: bits, kind: .public))."
  case .localName(let name): "Any device that says the name \(quoted(name)), as anybody can."
  case .service(let octets):
    "Any device that offers the service \(hexadecimal(octets.reversed())), as anybody can and all of its make do."
  case .scannerID(let id): "The device that scanners call \(quoted(id)); only they hear it."
  case .resolvingKey:
    "The device whose addresses the identity resolving key \(quoted(key ?? "")) resolves."
  }
}
