import Beacons
import Core

/// The overview as tables.
struct TopTables {
  var picture: TopPicture
  var trails: SignalTrails?
  /// The gateway's time now, for ages.
  var now: WallTime?
  var order = Order.name
  /// How many transitions are shown.
  var eventLimit = 6

  /// How beacons are sorted.
  enum Order: String, CaseIterable {
    case name, signal, distance, age

    var next: Order {
      let all = Self.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  /// All tables, one below the other.
  var lines: [StyledLine] {
    [places("ZONES", picture.zones), places("ROOMS", picture.rooms), events, phones, receivers, beacons]
      .filter { !$0.isEmpty }
      .reduce(into: []) { all, table in all += (all.isEmpty ? [] : [StyledLine()]) + table }
  }

  /// The gateway, on one line.
  var head: StyledLine {
    var line = StyledLine(picture.gateway, .bold)
    line.add("  Beaconkeeper \(picture.version)", .dim)
    if picture.isRecording { line.add("  recording", .warning) }
    if let time = now { line.add("  \(clock(time)) UTC") }
    switch picture.isConnected {
    case true?: line.add("  broker connected", .good)
    case false?: line.add("  no broker", .bad)
    case nil: break
    }
    if picture.queued > 0 { line.add("  \(picture.queued) waiting", .warning) }
    return line
  }

  // MARK: Tables

  private func places(_ title: String, _ places: [TopPicture.Place]) -> [StyledLine] {
    guard !places.isEmpty else { return [] }
    return table(
      [title, "STATE", "IN", "WHO"],
      places.map { place in
        let style: StyledLine.Style =
          switch place.state {
          case "occupied": .good
          case "unknown": .bad
          default: .dim
          }
        var who = StyledLine()
        for member in place.members {
          if !who.parts.isEmpty { who.add(", ") }
          who.add(member.name, member.isNear ? .good : .plain)
          who.add(details(member), .dim)
        }
        return [
          StyledLine(place.name, .bold), StyledLine(place.state, style), StyledLine("\(place.count)"), who,
        ]
      })
  }

  private func details(_ member: TopPicture.Member) -> String {
    let words = [
      member.isNear ? "near" : nil, member.distance.map { "\(short($0)) m" },
      member.probability.map { "\(Int(($0 * 100).rounded())) %" },
      member.since.flatMap(age).map { "for \($0)" },
    ].compactMap(\.self)
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }

  private var events: [StyledLine] {
    guard !picture.events.isEmpty else { return [] }
    return table(
      ["LATEST", "WHAT", "WHERE", "BEACON", "DISTANCE", "SIGNAL"],
      picture.events.prefix(eventLimit).map { event in
        let style: StyledLine.Style = event.kind == "exit" ? .dim : event.kind == "near" ? .good : .plain
        return [
          StyledLine(event.time.map(clock) ?? "–"), StyledLine(event.kind, style), StyledLine(event.place),
          StyledLine(event.beacon), StyledLine(event.distance.map { "\(short($0)) m" } ?? "–"),
          StyledLine(signal(event.rssi)),
        ]
      })
  }

  private var phones: [StyledLine] {
    guard !picture.phones.isEmpty else { return [] }
    return table(
      ["PHONES", "STATE", "LEFT", "APP", "BEACON", "WHY"],
      picture.phones.map { phone in
        let isAwake = phone.state == "foreground" || phone.state == "ranging"
        let left = isAwake ? phone.until.flatMap { until in now.map { max(0, (until - $0).seconds) } } : nil
        return [
          StyledLine(phone.name, .bold), StyledLine(phone.state, isAwake ? .good : .dim),
          StyledLine(
            left.map(span) ?? (isAwake ? "no limit" : "–"), left.map { $0 < 5 } == true ? .warning : .plain),
          StyledLine(phone.app), StyledLine(phone.beacon), StyledLine(phone.why ?? "", .dim),
        ]
      })
  }

  private var receivers: [StyledLine] {
    guard !picture.receivers.isEmpty else { return [] }
    return table(
      ["RECEIVERS", "STATE", "HEARS", "WHY"],
      picture.receivers.map { receiver in
        let isGood = receiver.state == "ok" || receiver.state == "quiet"
        return [
          StyledLine(receiver.name, .bold), StyledLine(receiver.state, isGood ? .good : .bad),
          StyledLine(receiver.rate.map { "\(short($0))/s" } ?? "–"), StyledLine(receiver.reason ?? "", .dim),
        ]
      })
  }

  private var beacons: [StyledLine] {
    guard !picture.beacons.isEmpty else { return [StyledLine("no beacon was heard yet", .dim)] }
    let titles = ["BEACONS", "SIGNAL", "DISTANCE", "WHERE", "RECEIVER", "HEARD"]
    var lines = table(
      trails == nil ? titles : [titles[0], "TREND"] + titles.dropFirst(),
      sorted.map { beacon in
        let name = beacon.displayName.map { "\($0) (\(beacon.id))" } ?? beacon.id
        let isLost = beacon.rssi == nil
        let distance = beacon.distance.map { distance in
          "\(short(distance)) m" + (beacon.deviation.map { " ± \(short($0))" } ?? "")
        }
        let cells = [
          StyledLine(signal(beacon.rssi)), StyledLine(distance ?? "–"),
          StyledLine(beacon.places.isEmpty ? "–" : beacon.places.joined(separator: ", ")),
          StyledLine(beacon.receiver ?? "–"),
          StyledLine(beacon.lastSeen.flatMap(age).map { "\($0) ago" } ?? "–", isLost ? .dim : .plain),
        ]
        let trail = trails.map { [StyledLine($0.sparkline(of: beacon.id), .good)] } ?? []
        return [StyledLine(name, isLost ? .dim : .bold)] + trail + cells
      })
    if picture.omitted > 0 { lines.append(StyledLine("and \(picture.omitted) more", .dim)) }
    return lines
  }

  private var sorted: [TopPicture.Beacon] {
    func before(_ a: TopPicture.Beacon, _ b: TopPicture.Beacon) -> Bool {
      switch order {
      case .name: break
      case .signal where a.rssi != b.rssi: return (a.rssi ?? -.infinity) > (b.rssi ?? -.infinity)
      case .distance where a.distance != b.distance:
        return (a.distance ?? .infinity) < (b.distance ?? .infinity)
      case .age where a.lastSeen != b.lastSeen:
        let never = WallTime(nanoseconds: .min)
        return a.lastSeen ?? never > b.lastSeen ?? never
      default: break
      }
      return (a.displayName ?? a.id, a.id) < (b.displayName ?? b.id, b.id)
    }
    return picture.beacons.sorted(by: before)
  }

  // MARK: Cells

  private func table(_ titles: [String], _ rows: [[StyledLine]]) -> [StyledLine] {
    let all = [titles.map { StyledLine($0, .dim) }] + rows
    let widths = titles.indices.map { column in all.map { $0[column].width }.max() ?? 0 }
    return all.map { row in
      var line = StyledLine()
      for (column, cell) in row.enumerated() {
        line = line + (column + 1 < row.count ? cell.padded(to: widths[column] + 2) : cell)
      }
      return line
    }
  }

  private func signal(_ rssi: Double?) -> String { rssi.map { "\(Int($0.rounded())) dBm" } ?? "–" }

  private func short(_ number: Double) -> String { decimal(number, decimals: number < 10 ? 1 : 0) }

  /// `21:50:03`.
  private func clock(_ time: WallTime) -> String { String(time.rfc3339.dropFirst(11).prefix(8)) }

  private func age(_ time: WallTime) -> String? { now.map { span(max(0, ($0 - time).seconds)) } }

  private func span(_ seconds: Double) -> String {
    switch seconds {
    case ..<10: "\(short(seconds)) s"
    case ..<120: "\(Int(seconds)) s"
    case ..<7200: "\(Int(seconds / 60)) min"
    case ..<(2 * 86400): "\(Int(seconds / 3600)) h"
    default: "\(Int(seconds / 86400)) d"
    }
  }
}
