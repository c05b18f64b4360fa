import Configuration
import Contract
import Core
import Foundation
import Mosquitto
import Pipeline
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import Web

/// The setup from the page: what is asked of the network, what is written, and what is told to nobody.
@Suite struct SetupTests {
  private static let package = """
    gateway: { name: home }
    broker: embedded   # for now

    """

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "setup-\(UUID())", directoryHint: .isDirectory)
  private let content: DashboardContent
  private let editor: ConfigurationEditor

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.package.utf8).write(to: folder.appending(path: "site.yaml"))
    let writer = ConfigurationWriter(path: folder.appending(path: "site.yaml").path())
    editor = ConfigurationEditor(writer, environment: [:]) { _ in }
    let configuration = try Configuration.read(
      Array(Self.package.utf8), path: editor.writer.path, environment: [:], hostName: "pi", connects: false
    ).configuration
    content = DashboardContent(SilentStage(pipeline: Pipeline(configuration), editor: editor))
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }
  private var file: String { editor.current()?.text ?? "" }
  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []).sorted()
  }

  private func call(
    _ method: Request.Method, _ path: String, _ body: String = "{}", mayWrite: Bool = true
  ) throws -> (status: Int, body: JSONTree, text: String) {
    let path = ["api", "v1"] + path.split(separator: "/").map(String.init)
    let request = Request(method: method, path: path, body: Array(body.utf8))
    let response: Response
    switch content.answer(request, rights: Rights(read: true, write: mayWrite)) {
    case .now(let now): response = now
    case .later(let later): response = later()
    case .attempt(let attempt): response = attempt { true }
    case .stream: throw Trouble("no answer")
    }
    return (response.status, try JSONTree(response.body), String(decoding: response.body, as: UTF8.self))
  }

  /// What the desk tells once it has asked.
  private func found() async throws -> (status: Int, body: JSONTree, text: String) {
    for _ in 0..<3000 {
      let picture = try call(.get, "setup")
      if picture.body["asking"] == .null { return picture }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Trouble("it is asking for ever")
  }

  private func broker(_ port: Int, _ more: String = "") -> String {
    #"{"url":"mqtt://127.0.0.1:\#(port)"\#(more)}"#
  }

  // MARK: Who may

  @Test func `who may only look learns nothing, and asks nothing`() throws {
    defer { clean() }
    for (method, path) in [
      (Request.Method.get, "setup"), (.get, "setup/entities"), (.post, "setup/find-brokers"),
      (.post, "setup/find-receivers"), (.post, "setup/try"), (.post, "setup/broker"),
      (.post, "setup/receivers"),
    ] {
      #expect(try call(method, path, mayWrite: false).status == 403, "\(path)")
    }
    #expect(try call(.post, "setup/attic").status == 404)
    #expect(try call(.get, "setup").body["asking"] == .null)
  }

  @Test func `without a file there is nothing to set up`() throws {
    defer { clean() }
    let pipeline = Pipeline(
      try Configuration.read(
        Array(Self.package.utf8), path: "", environment: [:], hostName: "pi",
        connects: false
      ).configuration)
    let bare = SetupDesk(SilentStage(pipeline: pipeline))
    #expect(bare.picture.status == 404)
    guard
      case .now(let response) = bare.answer("try", Request(method: .post, path: [], body: Array("{}".utf8)))
    else {
      Issue.record("it begins")
      return
    }
    #expect(response.status == 404)
  }

  // MARK: Trying

  @Test func `a broker is tried with what was typed, and the password is told to nobody`() async throws {
    defer { clean() }
    let mosquitto = try TestBroker("allow_anonymous false\npassword_file DIR/users")
    try mosquitto.write("gw:sesame-sesame\n", to: "users")
    let hashing = try Child([
      "/usr/bin/mosquitto_passwd", "-U", mosquitto.directory.appending(path: "users").path,
    ])
    while hashing.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    _ = try await mosquitto.start()

    #expect(try call(.post, "setup/try", broker(mosquitto.port)).status == 200)
    var told = try await found()
    #expect(told.body["trial"]?["state"] == .text("fault"), "\(told.text)")
    #expect(
      told.text.contains("not authorised") || told.text.contains("user name or password"), "\(told.text)")

    let right = #","username":"gw","password":"sesame-sesame""#
    #expect(try call(.post, "setup/try", broker(mosquitto.port, right)).status == 200)
    told = try await found()
    #expect(told.body["trial"]?["state"] == .text("ok"), "\(told.text)")
    #expect(told.body["trial"]?["username"] == .text("gw"))
    #expect(!told.text.contains("sesame"))
    // Nothing is written for it.
    #expect(file == Self.package)
    #expect(files == ["site.yaml"])
  }

  @Test func `one thing is asked at a time, and a few a minute`() async throws {
    defer { clean() }
    let configuration = try Configuration.read(
      Array("broker: { url: \"mqtt://127.0.0.1:\(try freePort())\" }\n".utf8), path: "", environment: [:],
      hostName: "pi", connects: false
    ).configuration
    let time = Mutex(MonotonicTime.zero)
    let desk = SetupDesk(SilentStage(pipeline: Pipeline(configuration), editor: editor)) {
      time.withLock { $0 }
    }
    func begin() async throws -> Int {
      let status = desk.begin(.trial(configuration, id: "1"))?.status
      for _ in 0..<3000 where desk.current.inquiry != nil { try await Task.sleep(for: .milliseconds(20)) }
      return status ?? 200
    }
    // It listens for eight seconds.
    guard case .remote(let broker) = configuration.broker else { return }
    let busy = SetupDesk(SilentStage(pipeline: Pipeline(configuration), editor: editor))
    #expect(busy.begin(.receivers(broker)) == nil)
    #expect(busy.begin(.trial(configuration, id: "1"))?.status == 409)
    var answers: [Int] = []
    for _ in 0..<7 { answers.append(try await begin()) }
    #expect(answers == [200, 200, 200, 200, 200, 200, 429])
    time.withLock { $0 = $0 + .seconds(10) }
    #expect(try await begin() == 200)
    #expect(try await begin() == 429)
  }

  @Test func `what a stranger says in its certificate is not repeated`() {
    var failure = ConnectionFailure(.wrongHostName, "the name is another")
    failure.names = "evil.example"
    let finding = Doctor.finding("a:1", .refused(failure), remedy: "mend it")
    #expect(finding.text.contains("a:1: the name is another: it is for evil.example"))
    #expect(DoctorFinding.json([finding]).contains("another: it is for evil.example"))
    #expect(finding.words == "a:1: the name is another")
  }

  @Test func `what was tried is what can be saved, whoever tried something else`() async throws {
    defer { clean() }
    let mosquitto = try TestBroker()
    _ = try await mosquitto.start()
    let (good, bad) = (broker(mosquitto.port), broker(try freePort()))
    func trying(_ body: String) async throws -> String {
      guard case .text(let id)? = try call(.post, "setup/try", body).body["trying"] else {
        throw Trouble("it tries nothing")
      }
      #expect(try await found().body["trial"]?["id"] == .text(id))
      return id
    }
    func save(_ body: String, _ id: String) throws -> Int {
      try call(.post, "setup/broker", body.replacing("}", with: #","trial":"\#(id)","preview":true}"#)).status
    }
    let failed = try await trying(bad)
    let worked = try await trying(good)
    #expect(failed != worked)
    #expect(try save(bad, failed) == 409, "it does not work")
    #expect(try save(bad, worked) == 409, "another one works")
    #expect(try save(good, worked) == 200)
    // Somebody else's trial changes nothing.
    #expect(try await trying(bad) == failed)
    #expect(try save(good, worked) == 200)
    let other = good.replacing("}", with: #","username":"gw","password":"sesame-sesame"}"#)
    #expect(try save(other, worked) == 409, "another user")
    #expect(try call(.post, "setup/broker", other.replacing("}", with: #","preview":true}"#)).status == 200)
  }

  @Test(arguments: [
    #"{"url":"http://127.0.0.1:80"}"#, #"{"url":"mqtt://gw:sesame@127.0.0.1"}"#, #"{"url":7}"#,
    #"{"url":"mqtt://a","password":"sesame"}"#, #"{"url":"mqtt://a","user":"gw"}"#,
    #"{"url":"mqtt://a","username":"gw","password":"two\nlines"}"#, #"{"username":"gw"}"#,
    #"{"url":"mqtt://a","username":"gw","password":"two\u2028lines"}"#,
    #"{"url":"mqtt://a","username":"gw","password":"\ufeffword"}"#,
    #"{"url":"mqtt://a","username":"g\u0000w"}"#,
    #"{"url":"mqtt://a\nbroker: embedded"}"#, #"{"url":"mqtt://a","url":"mqtt://b"}"#,
  ])
  func `what is no broker is neither tried nor saved`(body: String) throws {
    defer { clean() }
    for path in ["setup/try", "setup/broker"] {
      let answer = try call(.post, path, body)
      #expect(answer.status == 422, "\(path): \(answer.text)")
      #expect(!answer.text.contains("sesame"))
    }
    #expect(try call(.get, "setup").body["asking"] == .null)
    #expect(file == Self.package)
  }

  // MARK: Saving

  private let full = #"{"url":"mqtt://broker.lan","username":"gw","password":"sesame-sesame""#

  @Test func `a broker is told before it is written, and its password goes into a file of its own`() throws {
    defer { clean() }
    let told = try call(.post, "setup/broker", full + #","preview":true}"#)
    #expect(told.status == 200)
    #expect(files == ["site.yaml"])
    #expect(file == Self.package)
    #expect(told.body["warnings"] == .list([]), "\(told.text)")

    let saved = try call(.post, "setup/broker", full + "}")
    #expect(saved.status == 200, "\(saved.text)")
    #expect(saved.body["changes"] == told.body["changes"])
    #expect(!told.text.contains("sesame") && !saved.text.contains("sesame"))
    #expect(
      file == """
        gateway: { name: home }
        broker: { url: mqtt://broker.lan, username: gw, password_file: site.password }   # for now

        """)
    #expect(files == ["site.password", "site.yaml"])
    let path = folder.appending(path: "site.password").path()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "sesame-sesame\n")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

    let picture = try call(.get, "setup")
    #expect(picture.body["broker"]?["password"] == .flag(true))
    #expect(picture.body["restart"] == .flag(true), "the gateway uses the former broker")
    #expect(!picture.text.contains("sesame"))
  }

  @Test func `another password leaves the former file to undo`() throws {
    defer { clean() }
    #expect(try call(.post, "setup/broker", full + "}").status == 200)
    #expect(
      try call(.post, "setup/broker", full.replacing("sesame-sesame", with: "another-one") + "}").status
        == 200)
    #expect(files == ["site.password", "site.password-2", "site.yaml"])
    #expect(file.contains("password_file: site.password-2"))
    #expect(try call(.post, "undo").status == 200)
    #expect(file.contains("password_file: site.password }"))
  }

  @Test func `the present password stays for the same broker and user, and for nobody else`() throws {
    defer { clean() }
    #expect(try call(.post, "setup/broker", full + "}").status == 200)
    let before = file
    #expect(
      try call(.post, "setup/broker", #"{"url":"mqtt://broker.lan:1883","username":"gw"}"#).status == 200)
    #expect(file == before.replacing("broker.lan,", with: "broker.lan:1883,"))
    for other in [
      #"{"url":"mqtt://elsewhere.lan","username":"gw"}"#,
      #"{"url":"mqtt://broker.lan:1884","username":"gw"}"#,
      #"{"url":"mqtts://broker.lan:1883","username":"gw"}"#, #"{"url":"mqtt://broker.lan","username":"eve"}"#,
    ] {
      let told = try call(.post, "setup/broker", other.replacing("}", with: #","preview":true}"#))
      guard case .text(let changes)? = told.body["changes"] else {
        Issue.record("\(told.text)")
        continue
      }
      let added = changes.split(separator: "\n").filter { $0.hasPrefix("+") }
      #expect(!added.isEmpty && !added.contains { $0.contains("password") }, "\(changes)")
    }
  }

  @Test func `what cannot be saved leaves no password behind`() throws {
    defer { clean() }
    #expect(try call(.post, "setup/broker", full + #","revision":"0"}"#).status == 409)
    let bad = full.replacing("mqtt://broker.lan", with: "mqtt://broker lan")
    #expect(try call(.post, "setup/broker", bad + "}").status == 422)
    #expect(files == ["site.yaml"])
  }

  @Test func `a missing password does not keep anybody from naming another`() throws {
    defer { clean() }
    let text = "broker: { url: mqtt://broker.lan, username: gw, password_file: lost }\n"
    try Data(text.utf8).write(to: folder.appending(path: "site.yaml"))
    #expect(try call(.get, "setup").status == 200)
    #expect(try call(.post, "setup/broker", full + "}").status == 200)
    #expect(file == text.replacing("lost", with: "site.password"))
  }

  // MARK: Receivers, and what Home Assistant is told

  @Test func `boards are told before they are written`() throws {
    defer { clean() }
    let told = try call(.post, "setup/receivers", #"{"kinds":["espresense"],"preview":true}"#)
    #expect(told.status == 200)
    #expect(file == Self.package)
    #expect(
      try call(.post, "setup/receivers", #"{"kinds":["espresense"]}"#).body["changes"] == told.body["changes"]
    )
    #expect(file == Self.package + "\nscanners:\n  - kind: espresense\n")
    for body in [
      #"{"kinds":[]}"#, #"{"kinds":["json"]}"#, #"{"kinds":["espresense","espresense"]}"#,
      #"{"kinds":"theengs"}"#,
      #"{"kinds":["theengs"],"preview":1}"#, "{}",
    ] {
      #expect(try call(.post, "setup/receivers", body).status == 422, "\(body)")
    }
  }

  @Test func `boards are looked for at a broker that they reach`() throws {
    defer { clean() }
    let refused = try call(.post, "setup/find-receivers")
    #expect(refused.status == 409)
    #expect(refused.text.contains("Choose a broker"))
  }

  @Test func `the entities are those that the gateway announces`() throws {
    defer { clean() }
    let yaml = """
      gateway: { name: home }
      beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
      rooms: [{ name: kitchen, receivers: [hci0], area: Food }]
      """
    let configuration = try Configuration.read(
      Array(yaml.utf8), path: "", environment: [:], hostName: "pi",
      connects: false
    ).configuration
    let desk = SetupDesk(SilentStage(pipeline: Pipeline(configuration), editor: editor))
    guard case .list(let devices)? = try JSONTree(desk.entities.body)["devices"] else {
      Issue.record("no devices")
      return
    }
    #expect(devices.contains { device in device.text("device") == "key" })
    let room = try #require(devices.first(where: { device in device.text("area") == "Food" }))
    guard case .list(let entities)? = room["entities"] else { return }
    let platforms = entities.compactMap { entity in entity.text("platform") }
    #expect(!platforms.isEmpty && !platforms.contains("device_automation"))
  }
}
