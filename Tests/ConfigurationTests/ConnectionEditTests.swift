import Contract
import Core
import Testing

@testable import Configuration

/// The broker and the scanners of a file, changed as its author writes.
@Suite struct ConnectionEditTests {
  private func text(_ yaml: String) -> ConfigurationText {
    ConfigurationText(Array(yaml.utf8), path: "/etc/site.yaml", environment: [:], hostName: "pi")
  }

  private func changed(
    _ before: String, url: String? = "mqtt://broker.lan", username: String? = nil,
    password: ConfigurationText.BrokerPassword = .none
  ) throws -> String {
    let text = try text(before).changing(brokerURL: url, username: username, password: password)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (
      "# Where messages go.\nbroker: embedded   # for now\ngateway: { name: g }\n",
      "# Where messages go.\nbroker: { url: mqtt://broker.lan, username: gw, password_file: site.password }   # for now\ngateway: { name: g }\n"
    ),
    (
      "gateway: { name: g }\n# end\n",
      "gateway: { name: g }\n# end\nbroker: { url: mqtt://broker.lan, username: gw, password_file: site.password }\n"
    ),
    (
      "broker:\n  url: mqtt://localhost   # here\n  # the house's\n  client_id: g1\n",
      "broker:\n  url: mqtt://broker.lan   # here\n  username: gw\n  password_file: site.password\n  # the house's\n  client_id: g1\n"
    ),
    (
      "broker: { url: mqtt://localhost, username: old, password_env: WORD }\n",
      "broker: { url: mqtt://broker.lan, username: gw, password_file: site.password }\n"
    ),
    (
      "broker:\n  url: \"mqtt://localhost\"\n  username: old   # him\n  password_file: old   # his\n",
      "broker:\n  url: mqtt://broker.lan\n  username: gw   # him\n  password_file: site.password   # his\n"
    ),
  ])
  func `a broker is named in the style of the file, and comments stay`(before: String, after: String) throws {
    let password = ConfigurationText.BrokerPassword.file("site.password")
    #expect(try changed(before, username: "gw", password: password) == after)
  }

  @Test(arguments: [
    (
      #"{ "gateway": { "name": "g" }, "broker": { "url": "mqtt://localhost", "client_id": "g1" } }"#,
      #"{ "gateway": { "name": "g" }, "broker": { "url": "mqtt://broker.lan", "username": "gw", "client_id": "g1" } }"#
    ),
    (
      #"{ "gateway": { "name": "g" }, "broker": "embedded" }"#,
      #"{ "gateway": { "name": "g" }, "broker": { "url": "mqtt://broker.lan", "username": "gw" } }"#
    ),
  ])
  func `a file that is JSON stays JSON`(before: String, after: String) throws {
    #expect(try changed(before, username: "gw") == after)
    #expect(
      try changed(after, url: nil) == #"{ "gateway": { "name": "g" }, "broker": "embedded" }"#)
    _ = try JSONTree(Array(after.utf8))
  }

  @Test func `a password stays only if that is meant`() throws {
    let before =
      "broker:\n  url: mqtt://localhost\n  username: gw\n  password_file: old\nzones: [{ name: z }]\n"
    #expect(
      try changed(before, username: "other")
        == "broker:\n  url: mqtt://broker.lan\n  username: other\nzones: [{ name: z }]\n")
    #expect(try changed(before) == "broker:\n  url: mqtt://broker.lan\nzones: [{ name: z }]\n")
    #expect(
      try changed(before, username: "gw", password: .kept)
        == before.replacing("localhost", with: "broker.lan"))
  }

  /// In braces they share commas.
  @Test(arguments: [
    ("{ url: mqtt://localhost, username: gw, password_file: old }", "{ url: mqtt://broker.lan }"),
    (
      "{ url: mqtt://localhost, username: gw, password_env: WORD, client_id: g1 }",
      "{ url: mqtt://broker.lan, client_id: g1 }"
    ),
    ("{ username: gw, password_file: old, url: mqtt://localhost }", "{ url: mqtt://broker.lan }"),
    ("{ username: gw, url: mqtt://localhost, password_file: old }", "{ url: mqtt://broker.lan }"),
  ])
  func `a login is taken out together with its password`(before: String, after: String) throws {
    #expect(try changed("broker: \(before)\n") == "broker: \(after)\n")
  }

  @Test(arguments: ["a\u{0}b", "a\nb", String(repeating: "x", count: 65_536)])
  func `a username with which no client connects is refused`(name: String) {
    #expect(throws: EditRefusal.self) { try changed("broker: embedded\n", username: name) }
  }

  @Test func `the gateway's own broker takes the place of another one, and comments stay`() throws {
    #expect(
      try changed("broker:\n  url: mqtt://localhost   # here\nzones: [{ name: z }]\n", url: nil)
        == "broker: embedded   # here\nzones: [{ name: z }]\n")
  }

  @Test(arguments: [
    "http://broker.lan", "mqtt://gw:sesame@broker.lan", "mqtt://broker.lan:0", "mqtt://broker.lan/x",
    "broker",
    "mqtt://a b", "file:///etc/passwd", "mqtt://",
  ])
  func `what is no broker is refused, and not repeated`(url: String) {
    let refusal = #expect(throws: EditRefusal.self) { try changed("broker: embedded\n", url: url) }
    #expect(refusal?.reason.contains("sesame") == false)
  }

  @Test func `what the file says of the connection must fit the new broker`() {
    #expect(throws: EditRefusal.self) {
      try changed("broker: { url: mqtts://localhost, ca_file: /etc/ca.pem }\n")
    }
  }

  @Test(arguments: [
    (
      "gateway: { name: g }\n", "gateway: { name: g }\n\nscanners:\n  - kind: espresense\n  - kind: theengs\n"
    ),
    (
      "scanners:\n  - kind: beaconkeeper   # mine\n",
      "scanners:\n  - kind: beaconkeeper   # mine\n  - kind: espresense\n  - kind: theengs\n"
    ),
    (
      "scanners: [{ kind: beaconkeeper }]\n",
      "scanners: [{ kind: beaconkeeper }, { kind: espresense }, { kind: theengs }]\n"
    ),
  ])
  func `boards are added to the list`(before: String, after: String) throws {
    let changed = try text(before).adding(scanners: [.espresense, .theengs])
    #expect(String(decoding: changed.bytes, as: UTF8.self) == after)
    #expect(changed.configuration.scanners.suffix(2).map(\.kind) == [.espresense, .theengs])
  }
}
