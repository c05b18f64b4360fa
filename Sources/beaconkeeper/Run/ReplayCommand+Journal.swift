import ArgumentParser
import Gateway
import MQTT
import Messages
import Settings

/// `replay --journal`: what a fleet decided, again.
extension ReplayCommand {
  func validateJournal() throws {
    if !capture.isEmpty { throw ValidationError("Either --capture or --journal.") }
    if publish || http || speed == .real || rooms.truth != nil || rooms.report != nil {
      throw ValidationError(
        "--journal only prints: --publish, --http, --speed, --truth and --report need --capture.")
    }
    if format == .text { throw ValidationError("--journal prints --format json or mqtt.") }
  }

  func replayJournal(_ configuration: Configuration) throws {
    guard configuration.fleet != nil else {
      throw failure("the configuration has no section fleet, so the journal is not its own", .configuration)
    }
    var replay: FleetReplay
    do throws(JournalError) {
      replay = try FleetReplay(configuration, journals: journal)
    } catch {
      throw failure("\(error)", error.isUnreadable ? .inputOutput : .dataError)
    }
    var progress = ProgressLine()
    var messages: [Message] = []
    var notices: [String] = []
    var transitions = 0
    while replay.next(into: &messages, notices: &notices) {
      for notice in notices { say("beaconkeeper: \(notice)") }
      notices.removeAll()
      var lines: [UInt8] = []
      for message in messages {
        // States are retained, and of where a beacon is at the moment nobody keeps anything.
        let isKept = !message.retained && message.qos != .atMostOnce
        let isVerdict = message.topic.hasSuffix("/verdict")
        if isKept, !isVerdict { transitions += 1 }
        guard format == .mqtt || isKept && (verdicts || !isVerdict) else { continue }
        lines += format == .mqtt ? line(message) : message.payload
        lines.append(UInt8(ascii: "\n"))
      }
      try put(lines)
      progress.show(
        offset: Int64(replay.messages), length: Int64(replay.total), count: replay.observations,
        unit: "observations")
    }
    progress.finish()
    say("\(replay.messages) messages, \(replay.observations) observations, \(transitions) transitions")
  }
}
