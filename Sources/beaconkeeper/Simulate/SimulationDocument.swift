import JSON
import RangingPolicy

/// All results of `simulate` as one JSON object, whatever the options. Its schema is `config/schemas/simulation.schema.json`; a
/// change that old readers would misread needs a new version.
struct SimulationDocument {
  var variant: Variant
  var account: SimulationAccount
  /// From `--at`.
  var instants: [Milliseconds] = []
  /// nil: not requested.
  var comparison: (rankings: [Comparison], visitsPerDay: Int)?

  private static let version = 1

  var text: String {
    var writer = JSONWriter()
    writer.object { json in
      json.field("version", Self.version)
      json.field("kind", "simulation")
      json.field("variant", variant.rawValue)
      json.field("approaches", account.approaches)
      json.array("names", account.names) { $0.value($1) }
      json.array("results", account.listed) {
        SimulationJSON(variant: variant, instants: instants).write($1, into: &$0)
      }
      json.field("results_left_out", account.followed - account.listed.count)
      json.objects("profiles", account.tallies) { TallyJSON().write($1, into: &$0) }
      let book = account.book
      json.array("expectations", book.expectations > 0 ? book.checks : []) { write($1, into: &$0) }
      json.field("expectations_left_out", book.expectations > 0 ? book.leftOut : 0)
      if let comparison {
        json.key("comparison")
        TallyJSON().write(comparison.rankings, visitsPerDay: comparison.visitsPerDay, into: &json)
      }
    }
    return writer.text
  }

  private func write(_ check: ExpectationBook.Check, into writer: inout JSONWriter) {
    writer.object { json in
      json.field("text", check.expectation)
      json.field("source", check.source)
      json.field("os", check.os)
      json.field("strategy", check.strategy)
      json.field("phone", check.phone)
      json.field("approach", check.approach)
      json.field("met", check.happened == nil)
      json.field("message", check.happened == nil ? nil : check.message)
    }
  }
}
