import Foundation
import TestSupport
import Testing

/// What `check` says of the files that a configuration names.
@Suite struct CheckTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("check-\(UUID())")

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// `one.pem`, `one.key` and the same of another.
  private func makePairs() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["one", "other"] {
      try await run(
        [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
          "-days", "30", "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).pem",
        ], in: folder)
    }
  }

  private func check(_ yaml: String, _ options: String...) async throws -> Command.Result {
    try await Command(["check", try file(yaml, "yaml")] + options).end()
  }

  @Test func aCertificateAndItsKeyBelongTogether() async throws {
    try await makePairs()
    let cert = "cert_file: \(path("one.pem"))"
    for section in ["http: { tls: { PAIR } }", "broker: { url: mqtts://broker.lan, PAIR }"] {
      func check(_ key: String) async throws -> Command.Result {
        try await self.check(section.replacing("PAIR", with: "\(cert), key_file: \(key)") + "\n")
      }
      #expect(try await check(path("one.key")).status == 0)
      let wrong = try await check(path("other.key"))
      #expect(wrong.status == 78 && wrong.errors.contains("the private key is of another certificate"))
      let none = try await check(path("one.pem"))
      #expect(none.status == 78 && none.errors.contains("no private key in PEM form"), "\(none.errors)")
    }
  }

  @Test func filesThatAreElsewhereAreWarningsIfOneSaysSo() async throws {
    let yaml = """
      broker: { url: mqtts://broker.lan, username: g, password_file: /no/word, ca_file: /no/ca.pem }
      http: { tls: { cert_file: /no/http.pem, key_file: /no/http.key } }
      keys_file: /no/keys
      rooms: [{ name: hall, receivers: [hci0] }]
      calibration: /no/calibration.json

      """
    let here = try await check(yaml)
    #expect(here.status == 78 && here.errors.contains("6 errors"), "\(here.errors)")
    let elsewhere = try await check(yaml, "--elsewhere")
    #expect(elsewhere.status == 0, "\(elsewhere.errors)")
    for path in ["/no/ca.pem", "/no/http.pem", "/no/http.key", "/no/keys", "/no/calibration.json"] {
      #expect(
        elsewhere.errors.split(separator: "\n").contains { $0.contains(path) && $0.contains("warning") })
    }
    let walk = try file(
      #"{"t":1,"receiver":"hci0","address":"C1:00:00:00:00:01","address_type":"random","rssi":-72,"payload":"020106"}"#
        + "\n", "jsonl")
    let config = try file(yaml, "yaml")
    #expect(try await Command(["replay", "--config", config, "--capture", walk]).end().status == 78)
    let replay = try await Command(["replay", "--elsewhere", "--config", config, "--capture", walk]).end()
    #expect(replay.status == 0 && replay.errors.contains("/no/calibration.json"), "\(replay.errors)")
    // Another error is an error there, too.
    #expect(try await check(yaml + "zonnes: []\n", "--elsewhere").status == 78)
  }

  @Test func `passwords that are on another machine are passwords`() async throws {
    let result = try await check(
      """
      broker: { url: mqtt://broker.lan, username: gateway, password_file: /no/word }
      http: { listen: "0.0.0.0:8099", password_file: /no/read, write_password_file: /no/write }

      """, "--elsewhere")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("with a password; the write password allows changes"), "\(result.output)")
    #expect(!result.output.contains("without a password") && !result.output.contains("read-only"))
  }

  @Test func `a file of authorities has certificates`() async throws {
    try await makePairs()
    func check(_ path: String) async throws -> Command.Result {
      try await self.check("broker: { url: mqtts://broker.lan, ca_file: \(path) }\n")
    }
    #expect(try await check(path("one.pem")).status == 0)
    let key = try await check(path("one.key"))
    #expect(key.status == 78 && key.errors.contains("has no certificate in PEM form"), "\(key.errors)")
  }

  @Test func aPasswordFileMayBeginWithAByteOrderMark() async throws {
    let password = try file("\u{FEFF}secret-word\n", "password", mode: 0o600)
    let broker = try await Broker(
      "allow_anonymous false\npassword_file \(try await passwordFile("gateway:secret-word\n"))\nuser root")
    defer { broker.stop() }
    let result = try await Command.run(
      "doctor", "--config",
      try file(
        "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", username: gateway, password_file: \(password) }\n",
        "yaml"))
    #expect(result.lines.contains { $0.hasPrefix("ok       broker") }, "\(result.output)")
  }
}
