import Beacons
@testable import Configuration
import Contract
import Core
import Foundation
import Testing

@Suite struct BrokerTests {
  private func remote(_ keys: String, environment: [String: String] = [:]) throws -> RemoteBroker {
    let loaded = try read("broker: { \(keys) }", environment: environment)
    guard case .remote(let broker) = loaded.configuration.broker else {
      throw ConfigurationErrors([])
    }
    return broker
  }

  @Test(arguments: [
    ("mqtt://broker.lan", "broker.lan", 1883, false), ("mqtts://broker.lan", "broker.lan", 8883, true),
    ("mqtt://10.0.0.1:1884/", "10.0.0.1", 1884, false), ("MQTTS://[fe80::1]:1", "fe80::1", 1, true),
  ])
  func urlsAreRead(url: String, host: String, port: UInt16, isTLS: Bool) throws {
    let broker = try remote("url: \"\(url)\"")
    #expect(broker.host == host)
    #expect(broker.port == port)
    #expect((broker.tls != nil) == isTLS)
    #expect(broker.version == nil)
    #expect(broker.keepAlive == .seconds(60))
  }

  @Test func `topics may begin with several levels of one's own`() throws {
    let configuration = try read(
      """
      gateway: { name: "the hall" }
      broker: { url: mqtt://b, base_topic: home/ble }
      scanners: [{ kind: beaconkeeper }]
      """
    ).configuration
    #expect(configuration.topics.base == "home/ble/the%20hall")
    #expect(configuration.scanners.map(\.topic.filter) == ["home/ble/+/observations/+"])
    #expect(configuration.scanners[0].status?.filter == "home/ble/+/status")
  }

  @Test func `the broker's certificate may be for another name`() throws {
    for name in ["broker.example", "192.0.2.7", "2001:db8::7"] {
      let broker = try remote("url: mqtts://10.0.0.1, server_name: \"\(name)\"")
      #expect(broker.host == "10.0.0.1" && broker.tls?.serverName == name)
    }
  }

