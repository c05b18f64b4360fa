import Beacons
import Scanners
import Settings

/// What a scanner of the configuration is, and how its receivers are called.
func item(_ scanner: Scanner) -> Explanation.Item {
  var sentences = ["Reads \(scanner.topic.filter)."]
  switch scanner.kind {
  case .beaconkeeper:
    sentences.append(
      "Each receiver is named after its gateway and its name there, such as \(scanner.prefix)hall/hci0.")
    if scanner.interval != Scanner.usualInterval {
      let interval = Measure(.time, scanner.interval.seconds)
      sentences.append("Rooms wait for what gateways collect for \(interval).")
    }
  case .espresense, .theengs, .json:
    let source =
      if scanner.topic.has(.receiver) {
        "the topic"
      } else if let field = scanner.mapping.fields[.receiver] {
        quoted(field)
      } else {
        quoted(scanner.receiver ?? "")
      }
    let after = scanner.prefix.isEmpty ? "" : ", with \(quoted(scanner.prefix)) in front"
    sentences.append("The receiver is named by \(source)\(after).")
  }
  if !scanner.aliases.isEmpty {
    let names = scanner.aliases.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
    sentences.append("Here \(listed(names, joining: "and")).")
  }
  if !scanner.identities.isEmpty {
    let names = scanner.identities.values.sorted()
    sentences.append("It recognises by itself \(listed(names, joining: "and")).")
  }
  if let status = scanner.status {
    sentences.append("\(status.filter) says whether it is online.")
  } else {
    sentences.append("Nothing says whether it is online; without messages it counts as quiet.")
  }
  return Explanation.Item(name: scanner.kind.rawValue, sentences: sentences)
}

func sentence(_ observations: ObservationSettings) -> String {
  let topics = observations.partitions == 1 ? "one topic" : "\(observations.partitions) topics"
  let kept = observations.buffer.map {
    "; while the broker is away, up to \(Measure(.size, Double($0))) wait on disk"
  }
  return
    "what its own radios hear of configured beacons, every \(Measure(.time, observations.interval.seconds)), on \(topics)\(kept ?? "")"
}
