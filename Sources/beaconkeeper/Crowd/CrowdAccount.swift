import ArgumentParser
import Contract
import Core
import Fleet

/// Counts what the gateways publish; prints a line a second.
struct CrowdAccount {
  private struct Counts {
    var observations: UInt64 = 0
    var batches: UInt64 = 0
    var octets: UInt64 = 0
    var taken: UInt64 = 0
    var takenBatches: UInt64 = 0
  }

  private static let widths = [8, 14, 9, 7, 14, 9, 6, 11, 8]
  private static let titles = [
    "second", "observations/s", "batches/s", "kB/s", "acknowledged/s", "waiting", "lost", "connected",
    "behind",
  ]

  private let json: Bool
  private let gateways: Int
  private let watch = Stopwatch()
  private var now = Counts()
  private var before = Counts()
  private var waiting = 0
  private var lost: UInt64 = 0
  private var connected = 0
  private var behind = TimeSpan.zero
  private var lines = 0

  init(json: Bool, gateways: Int) {
    self.json = json
    self.gateways = gateways
  }

  /// Adds batches that gateways made.
  mutating func note(_ batches: [CrowdBatch]) {
    for batch in batches {
      now.batches += 1
      now.observations += UInt64(batch.observations)
      now.octets += UInt64(batch.message.payload.count)
    }
  }

  /// Adds batches that brokers acknowledged.
  mutating func take(_ figures: [CrowdLine.Figures], behind: TimeSpan) {
    (now.taken, now.takenBatches, waiting, lost, connected) = (0, 0, 0, 0, 0)
    for line in figures {
      now.taken += line.observations
      now.takenBatches += line.batches
      waiting += line.waiting
      lost += line.lost
      connected += line.isConnected ? 1 : 0
    }
    self.behind = max(behind, .zero)
  }

  mutating func tell(second: Int) throws {
    defer { before = now }
    if json { return try beaconkeeper.tell(line(second: second, since: before)) }
    if lines % 20 == 0 { try beaconkeeper.tell(Self.row(Self.titles)) }
    lines += 1
    try beaconkeeper.tell(
      Self.row([
        "\(second)", "\(now.observations - before.observations)", "\(now.batches - before.batches)",
        "\((now.octets - before.octets) / 1000)", "\(now.taken - before.taken)", "\(waiting)", "\(lost)",
        "\(connected)/\(gateways)", behind.seconds < 0.2 ? "" : "\(Int(behind.seconds.rounded(.up))) s",
      ]))
  }

  func tellEnd() throws {
    if json { return try beaconkeeper.tell(line(second: nil, since: Counts())) }
    try beaconkeeper.tell(
      "\(now.observations) observations in \(now.batches) batches; acknowledged \(now.taken) in \(now.takenBatches); "
        + "\(waiting) batches wait, \(lost) observations lost; \(milliseconds(watch.cpu)) ms of processor time"
    )
  }

  private func milliseconds(_ seconds: Double) -> Int { Int(seconds * 1000) }

  private func line(second: Int?, since: Counts) -> String {
    let object = JSONWriter.object { json in
      if let second { json.field("second", second) }
      json.field("observations", now.observations - since.observations)
      json.field("batches", now.batches - since.batches)
      json.field("octets", now.octets - since.octets)
      json.field("acknowledged", now.taken - since.taken)
      json.field("acknowledged_batches", now.takenBatches - since.takenBatches)
      json.field("waiting", waiting)
      json.field("lost", lost)
      json.field("connected", connected)
      json.field("behind_s", behind.seconds, decimals: 1)
      json.field("cpu_s", watch.cpu, decimals: 2)
    }
    return String(decoding: object, as: UTF8.self)
  }

  private static func row(_ cells: [String]) -> String {
    var text = ""
    for (cell, width) in zip(cells, widths) {
      text += String(repeating: " ", count: max(1, width - cell.count + 1)) + cell
    }
    return text
  }
}
