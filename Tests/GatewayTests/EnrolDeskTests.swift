import Beacons
import Configuration
import Contract
import Core
import Foundation
import Pipeline
import Scenes
import Synchronization
import Testing
import TestSupport

@testable import Gateway
@testable import Radio
@testable import Web

/// A device is enrolled from the page: by who may change things, one at a time, while the page asks, and where it can be kept.
@Suite struct EnrolDeskTests {
  /// A radio that says what a test tells it to.
  private final class ScriptedPairing: DevicePairing {
    let refusal: LivePairing.Failure?
    let number = "123456"
    let key = (0..<16).map { UInt8($0) }
    let typed = Mutex<[String]>([])
    let isStopped = Mutex(false)

    init(refusal: LivePairing.Failure? = nil) { self.refusal = refusal }

    var obstacle: LivePairing.Failure? { refusal }

    func run(allowsNoNumber: Bool, onNews: @escaping @Sendable (PairingNews) -> Void)
      throws(LivePairing.Failure) -> PairingEnd
    {
      let device = DeviceAddress(bits: 0x4A00_0000_0007, kind: .random)
      onNews(.isOpen(adapter: "hci0", hasBluetoothd: false))
      onNews(.wantsNumber(device))
      while true {
        Thread.sleep(for: .milliseconds(5))
        if isStopped.withLock({ $0 }) { return .stopped }
        let lines = typed.withLock { lines in
          defer { lines = [] }
          return lines
        }
        for line in lines {
          if line == number { return .learned(LearnedKey(key: key, identity: device)) }
          onNews(line == "no" ? .refused(device, "you refused it") : .isNoNumber)
        }
      }
    }
    func type(_ line: String) { typed.withLock { $0.append(line) } }
    func stop() { isStopped.withLock { $0 = true } }
  }

  private final class Clock: Sendable {
    let time = Mutex(MonotonicTime.zero)
  }

