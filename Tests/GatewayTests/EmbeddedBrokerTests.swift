import Foundation
import Glibc
import Logging
import Mosquitto
import Synchronization
import Testing

@testable import Gateway

@Suite("Embedded broker", .serialized, .timeLimit(.minutes(5)))
struct EmbeddedBrokerTests {
  private let log = Logger(label: "test")

  /// Process ids of embedded brokers with us as parent. Other tests may run brokers of their own.
  private func children() throws -> [Int] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int.init).filter { number in
      let status = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)
      let command = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)
      return status?.contains("\nPPid:\t\(getpid())\n") == true && command?.contains("/beaconkeeper-") == true
    }
  }

  private func privateDirectories() throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        .filter { $0.hasPrefix("beaconkeeper-\(getpid())-") })
  }

  private func untilNobodyAnswers(on port: Int) async throws {
    for _ in 0..<6000 where LoopbackPort.isAnswering(port) { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!LoopbackPort.isAnswering(port))
  }

  private func client(
    of broker: EmbeddedBroker, _ credentials: Credentials?, id: String = ""
  ) throws -> Client {
    var options = Options(host: "127.0.0.1", port: broker.port)
    options.credentials = credentials
    options.clientID = id
    return try Client(options)
  }

  /// As the `watch:` line has it.
  private func watcher(of broker: EmbeddedBroker) throws -> Credentials {
    let text = try String(contentsOfFile: "\(broker.watchFolder)/mosquitto_sub", encoding: .utf8)
    let words = text.split { $0 == " " || $0 == "\n" }.map(String.init)
    func word(after option: String) -> String? { words.firstIndex(of: option).map { words[$0 + 1] } }
    return Credentials(username: try #require(word(after: "-u")), password: word(after: "-P"))
  }

  @Test func aClientWithoutPasswordIsRefused() async throws {
    let broker = try await EmbeddedBroker.start(port: LoopbackPort.anyFree(), log: log)
    let watcher = try watcher(of: broker)
    for credentials in [
      nil, Credentials(username: "gateway", password: ""),
      Credentials(username: "gateway", password: watcher.password),
    ] {
      let client = try client(of: broker, credentials)
      client.start()
      for await event in client.events {
        guard case .refused(let failure) = event else {
          Issue.record("\(event)")
          break
        }
        #expect(failure.kind == .notAuthorised)
        break
      }
      await client.stop()
    }
    await broker.stop()
  }

  @Test func theWatcherMayReadEverythingAndPublishOnlyAppReports() async throws {
    let broker = try await EmbeddedBroker.start(port: LoopbackPort.anyFree(), log: log)
    let gateway = try client(of: broker, broker.credentials)
    let watcher = try client(of: broker, try watcher(of: broker))
    let reports = ["set", "seen"].map { "beaconkeeper/home/phone/anna/app/" + $0 }
    try gateway.subscribe(to: "beaconkeeper/#")
    gateway.start()
    watcher.start()
    let topics = ["beaconkeeper/home/status", "homeassistant/device/x/config"] + reports
    for (number, topic) in topics.enumerated() {
      try watcher.publish([1], to: topic, retain: true, id: UInt64(number))
    }
    var (refused, acknowledged): (Set<String>, [UInt64]) = ([], [])
    for await event in watcher.events {
      if case .rejected(let message, _) = event { refused.insert(message.topic) }
      if case .acknowledged(let id) = event { acknowledged.append(id) }
      if refused.count + acknowledged.count == 4 { break }
    }
    #expect(refused == ["beaconkeeper/home/status", "homeassistant/device/x/config"])
    #expect(acknowledged == [2, 3])
    var heard: [String] = []
    for await event in gateway.events {
      guard case .message(let message) = event else { continue }
      heard.append(message.topic)
      if heard.count == 2 { break }
    }
    #expect(heard == reports)
    await gateway.stop()
    await watcher.stop()
    await broker.stop()
  }

  @Test func thePasswordIsForTheOwnerAloneAndGoesWithTheBroker() async throws {
    let broker = try await EmbeddedBroker.start(port: LoopbackPort.anyFree(), log: log)
    func mode(_ path: String) throws -> Int {
      try #require(
        FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    #expect(try mode(broker.watchFolder) == 0o700)
    for name in ["mosquitto_sub", "mosquitto_pub"] {
      #expect(try mode("\(broker.watchFolder)/\(name)") == 0o600)
    }
    await broker.stop()
    #expect(!FileManager.default.fileExists(atPath: broker.watchFolder))
  }

  @Test func messagesGoThroughIt() async throws {
    let before = try privateDirectories()
    let broker = try await EmbeddedBroker.start(log: log)
    #expect(try privateDirectories() == before, "its configuration is removed once it runs")
    let client = try client(of: broker, broker.credentials)
    try client.subscribe(to: "hello")
    client.start()
    try client.publish(Array("world".utf8), to: "hello")
    for await event in client.events {
      if case .message(let message) = event {
        #expect(message.payload == Array("world".utf8))
        break
      }
    }
    await client.stop()
    await broker.stop()
  }

  @Test func stopLeavesNothingBehind() async throws {
    let before = try privateDirectories()
    let broker = try await EmbeddedBroker.start(port: LoopbackPort.anyFree(), log: log)
    #expect(try children().count == 1)
    let began = ContinuousClock.now
    await broker.stop()
    #expect(ContinuousClock.now - began < .seconds(60))
    #expect(try children().isEmpty)
    #expect(try privateDirectories() == before)
    #expect(!LoopbackPort.isAnswering(broker.port))
    await broker.stop()
  }

  @Test func forgettingItEndsItToo() async throws {
    var broker: EmbeddedBroker? = try await EmbeddedBroker.start(port: LoopbackPort.anyFree(), log: log)
    let port = try #require(broker?.port)
    broker = nil
    try await untilNobodyAnswers(on: port)
  }

  @Test func twoOfThemGetPortsOfTheirOwn() async throws {
    let first = try await EmbeddedBroker.start(log: log)
    let second = try await EmbeddedBroker.start(log: log)
    #expect(first.port != second.port)
    await first.stop()
    await second.stop()
  }

  /// Each asks for the same port, and one of them gets it.
  @Test func severalThatStartAtOnceAllWork() async throws {
    let port = try #require(LoopbackPort.anyFree())
    let mosquitto = try EmbeddedBroker.mosquitto(in: EmbeddedBroker.searchPath)
    let logger = log
    let brokers: [EmbeddedBroker] = await withTaskGroup(of: EmbeddedBroker?.self) { group in
      for _ in 0..<6 {
        group.addTask { try? await EmbeddedBroker.launch(mosquitto, port: port, log: logger) }
      }
      return await group.reduce(into: [EmbeddedBroker]()) { if let broker = $1 { $0.append(broker) } }
    }
    #expect(brokers.count == 1)
    let broker = try #require(brokers.first)
    let first = await BrokerTrial(Options(broker, gateway: "one").beside()).run()
    guard case .accepted = first else {
      Issue.record("\(first)")
      return
    }
    await broker.stop()
  }

  @Test func theUsualPortIsPreferred() async throws {
    let isFree = LoopbackPort.isFree(EmbeddedBroker.usualPort)
    let broker = try await EmbeddedBroker.start(log: log)
    // Another program may have taken it in between.
    #expect(
      (broker.port == EmbeddedBroker.usualPort) == isFree
        || LoopbackPort.isAnswering(EmbeddedBroker.usualPort))
    await broker.stop()
  }

  @Test func aPortInUseIsReported() async throws {
    let broker = try await EmbeddedBroker.start(log: log)
    await #expect(throws: EmbeddedBrokerError.portInUse(broker.port)) {
      _ = try await EmbeddedBroker.start(port: broker.port, log: log)
    }
    await broker.stop()
  }

  @Test func missingMosquittoIsReportedWithARemedy() {
    #expect(throws: EmbeddedBrokerError.notInstalled(searched: ["/nowhere"])) {
      _ = try EmbeddedBroker.mosquitto(in: ["/nowhere"])
    }
    #expect(EmbeddedBrokerError.notInstalled(searched: []).description.contains("apt install mosquitto"))
  }

  @Test func aBrokerThatDiesAtOnceIsQuoted() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "broken-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    defer { try? FileManager.default.removeItem(at: directory) }
    let program = directory.appending(path: "mosquitto").path
    let script = "#!/bin/sh\necho 'Error: the moon is full'\nexit 3\n"
    _ = FileManager.default.createFile(
      atPath: program, contents: Data(script.utf8), attributes: [.posixPermissions: 0o755])
    await #expect(throws: EmbeddedBrokerError.failed("Error: the moon is full")) {
      _ = try await EmbeddedBroker.launch(program, port: try #require(LoopbackPort.anyFree()), log: log)
    }
  }

  @Test func aBrokerKilledByOthersIsNoticed() async throws {
    let broker = try await EmbeddedBroker.start(log: log)
    async let words = broker.ended()
    for child in try children() { kill(pid_t(child), SIGKILL) }
    #expect(await words != nil)
    #expect(try children().isEmpty)
  }

  @Test func waitingForItsEndCanBeCancelled() async throws {
    let broker = try await EmbeddedBroker.start(log: log)
    let before = Task { await broker.ended() }
    before.cancel()
    #expect(await before.value == nil)
    let meanwhile = Task { await broker.ended() }
    while !Task.isCancelled, broker.process.state.withLock({ $0.waiters.isEmpty }) { await Task.yield() }
    meanwhile.cancel()
    #expect(await meanwhile.value == nil)
    await broker.stop()
    #expect(try children().isEmpty)
  }

  /// To its last line: `String(contentsOfFile:)` takes the first short read of a file of the kernel's for its end.
  private func whole(_ path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    var content = Data()
    while let piece = try file.read(upToCount: 4096), !piece.isEmpty { content += piece }
    return String(decoding: content, as: UTF8.self)
  }

  @Test func itListensOnLoopbackOnlyAndNotAsRoot() async throws {
    let broker = try await EmbeddedBroker.start(log: log)
    let child = try #require(try children().first)
    let status = try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
    #expect(!status.contains("\nUid:\t0\t"))
    let hexadecimal = String(broker.port, radix: 16, uppercase: true)
    let port = String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
    let sockets = try whole("/proc/net/tcp") + whole("/proc/net/tcp6")
    let listening = sockets.split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.count > 3 && $0[1].hasSuffix(":\(port)") && $0[3] == "0A" }
    #expect(listening.map { String($0[1]) } == ["0100007F:\(port)"])
    await broker.stop()
  }

  @Test func itDiesWithUsEvenWhenWeAreKilled() async throws {
    let note = EmbeddedBrokerTests.note(getpid())
    defer { try? FileManager.default.removeItem(atPath: note) }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      // The kernel takes the end of the thread that started the broker for ours: the broker must not go with it.
      let threads = MortalThreads()
      let broker = try await withTaskExecutorPreference(threads) {
        try await EmbeddedBroker.start(log: Logger(label: "test"))
      }
      try await threads.end()
      let note = EmbeddedBrokerTests.note(getppid())
      try "\(broker.port)".write(toFile: note, atomically: true, encoding: .utf8)
      var options = Options(host: "127.0.0.1", port: broker.port)
      options.credentials = broker.credentials
      let client = try Client(options)
      client.start()
      for await event in client.events {
        guard case .connected = event else { exit(1) }
        kill(getpid(), SIGKILL)
      }
    }
    let port = try #require(Int(try String(contentsOfFile: note, encoding: .utf8)))
    try await untilNobodyAnswers(on: port)
  }

  private static func note(_ process: pid_t) -> String {
    FileManager.default.temporaryDirectory.appending(path: "embedded-broker-test-\(process)").path
  }
}

/// As a pool, whose threads are idle for a while after their work, and then end.
private final class MortalThreads: TaskExecutor {
  private let paths = Mutex<[String]>([])
  private let isOver = Mutex(false)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      self.paths.withLock { $0.append("/proc/\(path ?? "")") }
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      while !self.isOver.withLock({ $0 }) { usleep(2000) }
    }
  }

  func end() async throws {
    isOver.withLock { $0 = true }
    while paths.withLock({ $0 }).contains(where: { access($0, F_OK) == 0 }) {
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
