import ArgumentParser
import Beacons
import Configuration
import Contract
import Core
import Gateway
import Pipeline

struct ZonesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones",
    abstract:
      "Measures the path from bytes in memory to the zones' decisions: decoding, identity, estimates, zones.",
    discussion:
      "The receivers of the configuration take turns in hearing; without any, hci0 hears everything.")

  @Argument(help: "A file of advertisements from Tests/Benchmarks/corpus.")
  var corpus: String
  @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"))
  var config: String?
  @Option(
    help: "How many passes through the file to measure, after a first pass that makes all beacons known.")
  var passes = 20
  @Option(help: "Microseconds between the timestamps of two advertisements.")
  var spacing = 50

  func run() throws {
    let configuration = try loadConfiguration(config)
    var pipeline = Pipeline(configuration, limits: .benchmark)
    let names = configuration.receivers.isEmpty ? ["hci0"] : configuration.receivers.map(\.name)
    var corpus = try Corpus(path: corpus, receivers: names.compactMap { pipeline.receiver($0) })
    var output = Pipeline.Output()
    var time = MonotonicTime.zero
    var cpu = 0.0
    for pass in 0...passes {
      time = corpus.time(from: time, spacing: .milliseconds(1) * (Double(spacing) / 1000))
      let watch = Stopwatch()
      pipeline.observe(corpus.batch, into: &output)
      if pass > 0 { cpu += watch.cpu }
      output.removeAll()
    }
    tell { json in
      json.field("adverts", corpus.batch.count * passes)
      json.field("sightings", pipeline.counts.sightings)
      json.field("beacons", pipeline.beaconCount)
      json.field("transitions", pipeline.counts.transitions)
      json.field("cpu_s", cpu, decimals: 6)
    }
  }
}
