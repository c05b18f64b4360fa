import Core
import Phones

/// `phone/<phone>/record`: how well the predictions for a phone agree with what its real app noticed.
package struct RecordMessage: Sendable {
  /// How many of the latest encounters are listed.
  private static let listed = 5

  package var phone: String
  package var beacon: String
  package var os: String
  package var strategy: String
  package var time: WallTime
  package var record: PhoneRecord
  /// Wall time minus the record's time.
  package var wallOffset: TimeSpan

  package init(
    phone: String, beacon: String, os: String, strategy: String, time: WallTime, record: PhoneRecord,
    wallOffset: TimeSpan
  ) {
    self.phone = phone
    self.beacon = beacon
    self.os = os
    self.strategy = strategy
    self.time = time
    self.record = record
    self.wallOffset = wallOffset
  }

  package var json: [UInt8] {
    let counts = record.counts
    return JSONWriter.object {
      $0.field("v", 1)
      $0.field("time", time)
      $0.field("since", record.since)
      $0.field("beacon", beacon)
      $0.field("os", os)
      $0.field("strategy", strategy)
      $0.field("nears", counts.nears)
      $0.field("predicted", counts.predicted)
      $0.field("seen", counts.seen)
      $0.field("missed", counts.missed)
      $0.field("unpredicted", counts.unpredicted)
      $0.field("false", counts.falseAlarms)
      $0.field("late", counts.late)
      $0.field("uncounted", counts.uncounted)
      $0.field("pending", record.pending)
      $0.field("seen_pct", record.share.map { $0 * 100 }, decimals: 1)
      $0.field("late_s", record.latest?.seconds, decimals: 3)
      $0.field("median_late_s", record.median?.seconds, decimals: 3)
      $0.field("worst_late_s", record.worst?.seconds, decimals: 3)
      $0.field("offset_s", record.offset?.seconds, decimals: 3)
      $0.objects("latest", record.encounters.suffix(Self.listed).reversed()) { json, encounter in
        json.field("result", encounter.result.rawValue)
        json.field("zone", encounter.near == nil ? nil : encounter.zone)
        json.field("near_at", wallTime(encounter.near))
        json.field("outcome", encounter.outcome?.rawValue)
        json.field("delivered_at", wallTime(encounter.delivered))
        json.field("seen_at", wallTime(encounter.seen))
        json.field("late_s", encounter.lateness?.seconds, decimals: 3)
      }
    }
  }

  package func message(topics: Topics) -> Message {
    Message(topic: topics.record(phone: phone), payload: json, qos: .atLeastOnce, retained: true)
  }

  private func wallTime(_ time: MonotonicTime?) -> WallTime? {
    time.map { WallTime(nanoseconds: $0.nanoseconds) + wallOffset }
  }
}
