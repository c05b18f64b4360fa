import ArgumentParser
import Beacons
import Contract
import Core

struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Measures decoding in memory: all frames and their readings.")

  @Argument(help: "A file of advertisements from Tests/Benchmarks/corpus.")
  var corpus: String
  @Option(help: "How often to decode the file.")
  var passes = 100
  @Flag(help: "Decode frames only, not the readings in them.")
  var framesOnly = false

  func run() throws {
    let corpus = try Corpus(path: corpus, receivers: [ReceiverIndex(rawValue: 0)])
    var frames: UInt64 = 0
    var declined: UInt64 = 0
    var readings: UInt64 = 0
    // Read the options only once: looking one up costs more than decoding.
    let (readsSensors, count) = (!framesOnly, passes)
    let batch = corpus.batch
    let watch = Stopwatch()
    for _ in 0..<count {
      batch.forEach { _, payload in
        FrameDecoder.forEachFrame(in: payload) { result, data in
          guard case .frame(let frame, _) = result else { return declined += 1 }
          frames += 1
          if readsSensors { frame.forEachReading(in: data) { _ in readings += 1 } }
        }
      }
    }
    let cpu = watch.cpu
    tell { json in
      json.field("adverts", batch.count * passes)
      json.field("frames", frames)
      json.field("declined", declined)
      json.field("readings", readings)
      json.field("cpu_s", cpu, decimals: 6)
    }
  }
}