  @Test(arguments: [
    ("broker.lan", "no scheme"), ("tcp://broker.lan", "did you mean mqtt://?"),
    ("ssl://broker.lan", "did you mean mqtts://?"), ("ws://broker.lan", "websocat"),
    ("foo://broker.lan", "mqtt or mqtts"), ("mqtt://", "names no host"), ("mqtt://a:0", "1 to 65535"),
    ("mqtt://a:65536", "1 to 65535"), ("mqtt://[::1", "names no host"),
    ("mqtt://a/b", "unexpected text after the host"),
    ("mqtt://gw:hunter2@broker.lan", "password_file"),
  ])
  func otherURLsAreRefused(url: String, words: String) {
    let diagnostics = diagnose("broker: { url: \"\(url)\" }")
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.position == .init(line: 1, column: 16))
    #expect("\(diagnostics)".contains(words))
    #expect(!"\(diagnostics)".contains("hunter2"))
  }

  @Test(arguments: [
    Fault("broker: ▸embeded", "did you mean embedded?"),
    Fault("broker: ▸mqtt://gw:hunter2@broker.lan", "a mapping with a url"),
    Fault("broker: ▸{ username: gw }", "url is missing here"),
    Fault("broker: { url: mqtt://b, protocol: ▸4 }", "protocol must be 5 or 3.1.1"),
    Fault("broker: { url: mqtt://b, keepalive: ▸1 s }", "keepalive cannot be 1 s"),
    Fault("broker: { url: mqtt://b, client_id: ▸'' }", "cannot be a client id"),
    Fault(
      "broker: { url: mqtt://b, username: gw, password: ▸hunter2 }", "does not belong here", "password_file"),
    Fault("broker: { url: mqtt://b, username: gw, password_env: ▸hunter2 }", "name an environment variable"),
    Fault("broker: { url: mqtt://b, username: gw, password_env: ▸NO_SUCH }", "no variable “NO_SUCH”"),
    Fault("broker: { url: mqtt://b, password_env: ▸SECRET }", "needs a username"),
    Fault("broker: { url: mqtt://b, username: gw, password_env: ▸EMPTY }", "the password is empty"),
    Fault("broker: { url: mqtt://b, username: gw, password_file: ▸hunter2 }", "there is no such file"),
    Fault("broker: { url: mqtt://b, username: gw, password_file: ▸/ }", "it is a directory"),
    Fault("broker: { url: mqtt://b, ca_file: ▸/dev/null }", "no use with mqtt://", "write mqtts://"),
    Fault("broker: { url: mqtts://b, ca_file: ▸/no/such.pem }", "“/no/such.pem” cannot be read"),
    Fault("broker: { url: mqtt://b, base_topic: ▸'a/+/b' }", "cannot be the start of a topic"),
    Fault("broker: { url: mqtt://b, base_topic: ▸'a//b' }", "cannot be the start of a topic"),
    Fault("broker: { url: mqtt://b, base_topic: ▸'{gateway}' }", "cannot be the start of a topic"),
    Fault("broker: { url: mqtt://b, server_name: ▸c }", "no use with mqtt://", "write mqtts://"),
    Fault("broker: { url: mqtts://b, server_name: ▸'*.lan' }", "“*.lan” is not the name of a host"),
    Fault("broker: { url: mqtts://b, server_name: ▸'c:8883' }", "is not the name of a host"),
    Fault("broker: { url: mqtts://b, cert_file: ▸/dev/null }", "needs its private key"),
  ])
  func faults(_ fault: Fault) {
    let diagnostics = diagnose(fault.yaml, environment: ["SECRET": "hunter2", "EMPTY": ""])
    #expect(diagnostics.count == 1, "\(diagnostics)")
    #expect(diagnostics.first?.position == fault.position)
    for word in fault.words { #expect("\(diagnostics)".contains(word)) }
    #expect(!"\(diagnostics)".contains("hunter2"))
  }

  @Test func thePasswordComesFromTheEnvironment() throws {
    let broker = try remote(
      "url: mqtt://b, username: gw, password_env: SECRET", environment: ["SECRET": "hunter2"])
    #expect(broker.password?.revealed == "hunter2")
  }

  @Test func checkNeedsNoPassword() throws {
    for key in ["password_env: NO_SUCH", "password_file: /no/such"] {
      let loaded = try Configuration.read(
        Array("broker: { url: mqtt://b, username: gw, \(key) }".utf8), path: "test.yaml", environment: [:],
        hostName: "pi", connects: false)
      #expect(loaded.warnings.map(\.severity) == [.warning])
    }
  }

  @Test func thePasswordComesFromTheFirstLineOfAFileBesideTheConfiguration() throws {
    let folder = try Folder()
    try folder.write("hunter2\n", to: "password")
    let path = try folder.write(
      "broker: { url: mqtt://b, username: gw, password_file: password }", to: "beaconkeeper.yaml")
    let loaded = try Configuration.load(path: path)
    guard case .remote(let broker) = loaded.configuration.broker else { throw ConfigurationErrors([]) }
    #expect(broker.password?.revealed == "hunter2")
    #expect(loaded.warnings == [])
    #expect(!"\(loaded)".contains("hunter2"))
    #expect(!Explanation(loaded.configuration).broker.contains("hunter2"))
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o660]) func aPasswordFileThatOthersMayReadIsRefused(mode: Int)
    throws
  {
    let folder = try Folder()
    try folder.write("hunter2\n", to: "password", mode: mode)
    let path = try folder.write(
      "broker: { url: mqtt://b, username: gw, password_file: password }", to: "beaconkeeper.yaml")
    let faults = try #require(throws: ConfigurationErrors.self) { try Configuration.load(path: path) }
      .diagnostics
    #expect(faults.map(\.mark) == ["1:55 error"])
    #expect(faults[0].message.contains("0\(String(mode, radix: 8))"))
    #expect(faults[0].hint == "chmod 600 \(folder.path)/password")
  }

  /// systemd lets the unit's user read it by an access list, which `stat` shows as the group's permission.
  @Test(arguments: [(0o440, true), (0o444, false)]) func aCredentialOfTheUnitIsRead(mode: Int, isRead: Bool)
    throws
  {
    let folder = try Folder()
    let file = try folder.write("hunter2\n", to: "password", mode: mode)
    let faults = diagnose(
      "broker: { url: mqtt://b, username: gw, password_file: \(file) }",
      environment: ["CREDENTIALS_DIRECTORY": folder.path])
    #expect(faults.isEmpty == isRead)
  }

  private let unit = """
    broker: { url: mqtt://b, username: gw, password_file: $CREDENTIALS_DIRECTORY/password }
    keys_file: $CREDENTIALS_DIRECTORY/keys
    """

  @Test func aCredentialIsNamedByTheVariableThatSystemdSets() throws {
    let folder = try Folder()
    try folder.write("hunter2\n", to: "password", mode: 0o440)
    try folder.write("anna: 00112233445566778899aabbccddeeff\n", to: "keys", mode: 0o440)
    #expect(diagnose(unit, environment: ["CREDENTIALS_DIRECTORY": folder.path]).isEmpty)
  }

  @Test func aMissingCredentialIsAnErrorForRunAndAWarningForCheck() throws {
    let folder = try Folder()
    let path = try folder.write(unit, to: "beaconkeeper.yaml")
    let faults = try #require(throws: ConfigurationErrors.self) {
      try Configuration.load(path: path, environment: [:])
    }.diagnostics
    #expect(faults.map(\.severity) == [.error, .error])
    #expect(faults.allSatisfy { $0.hint?.contains("LoadCredential=") == true })
    let loaded = try Configuration.load(path: path, environment: [:], connects: false)
    #expect(loaded.warnings.count == 2)
  }
}
