import Beacons
import Contract
import Core
import Proximity

/// The devices in range as a table for a terminal, or as one JSON object for each device.
package struct ScanTable: Sendable {
  /// Whether phones and other devices that are not beacons are shown.
  package var showsAll = false
  /// Whether addresses are shown; otherwise a mark instead.
  package var showsAddresses = false
  /// Lines at most, heading and foot included; nil: no limit.
  package var height: Int?
  /// Columns at most.
  package var width = 100

  /// Display names of beacons, by name.
  package var displayNames: [String: String] = [:]

  private let names: StrangerNames

  package init(_ names: StrangerNames = .here) { self.names = names }

  /// The table's lines.
  package func lines(_ survey: AirSurvey, at time: MonotonicTime) -> [String] {
    let listing = survey.listing(at: time)
    let shown = listing.filter { isShown($0.device) }
    var rows = [["NAME", "FORMAT", "SIGNAL", "DISTANCE", "INTERVAL", "COUNT", "HEARD"]]
    let room = height.map { max(0, $0 - 3) } ?? shown.count
    rows += shown.prefix(room).map { row($0.device, $0.estimate, at: time) }
    var lines = rows.aligned.map { $0.cut(to: width) }
    let strangers = listing.count { $0.device.beacon == nil }
    var foot = "\(counted(listing.count - strangers, "beacon")), \(counted(strangers, "stranger"))"
    if listing.count > shown.count { foot += " (\(listing.count - shown.count) only with --all)" }
    if shown.count > room { foot += ", \(shown.count - room) more below" }
    if survey.overlooked > 0 { foot += ", too many devices; some are not listed" }
    lines += ["", foot]
    for (device, _) in shown.prefix(room) {
      if let words = complaint(about: device) { lines.append(height == nil ? words : words.cut(to: width)) }
    }
    if let height, lines.count > height { lines.removeLast(lines.count - height) }
    return lines
  }

  /// One object a device, the strongest first.
  package func objects(_ survey: AirSurvey, at time: MonotonicTime) -> [String] {
    survey.listing(at: time).filter { isShown($0.device) }.map { device, estimate in
      let json = JSONWriter.object {
        $0.field("name", device.beacon ?? names.plainly(device) ?? handle(of: device))
        $0.field("configured", device.beacon != nil)
        if showsAddresses, device.hasAddress { $0.field("address", "\(device.address)") }
        $0.field("format", device.frame?.format ?? "unknown")
        if let vendor = device.vendor { $0.field("vendor", vendor) }
        $0.field("rssi_dbm", estimate?.rssi, decimals: 1)
        $0.field("distance_m", estimate?.distance, decimals: 2)
        if let complaint = device.complaint { $0.field("doubt", complaint) }
        $0.field("interval_s", estimate?.interval?.seconds, decimals: 3)
        $0.field("heard", device.count)
        $0.field("age_s", (time - device.lastHeard).seconds, decimals: 1)
      }
      return String(decoding: json, as: UTF8.self)
    }
  }

  /// The `beacons:` section that configures every beacon not configured yet, the strongest first.
  package func configuration(_ survey: AirSurvey, at time: MonotonicTime) -> [String] {
    var patterns: Set<BeaconPattern> = []
    let listing = survey.listing(at: time)
    if listing.isEmpty { return ["# nothing was heard"] }
    let lines = listing.compactMap { device, estimate -> String? in
      guard device.beacon == nil, isShown(device), let suggestion = BeaconSuggestion(device, ofAny: showsAll),
        patterns.insert(suggestion.pattern).inserted
      else { return nil }
      let signal = (estimate?.rssi).map { "  # \(Int($0.rounded())) dBm" } ?? ""
      let doubt = device.complaint.map { (signal.isEmpty ? "  # it " : "; it ") + $0 } ?? ""
      return "  \(suggestion)\(signal)\(doubt)"
    }
    return lines.isEmpty ? ["# every beacon heard is already configured"] : ["beacons:"] + lines
  }

  /// The power that a beacon states is not used if it cannot be true; the line that helps.
  private func complaint(about device: AirSurvey.Device) -> String? {
    device.complaint.map {
      "\(name(of: device)) \($0): add measured_power: \(BeaconSuggestion.usualPower), measured at 1 m"
    }
  }

  private func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }

  private func isShown(_ device: AirSurvey.Device) -> Bool {
    showsAll || device.beacon != nil || device.frame?.tellsIdentity == true || device.hasLastingName
  }

  private func row(_ device: AirSurvey.Device, _ estimate: Estimate?, at time: MonotonicTime) -> [String] {
    let name = name(of: device)
    return [
      device.beacon.flatMap { displayNames[$0] }.map { "\($0) (\(name))" } ?? name,
      device.frame?.format ?? device.vendor.map { "– (\($0.prefix(20)))" } ?? "–",
      (estimate?.rssi).map { "\(Int($0.rounded())) dBm" } ?? "–",
      estimate.map { "\(short($0.distance)) m" } ?? "–",
      estimate?.interval.map { "\(short($0.seconds)) s" } ?? "–", "\(device.count)",
      "\(short(max(0, (time - device.lastHeard).seconds))) s ago",
    ]
  }

  /// A configured beacon's name has no quotes.
  private func name(of device: AirSurvey.Device) -> String {
    if let beacon = device.beacon { return beacon.printable }
    return [names.said(by: device), handle(of: device)].compactMap(\.self).joined(separator: " ")
  }

  /// What distinguishes a device from others, whatever it says.
  private func handle(of device: AirSurvey.Device) -> String {
    showsAddresses && device.hasAddress ? "\(device.address)" : names.mark(of: device)
  }

  private func short(_ number: Double) -> String { decimal(number, decimals: number < 10 ? 1 : 0) }
}
