import Foundation
import TestSupport
import Testing

private let script = "/usr/bin/script"

/// `top` beside the real `run`, whose receiver is a pipe.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: script))) struct TopTests {
  /// A gateway with a zone in which a beacon is heard.
  private final class Gateway {
    let command: Command
    let url: String
    private let broker: Broker
    private let pipe = Pipe()

    init(_ http: String = "") async throws {
      broker = try await Broker()
      let configuration = try file(
        """
        gateway: { name: forecourt }
        broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
        http: { listen: "127.0.0.1:0"\(http) }
        beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
        zones: [{ name: house, enter: { signal: -70 dBm, dwell: 200 ms }, exit: { signal: -80 dBm, lost: 1 min } }]
        """, "yaml")
      command = try Command(
        ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading)
      try pipe.fileHandleForReading.close()
      let line = #/dashboard: (https?:\/\/127\.0\.0\.1:\d+)\//#
      var found: String?
      let (command, pipe) = (command, pipe)
      let isHeard = try await command.wait {
        let entry =
          #"{"t":1,"receiver":"attic","address":"C1:00:00:00:00:01","address_type":"random","rssi":-60,"payload":"020106"}"#
        try? pipe.fileHandleForWriting.write(contentsOf: Data((entry + "\n").utf8))
        usleep(50_000)
        let said = command.outputSoFar + command.errorsSoFar
        found = said.firstMatch(of: line).map { String($0.output.1) }
        return found != nil && said.contains("enter  house")
      }
      try #require(isHeard, "\(command.errorsSoFar)")
      url = try #require(found)
    }

    func end() async throws {
      try pipe.fileHandleForWriting.close()
      _ = try await command.end()
      broker.stop()
    }
  }

  @Test func onceItPrintsPlainTablesAndJSON() async throws {
    let gateway = try await Gateway()
    let tables = try await Command.run("top", "--url", gateway.url, "--once")
    #expect(tables.status == 0, "\(tables.errors)")
    #expect(tables.lines.first?.hasPrefix("forecourt  Beaconkeeper ") == true)
    #expect(tables.output.contains(#/(?m)^house +occupied +1 +key \(/#), "\(tables.output)")
    #expect(tables.output.contains(#/(?m)^[0-9:]{8} +enter +house +key/#), "\(tables.output)")
    #expect(tables.output.contains(#/(?m)^key +-6\d dBm .* house +attic /#), "\(tables.output)")
    #expect(!tables.output.contains("\u{1B}"))

    let json = try await Command.run("top", "--url", gateway.url, "--once", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["gateway"] as? String == "forecourt")
    #expect(json.lines.count == 1)
    try await gateway.end()
  }

  @Test func onATerminalItDrawsScrollsSortsAndLeavesNothingBehind() async throws {
    let gateway = try await Gateway()
    let (result, screen) = try await watch(gateway.url, in: ["NO_COLOR": ""]) { press in
      try await press("sorted by name", "s")
      try await press("sorted by signal", "\u{1B}[B\u{1B}[6~")
      try await press("▆", "q")
    }
    #expect(result.status == 0, "\(result.output.suffix(400))")
    #expect(screen.contains("house") && screen.contains("occupied"))
    #expect(screen.contains("\u{1B}[32m"))
    #expect(screen.contains("\u{1B}[?1049h\u{1B}[?25l"))
    #expect(screen.contains("\u{1B}[?25h\u{1B}[?1049l"))
    try await gateway.end()
  }

  @Test func withNoColorItHasNone() async throws {
    let gateway = try await Gateway()
    let (result, screen) = try await watch(gateway.url, in: ["NO_COLOR": "1"]) {
      try await $0("occupied", "q")
    }
    #expect(result.status == 0)
    #expect(!screen.contains(#/\x1b\[[0-9;]+m/#))
    try await gateway.end()
  }

  @Test func aLostGatewayIsShownAndASignalRestoresTheTerminal() async throws {
    let gateway = try await Gateway()
    let terminal = try Terminal(["top", "--url", gateway.url])
    #expect(try await terminal.command.wait { terminal.command.outputSoFar.contains("occupied") })
    try await gateway.end()
    let isSaid = try await terminal.command.wait { terminal.command.outputSoFar.contains("trying again") }
    #expect(isSaid, "\(terminal.command.outputSoFar.suffix(400))")
    let child = try #require(terminal.child)
    kill(child, SIGTERM)
    let result = try await terminal.command.end()
    #expect(result.output.contains("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test func aPasswordIsAskedForAndItsFileLetsIn() async throws {
    let password = try file("correct horse\n", "password", mode: 0o600)
    let wrong = try file("battery staple\n", "password", mode: 0o600)
    let gateway = try await Gateway(", password_file: \(password)")
    let without = try await Command.run("top", "--url", gateway.url, "--once")
    #expect(without.status == 77)
    #expect(without.errors.contains("asks for a password") && without.errors.contains("--password-file"))
    let other = try await Command.run("top", "--url", gateway.url, "--once", "--password-file", wrong)
    #expect(other.status == 77 && other.errors.contains("does not accept the password"))
    let right = try await Command.run("top", "--url", gateway.url, "--once", "--password-file", password)
    #expect(right.status == 0 && right.output.contains("occupied"))
    #expect(!(other.errors + right.output).contains("staple"))
    try await gateway.end()
  }

  @Test func failuresToConnectExitWithAStatus() async throws {
    let nobody = try await Command.run("top", "--url", "http://127.0.0.1:1", "--once")
    #expect(nobody.status == 69 && nobody.errors.contains("nothing listens there"))
    let broker = try await Broker()
    defer { broker.stop() }
    let stranger = try await Command.run("top", "--url", "http://127.0.0.1:\(broker.port)", "--once")
    #expect([65, 69].contains(stranger.status), "\(stranger.errors)")
    let malformed = try await Command.run("top", "--url", "ftp://a", "--once")
    #expect(malformed.status == 64 && malformed.errors.contains("http or https"))
    let missing = try await Command.run("top", "--url", "a", "--password-file", "/no/such")
    #expect(missing.status == 74 && missing.errors.contains("/no/such"))
  }

  // MARK: Terminals

  /// A command on a terminal that `script` (of bsdutils) gives it.
  private struct Terminal {
    let command: Command
    let keys = Pipe()

    init(_ words: [String], environment: [String: String] = [:]) throws {
      command = try Command(
        ["-qec", ([Command.binary.path] + words).joined(separator: " "), "/dev/null"],
        standardInput: keys.fileHandleForReading, executable: URL(fileURLWithPath: script),
        environment: environment.merging(["TERM": "xterm"]) { $1 })
    }

    /// The command itself, which is somewhere below `script`.
    var child: pid_t? {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return all.compactMap { pid_t($0) }.first { process in
        let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
        return line.hasPrefix(Command.binary.path) && isBelow(process, command.processIdentifier)
      }
    }

    private func isBelow(_ process: pid_t, _ ancestor: pid_t) -> Bool {
      guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
        let parent = status.firstMatch(of: #/PPid:\t(\d+)/#).flatMap({ pid_t($0.output.1) }), parent > 1
      else { return false }
      return parent == ancestor || isBelow(parent, ancestor)
    }
  }

  /// Presses each key once the screen shows what precedes it.
  private func watch(
    _ url: String, in environment: [String: String],
    _ body: ((String, String) async throws -> Void) async throws -> Void
  ) async throws -> (Command.Result, screen: String) {
    let terminal = try Terminal(["top", "--url", url], environment: environment)
    try await body { shown, key in
      let isShown = try await terminal.command.wait { terminal.command.outputSoFar.contains(shown) }
      #expect(isShown, "\(shown) is not shown: \(terminal.command.outputSoFar.suffix(600))")
      try terminal.keys.fileHandleForWriting.write(contentsOf: Data(key.utf8))
    }
    let result = try await terminal.command.end()
    return (result, result.output)
  }
}
