import ArgumentParser
import Core
import Fleet
import FoundationEssentials
import Glibc
import Mosquitto
import Synchronization

struct CrowdCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crowd",
    abstract: "Simulates a site: a crowd of tags, and gateways that publish observations of it.",
    discussion: """
      Tags walk from room to room. Each advertisement is heard by the gateways near it, weaker with distance, through walls \
      and by chance. Each gateway has its own connection and its own clock, and publishes observations as `run` does with \
      publish: { observations: { partitions: … } }. Without --broker, it only counts what they would publish.

      --config-out writes a configuration for the site, for `run` or, with --rabbitmq, for `fuse`. With more than 256 \
      gateways the rooms in it have no outlines. --truth writes where each tag really is: one JSON object per line, each \
      time a tag enters a room.

      Batches that a broker does not accept wait, up to 8 MB a gateway. A gateway that loses its broker connects to the next \
      --broker.

      EXAMPLES
        beaconkeeper crowd --gateways 200 --tags 100000 --rate 55000 --seconds 60
        beaconkeeper crowd --config-out site.yaml --rabbitmq amqp://127.0.0.1 \\
            --output-broker mqtt://127.0.0.1:1884
        beaconkeeper crowd --broker mqtt://127.0.0.1:1883 --truth truth.jsonl
        beaconkeeper crowd --seconds 600 --journal crowd --config-out site.yaml \\
            --rabbitmq amqp://127.0.0.1
        beaconkeeper replay --config site.yaml --journal crowd
      """)

  @OptionGroup var options: CrowdOptions
  @Option(
    help: ArgumentHelp(
      "A broker to publish to. If repeated, the gateways are divided among them.", valueName: "url"))
  var broker: [String] = []
  @Option(help: ArgumentHelp("End after this time.", valueName: "seconds"))
  var seconds: Double?
  @Option(help: ArgumentHelp("Write where tags really are.", valueName: "file"))
  var truth: String?
  @Option(help: ArgumentHelp("Write the site's configuration.", valueName: "file"))
  var configOut: String?
  @Option(
    help: ArgumentHelp(
      "For --config-out: the broker for results. (default: --broker, else mqtt://127.0.0.1:1883)",
      valueName: "url"))
  var outputBroker: String?
  @Option(help: ArgumentHelp("For --config-out: a node of RabbitMQ. May be repeated.", valueName: "url"))
  var rabbitmq: [String] = []
  @Option(
    help: ArgumentHelp(
      "Write what workers would read from RabbitMQ into this folder, for replay --journal. Without --broker.",
      valueName: "folder"))
  var journal: String?
  @Flag(help: "Print JSON, one object a second.")
  var json = false

  func validate() throws {
    for url in broker where Self.address(url) == nil {
      throw ValidationError("--broker is mqtt://host or mqtt://host:port.")
    }
    if broker.isEmpty, configOut == nil, seconds == nil {
      throw ValidationError("Give --broker, --seconds or --config-out.")
    }
    if journal != nil, !broker.isEmpty || seconds == nil {
      throw ValidationError(
        "--journal needs --seconds, and no --broker: fuse --journal writes the real ones.")
    }
  }

  private static func address(_ url: String) -> Options? {
    guard url.hasPrefix("mqtt://") else { return nil }
    let parts = url.dropFirst(7).split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts[0].isEmpty, parts.count == 1 || UInt16(parts[1]) ?? 0 > 0
    else { return nil }
    var options = Options(host: String(parts[0]), port: parts.count == 2 ? Int(parts[1]) ?? 1883 : 1883)
    // RabbitMQ before 3.13 supports nothing newer.
    options.protocolVersion = .v311
    return options
  }

  func run() async throws {
    let settings = options.settings
    var crowd = WalkingCrowd(settings)
    if let configOut {
      let publishes = outputBroker ?? (rabbitmq.isEmpty ? broker.first : nil) ?? "mqtt://127.0.0.1:1883"
      let configuration = crowd.site.configuration(settings, broker: publishes, nodes: rabbitmq)
      try attempt(.cannotCreate, configOut) {
        try Data(configuration.utf8).write(to: URL(filePath: configOut))
      }
      if broker.isEmpty, seconds == nil { return }
    }
    let account = CrowdAccount(json: json, gateways: settings.gateways)
    let record = try truth.map { try CrowdTruth($0, start: LiveClock.wallNow) }
    if broker.isEmpty {
      try count(&crowd, account, record)
    } else {
      try await walk(&crowd, account, record)
    }
  }

  /// Runs the crowd as fast as the machine can, and only counts.
  private func count(_ crowd: inout WalkingCrowd, _ account: CrowdAccount, _ record: CrowdTruth?) throws {
    var account = account
    let partitions = options.settings.partitions
    var journal = try journal.map {
      try CrowdJournal(
        $0, site: CrowdSite.siteName, partitions: partitions, start: record?.start ?? LiveClock.wallNow)
    }
    let steps = Int((1 / WalkingCrowd.step.seconds).rounded())
    for second in 1...max(1, Int(seconds ?? 1)) {
      for step in 1...steps {
        let time = MonotonicTime.zero + WalkingCrowd.step * Double((second - 1) * steps + step)
        crowd.advance(to: time)
        let batches = crowd.takeBatches()
        account.note(batches)
        try journal?.note(batches, at: time)
      }
      try record?.note(crowd.takeMoves(), crowd.site)
      try account.tell(second: second)
    }
    try journal?.finish()
    try account.tellEnd()
  }

  /// In real time, until the end of `seconds` or a signal.
  private func walk(_ crowd: inout WalkingCrowd, _ first: CrowdAccount, _ record: CrowdTruth?) async throws {
    var account = first
    let start = LiveClock.now
    record?.start = LiveClock.wallNow
    let brokers = broker.compactMap(Self.address)
    let lines = crowd.gatewayNames.enumerated().map { CrowdLine($1, number: $0, brokers, start: start) }
    for line in lines { try line.connect() }
    let isStopped = Mutex(false)
    let signals = SignalWatch(SIGINT, SIGTERM) { isStopped.withLock { $0 = true } }
    defer { signals.end() }
    var step = 0
    var second = 0
    while true {
      step += 1
      let due = WalkingCrowd.step * Double(step)
      let wait = due - (LiveClock.now - start)
      if wait > .zero { try await Task.sleep(for: .nanoseconds(wait.nanoseconds)) }
      if isStopped.withLock({ $0 }) || seconds.map({ due.seconds > $0 }) ?? false { break }
      crowd.advance(to: .zero + due)
      let batches = crowd.takeBatches()
      account.note(batches)
      for (gateway, batches) in Dictionary(grouping: batches, by: \.gateway) { lines[gateway].add(batches) }
      try record?.note(crowd.takeMoves(), crowd.site)
      guard Int(due.seconds) > second else { continue }
      second = Int(due.seconds)
      account.take(lines.map(\.figures), behind: (LiveClock.now - start) - due)
      try account.tell(second: second)
    }
    // Batches that wait for the broker get a little time.
    for _ in 0..<100 where lines.contains(where: { $0.figures.waiting > 0 }) {
      try await Task.sleep(for: .milliseconds(100))
    }
    account.take(lines.map(\.figures), behind: .zero)
    try account.tellEnd()
    await withTaskGroup { group in
      for line in lines { group.addTask { await line.close() } }
    }
  }
}
