import Foundation
import TestSupport
import Testing

@Suite struct InitTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("init-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func run(_ arguments: String...) async throws -> Command.Result {
    try await Command(["init"] + arguments, directory: folder).end()
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
  }

  @Test func optionsMakeAConfigurationThatCheckFindsUsable() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let result = try await run(
      "--broker", "mqtt://127.0.0.1:\(broker.port)", "--beacon", "key=C1:00:00:00:00:01", "--zone", "house",
      "--signal", "-75dBm", "--gateway", "attic")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("accepts the connection"))
    // Where there is no adapter, the command waits for one, as the service does.
    let hasAdapter =
      (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth"))?.isEmpty == false
    let command = "beaconkeeper run\(hasAdapter ? "" : " --wait-for-adapter") --config beaconkeeper.yaml"
    #expect(result.errors.contains(command), "\(result.errors)")
    #expect(names == ["beaconkeeper.write", "beaconkeeper.yaml"])
    let check = try await Command(["check", "beaconkeeper.yaml"], directory: folder).end()
    #expect(check.status == 0)
    #expect(check.output.contains("0 errors, 0 warnings"))
    #expect(check.output.contains("gateway attic"))
    #expect(check.output.contains("the page and the API at http://127.0.0.1:8099; for this machine alone"))
    #expect(result.errors.contains("http://127.0.0.1:8099"))
    #expect(broker.messages.isEmpty, "the trial leaves nothing there")
  }

  @Test func aPageForEveryNetworkHasAPasswordOfItsOwn() async throws {
    let result = try await run("--broker", "embedded", "--no-beacons", "--no-zone", "--page", "everywhere")
    #expect(result.status == 0, "\(result.errors)")
    #expect(names == ["beaconkeeper.page", "beaconkeeper.write", "beaconkeeper.yaml"])
    let password = text("beaconkeeper.page").trimmingCharacters(in: .newlines)
    #expect(password.count == 23 && result.errors.contains("The dashboard's password: \(password)"))
    let check = try await Command(["check", "beaconkeeper.yaml"], directory: folder).end()
    #expect(
      check.output.contains(
        "http://0.0.0.0:8099; for whoever reaches this address; in the clear; with a password"))
    let wrong = try await run("--broker", "embedded", "--no-beacons", "--no-zone", "--page", "me", "--force")
    #expect(wrong.status == 64)
  }

  @Test func `the dashboard may change things with a password of its own, unless that is refused`()
    async throws
  {
    let result = try await run("--broker", "embedded", "--no-beacons")
    #expect(result.status == 0, "\(result.errors)")
    let password = text("beaconkeeper.write").trimmingCharacters(in: .newlines)
    #expect(password.count == 23 && result.errors.contains("password for changes: \(password)\n"))
    #expect(!text("beaconkeeper.yaml").contains(password))
    let mode = try FileManager.default.attributesOfItem(
      atPath: folder.appendingPathComponent("beaconkeeper.write").path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let check = try await Command(["check", "beaconkeeper.yaml"], directory: folder).end()
    #expect(check.output.contains("the write password allows changes"), "\(check.output)")
    #expect(check.output.contains("0 errors, 0 warnings"), "\(check.output)")
    let refused = try await run(
      "--broker", "embedded", "--no-beacons", "--no-page-changes", "--output", "other.yaml")
    #expect(refused.status == 0 && !refused.errors.contains("for changes"))
    #expect(!text("other.yaml").contains("write_password_file") && !names.contains("other.write"))
    let nowhere = try await run("--broker", "embedded", "--no-beacons", "--page", "off", "--page-changes")
    #expect(nowhere.status == 64)
  }

  @Test func withoutATerminalMissingOptionsAreNamedAndNothingIsWritten() async throws {
    let result = try await run()
    #expect(result.status == 64)
    for option in ["--broker", "--beacon", "--zone"] { #expect(result.errors.contains(option)) }
    #expect(names == [])
  }

  @Test func anExistingFileIsReplacedOnlyWithForceAndKeptAsABackup() async throws {
    let path = folder.appendingPathComponent("beaconkeeper.yaml")
    try Data("# mine\n".utf8).write(to: path)
    let refused = try await run("--broker", "embedded", "--no-beacons")
    #expect(refused.status == 73)
    #expect(text("beaconkeeper.yaml") == "# mine\n")
    let forced = try await run("--broker", "embedded", "--no-beacons", "--force", "--page", "off")
    #expect(forced.status == 0)
    #expect(text("beaconkeeper.yaml").contains("broker: embedded"))
    #expect(text("beaconkeeper.yaml.old") == "# mine\n")
    #expect(names == ["beaconkeeper.yaml", "beaconkeeper.yaml.old"])
  }

  @Test func aBrokerThatIsNotThereEndsItWithoutAFile() async throws {
    let port = try freePort()
    let result = try await run("--broker", "127.0.0.1:\(port)", "--no-beacons")
    #expect(result.status == 69)
    #expect(result.errors.contains("--skip-broker-test"))
    #expect(names == [])
  }

  @Test func aWrongPasswordEndsItWithoutAFile() async throws {
    let accounts = try await passwordFile("gateway:right\n")
    let broker = try await Broker("password_file \(accounts)\nuser root")
    defer { broker.stop() }
    let wrong = try file("wrong\n", "password", mode: 0o600)
    let result = try await run(
      "--broker", "127.0.0.1:\(broker.port)", "--user", "gateway", "--password-file", wrong, "--no-beacons")
    #expect(result.status == 77)
    #expect(names == [])
  }

  // MARK: In a terminal

  /// Answers each question in a pseudo-terminal: pairs of what to wait for and what to type then.
  private func converse(
    _ arguments: [String], _ script: [(question: String, answer: String)]
  ) async throws -> Command.Result {
    let player = """
      import json, os, pty, select, sys, time
      script = json.loads(sys.argv[1])
      pid, end = pty.fork()
      if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
      seen, mark, limit = "", 0, time.time() + 250
      while time.time() < limit:
          if not select.select([end], [], [], 1)[0]: continue
          try: data = os.read(end, 65536)
          except OSError: break
          if not data: break
          seen += data.decode(errors="replace")
          while script and script[0][0] in seen[mark:]:
              mark = seen.index(script[0][0], mark) + len(script[0][0])
              os.write(end, script.pop(0)[1].encode())
      else: os.kill(pid, 9)
      print(seen)
      if script: print("NEVER ASKED", script[0])
      status = os.waitpid(pid, 0)[1]
      sys.exit(os.waitstatus_to_exitcode(status) & 255)
      """
    let lines = try JSONSerialization.data(withJSONObject: script.map { [$0.question, $0.answer] })
    let command = try Command(
      ["-c", player, String(decoding: lines, as: UTF8.self), Command.binary.path, "init"] + arguments,
      directory: folder, executable: URL(fileURLWithPath: "/usr/bin/python3"))
    return try await command.end()
  }

  private var walk: String { Command.package.appendingPathComponent("config/walk.jsonl").path }

  @Test func aConversationEndsWithAConfigurationAndAPrivatePassword() async throws {
    let accounts = try await passwordFile("gateway:right\n")
    let broker = try await Broker("password_file \(accounts)\nuser root")
    defer { broker.stop() }
    let result = try await converse(
      ["--capture", walk],
      [
        ("Broker: a number", "127.0.0.1:\(broker.port)\r"), ("User name", "gateway\r"),
        ("Password", "wrong\r"),
        ("User name", "\r"), ("Password", "right\r"), ("Which beacons", "99\r"), ("Which beacons", "1\r"),
        ("Name of", "key\r"), ("Name of the zone", "\r"), ("When is a beacon", "3\r"),
        ("When is a beacon", "3 m\r"),
        ("Who may look", "\r"), ("May the dashboard change", "no\r"), ("Name of this gateway", "attic\r"),
      ])
    #expect(result.status == 0, "\(result.output)")
    #expect(!result.output.contains("right"), "a password is not shown")
    #expect(names == ["beaconkeeper.password", "beaconkeeper.yaml"])
    #expect(text("beaconkeeper.password") == "right\n")
    #expect(!text("beaconkeeper.yaml").contains("right"))
    let mode = try FileManager.default.attributesOfItem(
      atPath: folder.appendingPathComponent("beaconkeeper.password").path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let check = try await Command(["check", "beaconkeeper.yaml"], directory: folder).end()
    #expect(check.output.contains("0 errors, 0 warnings"), "\(check.output)\(check.errors)")
  }

  @Test func `boards that publish to the broker are found, and hear the beacons`() async throws {
    let broker = try await Broker()
    defer { broker.stop() }
    let uuid = "f29dc74a-dbbd-12de-318a-c8b046dd4425"
    let boards = try Child([
      "sh", "-c",
      """
      while sleep 0.1; do
        for board in kitchen:-52 hall:-71 bath:-80; do
          mosquitto_pub -p \(broker.port) -t "espresense/devices/iBeacon:\(uuid)-1-2/${board%:*}" -m \
            "{\\"mac\\":\\"c10000000001\\",\\"id\\":\\"iBeacon:\(uuid)-1-2\\",\\"rssi\\":${board#*:},\\"rssi@1m\\":-59}" || exit
        done
      done
      """,
    ])
    defer { boards.signal(SIGKILL) }
    let result = try await converse(
      ["--broker", "127.0.0.1:\(broker.port)", "--seconds", "4"],
      [
        ("Listen through them", "\r"), ("Which beacons", "1\r"), ("Name of", "keys\r"),
        ("A room for each", "\r"), ("Name of a zone", "\r"), ("Who may look", "\r"),
        ("May the dashboard change", "\r"), ("Name of this gateway", "attic\r"),
      ])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("ESPresense: bath, hall, kitchen"), "\(result.output)")
    #expect(result.output.contains("-52 dBm"), "the tag is in the list: \(result.output)")
    let check = try await Command(["check", "beaconkeeper.yaml"], directory: folder).end()
    #expect(check.output.contains("0 errors, 0 warnings"), "\(check.output)\(check.errors)")
    #expect(text("beaconkeeper.yaml").contains("  - { name: kitchen, receivers: [kitchen] }"))
  }

  @Test(arguments: [("\u{3}", 254), ("\u{4}", 1)])
  func ctrlCAndCtrlDLeaveNothingBehind(key: String, status: Int32) async throws {
    let result = try await converse(
      ["--broker", "embedded", "--capture", walk], [("Which beacons", "1\r"), ("Name of", key)])
    #expect(result.status == status)
    #expect(result.output.contains("nothing was written") == (key == "\u{4}"))
    #expect(names == [])
  }

  @Test func aFileThatIsThereIsAskedAboutFirst() async throws {
    try Data("# mine\n".utf8).write(to: folder.appendingPathComponent("beaconkeeper.yaml"))
    let result = try await converse(
      ["--broker", "embedded", "--no-beacons"], [("Replace it", "\r")])
    #expect(result.status == 1)
    #expect(text("beaconkeeper.yaml") == "# mine\n")
  }
}