  private static let rules =
    "gateway: { name: home } # mine\nbeacons: [{ name: key, address: \"C1:00:00:00:00:01\" }]\n"
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "enrol-\(UUID())", directoryHint: .isDirectory)
  private let radio = ScriptedPairing()
  private let clock = Clock()
  private let reloads = Loads()

  private final class Loads: Sendable {
    let all = Mutex<[Configuration.Loaded?]>([])
  }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write("site.yaml", Self.rules)
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }

  private func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
    let path = folder.appending(path: name).path()
    try Data(text.utf8).write(to: folder.appending(path: name))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }
  private func read(_ name: String) -> String? {
    try? String(contentsOfFile: folder.appending(path: name).path(), encoding: .utf8)
  }

  private func desk(
    _ radio: ScriptedPairing? = nil, environment: [String: String] = [:], hasFile: Bool = true
  ) throws -> EnrolDesk {
    let writer = ConfigurationWriter(path: folder.appending(path: "site.yaml").path())
    let editor = ConfigurationEditor(writer, environment: environment) { [reloads] loaded in
      reloads.all.withLock { $0.append(loaded) }
    }
    let pipeline = Pipeline(try Scene.configuration(Self.rules))
    return EnrolDesk(
      SilentStage(pipeline: pipeline, editor: hasFile ? editor : nil, radio: radio ?? self.radio),
      log: { _ in }
    ) { [clock] in clock.time.withLock { $0 } }
  }

  private func told(_ answer: Answer) throws -> (status: Int, body: JSONTree) {
    let response: Response? =
      switch answer {
      case .now(let response): response
      case .later(let body): body()
      case .attempt(let body): body { true }
      case .stream: nil
      }
    let found = try #require(response)
    return (found.status, try JSONTree(found.body))
  }

  private func step(_ desk: EnrolDesk, _ step: String, _ body: String) throws -> (status: Int, body: JSONTree)
  {
    try told(desk.answer(step, Request(method: .post, path: [], body: Array(body.utf8))))
  }

  private func begin(_ desk: EnrolDesk, _ name: String = "anna") throws -> String {
    let (status, body) = try step(desk, "begin", #"{"name":"\#(name)"}"#)
    #expect(status == 200, "\(body)")
    guard case .text(let session)? = body["session"] else { throw Missing() }
    return session
  }
  private struct Missing: Error {}

  private func type(_ desk: EnrolDesk, _ session: String, _ number: String) throws -> Int {
    try step(desk, "type", #"{"session":"\#(session)","number":"\#(number)"}"#).status
  }

  /// Asks as the page does, until it has ended.
  private func ended(_ desk: EnrolDesk, _ session: String) async throws -> JSONTree {
    try await eventually { !desk.isOpen }
    return try told(desk.answer(session)).body
  }

  private func eventually(_ isTrue: () -> Bool) async throws {
    for _ in 0..<3000 where !isTrue() { try await Task.sleep(for: .milliseconds(10)) }
    #expect(isTrue())
  }

  private func obstacle(_ desk: EnrolDesk) throws -> String {
    let body = try told(desk.answer(nil)).body
    #expect(body["state"] == .text("none"))
    guard case .text(let problem)? = body["problem"] else { return "" }
    return problem
  }

  @Test(arguments: [nil, "ben: 00112233445566778899aabbccddeeff\n"])
  func `the number that the device shows is typed, and its key and entry are written and loaded`(
    former: String?
  ) async throws {
    defer { clean() }
    if let former {
      try write("keys.yaml", former)
      try write("site.yaml", Self.rules + "keys_file: keys.yaml\n")
    }
    let desk = try desk()
    #expect(try obstacle(desk) == "")
    let session = try begin(desk)
    try await eventually { desk.session(session)?.news.count == 2 }
    let open = try told(desk.answer(session)).body
    #expect(open["state"] == .text("open"))
    #expect(open["seconds_left"] == .number(120))
    #expect(try type(desk, session, "123 456") == 200)
    let end = try await ended(desk, session)
    #expect(end["state"] == .text("saved"), "\(end)")
    #expect(read("keys.yaml") == (former ?? "") + "anna: \"000102030405060708090a0b0c0d0e0f\"\n")
    let mode = try FileManager.default.attributesOfItem(
      atPath: folder.appending(path: "keys.yaml").path())[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let file = try #require(read("site.yaml"))
    #expect(file.contains("# mine") && file.contains("irk: anna") && file.contains("keys_file: keys.yaml"))
    let loaded = try #require(reloads.all.withLock { $0.first ?? nil })
    #expect(loaded.configuration.keys["anna"]?.revealed == radio.key)
    // No key leaves the gateway.
    #expect(!"\(end)".contains("000102"))
  }

  @Test func `who may only look is told nothing, and cannot begin`() throws {
    defer { clean() }
    let content = DashboardContent(
      SilentStage(pipeline: Pipeline(try Scene.configuration(Self.rules)), radio: radio))
    for (method, path) in [
      (Request.Method.get, "enrolment"), (.post, "enrolment/begin"), (.post, "enrolment/type"),
      (.post, "enrolment/stop"),
    ] {
      let request = Request(
        method: method, path: ["api", "v1"] + path.split(separator: "/").map(String.init),
        body: Array(#"{"name":"anna"}"#.utf8))
      for rights in [Rights.none, Rights(read: true, write: false)] {
        #expect(try told(content.answer(request, rights: rights)).status == 403, "\(path)")
      }
    }
    #expect(!content.enrolment.isOpen)
  }

  @Test func `a second one is refused meanwhile, and knows nothing of the first`() async throws {
    defer { clean() }
    let desk = try desk()
    let session = try begin(desk)
    #expect(try step(desk, "begin", #"{"name":"ben"}"#).status == 409)
    #expect(try obstacle(desk).contains("Another page"))
    let other = try told(desk.answer("guessed")).body
    #expect(other["state"] == .text("none") && other["news"] == .list([]))
    #expect(try type(desk, "guessed", "123456") == 409)
    #expect(try step(desk, "stop", #"{"session":"guessed"}"#).status == 409)
    #expect(desk.isOpen)
    #expect(try step(desk, "stop", #"{"session":"\#(session)"}"#).status == 200)
    #expect(try await ended(desk, session)["state"] == .text("failed"))
    #expect(read("keys.yaml") == nil && read("site.yaml") == Self.rules)
    // Then it is another's turn.
    radio.isStopped.withLock { $0 = false }
    let next = try begin(desk, "ben")
    try await eventually { desk.session(next)?.news.isEmpty == false }
    await desk.end()
    #expect(!desk.isOpen)
  }

  @Test func `five wrong numbers end it, however quickly they come`() async throws {
    defer { clean() }
    let desk = try desk()
    let session = try begin(desk)
    for wrong in ["12345", "1234567", "12345x", "", "yesyes"] {
      #expect(try type(desk, session, wrong) == 422, "\(wrong) is no try")
    }
    #expect(try type(desk, session, "no") == 200)
    for wrong in ["000000", "000001", "000002", "000003"] { #expect(try type(desk, session, wrong) == 200) }
    try await eventually { desk.session(session)?.news.count { $0 == .isNoNumber } == 4 }
    #expect(try told(desk.answer(session)).body["numbers_left"] == .number(1))
    #expect(desk.isOpen)
    #expect(try type(desk, session, "000004") == 200)
    // One too many is not tried, even if it is the right one.
    _ = try type(desk, session, "123456")
    let end = try await ended(desk, session)
    guard case .text(let problem)? = end["problem"] else { throw Missing() }
    #expect(problem.contains("5 numbers"))
    #expect(read("keys.yaml") == nil)
  }

  @Test func `it ends when its page is silent, and not while it asks`() async throws {
    defer { clean() }
    let desk = try desk()
    let session = try begin(desk)
    for _ in 0..<3 {
      clock.time.withLock { $0 = $0 + .seconds(9) }
      _ = try told(desk.answer(session))
    }
    #expect(desk.isOpen)
    clock.time.withLock { $0 = $0 + .seconds(11) }
    // Others that look do not keep it open.
    try await eventually {
      _ = try? told(desk.answer(nil))
      return !desk.isOpen
    }
    guard case .text(let problem)? = try told(desk.answer(session)).body["problem"] else { throw Missing() }
    #expect(problem.contains("closed"))
    #expect(radio.isStopped.withLock { $0 })
  }

  @Test func `what stands against it is told before anybody pairs`() throws {
    defer { clean() }
    #expect(try obstacle(desk(hasFile: false)).contains("no configuration file"))
    let none = ScriptedPairing(refusal: .radio(.noAdapter(found: [])))
    #expect(try obstacle(desk(none)).contains("no Bluetooth adapter"))
    #expect(try obstacle(desk(ScriptedPairing(refusal: .missingAdminCapability))).contains("CAP_NET_ADMIN"))
    #expect(try obstacle(desk(ScriptedPairing(refusal: .busy))).contains("another enrol"))
    #expect(try step(desk(none), "begin", #"{"name":"anna"}"#).status == 409)
    for (name, why) in [("key", "key"), ("00112233445566778899aabbccddeeff", "looks like a key")] {
      let (status, body) = try step(desk(), "begin", #"{"name":"\#(name)"}"#)
      #expect(status == 409 && "\(body)".contains(why), "\(body)")
    }
    #expect(try step(desk(), "begin", "{}").status == 400)
    #expect(try step(desk(), "wait", "{}").status == 404)

    // Keys that others may read, that systemd has, and a file with errors.
    try write("keys.yaml", "ben: 00112233445566778899aabbccddeeff\n", mode: 0o644)
    #expect(try obstacle(desk()).contains("chmod 600"))
    try write("site.yaml", Self.rules + "keys_file: $CREDENTIALS_DIRECTORY/gate.keys\n")
    try write("gate.keys", "ben: 00112233445566778899aabbccddeeff\n")
    let place = String(folder.path().dropLast())
    #expect(try obstacle(desk(environment: ["CREDENTIALS_DIRECTORY": place])).contains("credential"))
    try write("site.yaml", "zones: 7\n")
    #expect(try obstacle(desk()).contains("zones"))
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `a folder that cannot be written is told before anybody pairs`() throws {
    try write("site.yaml", Self.rules + "keys_file: far/keys.yaml\n")
    let far = folder.appending(path: "far")
    try FileManager.default.createDirectory(at: far, withIntermediateDirectories: true)
    try write("far/keys.yaml", "ben: 00112233445566778899aabbccddeeff\n")
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: far.path())
      clean()
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: far.path())
    #expect(try obstacle(desk()).contains("far/keys.yaml cannot be written"))
  }

  @Test func `a key is kept although its entry cannot be added`() async throws {
    defer { clean() }
    let desk = try desk()
    let session = try begin(desk)
    // Somebody adds a beacon of this name meanwhile.
    let taken = Self.rules.replacing("name: key", with: "name: anna")
    try write("site.yaml", taken)
    #expect(try type(desk, session, "123456") == 200)
    let end = try await ended(desk, session)
    #expect(end["state"] == .text("failed"))
    guard case .text(let remedy)? = end["remedy"], case .text(let yaml)? = end["yaml"] else {
      throw Missing()
    }
    #expect(remedy.contains("in the keys file") && yaml.contains("irk: anna"))
    #expect(read("keys.yaml")?.contains("anna") == true)
    #expect(read("site.yaml") == taken)
  }
}
