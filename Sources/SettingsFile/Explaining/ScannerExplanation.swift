import Beacons
import Scanners
import Settings

/// What a scanner of the configuration is, and how its receivers are called.
func item(_ settings: ScannerSettings) -> Explanation.Item {
  let scanner = Scanner(
    kind: settings.kind, topic: settings.topic, status: settings.status, mapping: settings.mapping,
    receiver: settings.receiver)
  var sentences = ["Reads \(scanner.topic.filter)."]
  switch settings.kind {
  case .beaconkeeper:
    sentences.append(
      "Each receiver is named after its gateway and its name there, such as \(settings.prefix)hall/hci0.")
  case .espresense, .theengs, .json:
    let source =
      if scanner.topic.has(.receiver) {
        "the topic"
      } else if let field = scanner.mapping.fields[.receiver] {
        quoted(field)
      } else {
        quoted(settings.receiver ?? "")
      }
    let after = settings.prefix.isEmpty ? "" : ", with \(quoted(settings.prefix)) in front"
    sentences.append("The receiver is named by \(source)\(after).")
  }
  if !settings.aliases.isEmpty {
    let names = settings.aliases.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
    sentences.append("Here \(listed(names, joining: "and")).")
  }
  if !settings.identities.isEmpty {
    let names = settings.identities.values.sorted()
    sentences.append("It recognises by itself \(listed(names, joining: "and")).")
  }
  if let status = scanner.status {
    sentences.append("\(status.filter) says whether it is online.")
  } else {
    sentences.append("Nothing says whether it is online; without messages it counts as quiet.")
  }
  return Explanation.Item(name: settings.kind.rawValue, sentences: sentences)
}

func sentence(_ observations: ObservationSettings) -> String {
  let topics = observations.partitions == 1 ? "one topic" : "\(observations.partitions) topics"
  let kept = observations.buffer.map {
    "; while the broker is away, up to \(Measure(.size, Double($0))) wait on disk"
  }
  return
    "what its own radios hear of configured beacons, every \(Measure(.time, observations.interval.seconds)), on \(topics)\(kept ?? "")"
}
