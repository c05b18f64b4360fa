@testable import Configuration
import Testing

@Suite struct HTTPTests {
  static let everyKey = """
    http:
      listen: "0.0.0.0:8443"
      password_file: read
      write_password_file: write
      hosts: [gate.lan, Forecourt]
      proxies: [172.30.32.2, "FD00:0:0::2"]
      tls: { cert_file: gate.pem, key_file: gate.key }

    """

  private func http(_ keys: String) throws -> HTTPSettings? {
    try read("http: { \(keys) }").configuration.http
  }

  /// A folder with every file that `everyKey` names.
  private func everyFile(read: String = "correct horse\n", write: String = "battery staple\n") throws
    -> Folder
  {
    let folder = try Folder()
    try folder.write(read, to: "read")
    try folder.write(write, to: "write")
    try folder.write("", to: "gate.pem", mode: 0o644)
    try folder.write("", to: "gate.key")
    return folder
  }

  @Test func isOffUnlessConfigured() throws {
    #expect(try read("gateway: { name: a }").configuration.http == nil)
    #expect(try read("http: off").configuration.http == nil)
  }

  @Test(arguments: ["on", "{}", "{ listen: 8099 }"]) func listensOnLoopbackByDefault(value: String) throws {
    let loaded = try read("http: \(value)")
    #expect(loaded.configuration.http == HTTPSettings(address: "127.0.0.1", port: 8099))
    #expect(loaded.warnings == [])
  }

  @Test(arguments: [
    ("127.0.0.1:80", "127.0.0.1", 80), ("127.0.0.2", "127.0.0.2", 8099), ("9000", "127.0.0.1", 9000),
    ("[::1]:81", "::1", 81), ("[0:0:0:0:0:0:0:1]", "::1", 8099), ("127.0.0.1:0", "127.0.0.1", 0),
  ])
  func addressesAreRead(listen: String, address: String, port: Int) throws {
    #expect(try http("listen: \"\(listen)\"") == HTTPSettings(address: address, port: port))
  }

  /// As `replay --listen` takes it.
  @Test(arguments: [
    "127.0.0.1:80", "[::1]:8099", "8099", "127.0.0.1", "localhost:8099", "::1:8099", "127.0.0.1:", "",
  ])
  func `what the file takes, the command line takes, and nothing else`(listen: String) throws {
    let file = try? http("listen: \"\(listen)\"")
    let line = (try? ListenAddress(listen)).map { place in
      var settings = HTTPSettings()
      settings.listen(to: place)
      return settings
    }
    #expect(line == file)
  }

  @Test func everyKeyIsRead() throws {
    let folder = try everyFile()
    let loaded = try read(Self.everyKey, path: folder.path + "/a.yaml")
    #expect(loaded.warnings == [])
    #expect(
      loaded.configuration.http
        == HTTPSettings(
          address: "0.0.0.0", port: 8443, readPassword: Secret("correct horse"),
          writePassword: Secret("battery staple"), hosts: ["gate.lan", "forecourt"],
          proxies: ["172.30.32.2", "fd00::2"],
          tls: .init(certFile: folder.path + "/gate.pem", keyFile: folder.path + "/gate.key")))
    #expect(!"\(loaded)".contains("horse"))
  }

  @Test(arguments: [
    Fault("http: ▸of", "http cannot be “of”", "on, or { listen"),
    Fault("http:▸ ", "http has no value", "127.0.0.1:8099"),
    Fault("http: ▸[8099]", "must be a mapping"),
    Fault("http: { ▸lisen: 80 }", "“lisen” is not a known key", "did you mean listen?"),
    Fault("http: { ▸port: 80 }", "here it is called listen"),
    Fault("▸frontend: {}", "here it is called http"),
    Fault("http: { listen: ▸\"localhost:8099\" }", "must be an IP address", "127.0.0.1"),
    Fault("http: { listen: ▸\":8099\" }", "must be an IP address", "0.0.0.0 is every network"),
    Fault("http: { listen: ▸\"*:8099\" }", "must be an IP address", "0.0.0.0 is every network"),
    Fault("http: { listen: ▸gate.lan }", "must be an IP address", "go into hosts"),
    Fault("http: { listen: ▸\"::1:8099\" }", "not an address to listen on", "127.0.0.1:8099"),
    Fault("http: { listen: ▸\"[::1\" }", "not an address to listen on"),
    Fault("http: { listen: ▸[\"::1\"] }", "must be a single value", "in quotes"),
    Fault("http: { listen: ▸\"127.0.0.1:99999\" }", "“99999” is not a port", "to 65535"),
    Fault("http: { listen: ▸\"127.0.0.1:\" }", "is not a port"),
    Fault("http: { listen: ▸99999 }", "is not a port"),
    Fault("http: { listen: ▸\"0.0.0.0:8099\" }", "strangers could look in", "add password_file"),
    Fault("http: { listen: ▸\"[::]:80\", proxies: [10.0.0.2] }", "there is no password", "or listen on"),
    Fault("http: { listen: ▸192.168.0.4, tls: { cert_file: /dev/null, key_file: /dev/null } }", "no password")
      .expectingWarnings(1),
    Fault("http: { password: ▸hunter2 }", "does not belong here", "password_file"),
    Fault("http: { password_file: ▸/no/such }", "there is no such file"),
    Fault("http: { hosts: ▸[] }", "empty list", "hosts: [gate.lan]"),
    Fault("http: { hosts: [▸\"http://gate.lan\"] }", "not the name of a host", "without http://"),
    Fault("http: { hosts: [▸\"gate.lan:80\"] }", "not the name of a host"),
    Fault("http: { hosts: [▸\"*.lan\"] }", "not the name of a host"),
    Fault("http: { hosts: [▸\"gäte.lan\"] }", "not the name of a host"),
    Fault("http: { hosts: [gate, ▸\"a..b\"] }", "not the name of a host"),
    Fault("http: { proxies: [▸nginx] }", "not an IP address", "172.30.32.2"),
    Fault("http: { proxies: [▸10.0.0.0/8] }", "not an IP address"),
    Fault("http: { tls: ▸on }", "must be a mapping", "cert_file"),
    Fault("http: { tls: ▸{ cert_file: /dev/null } }", "key_file is missing"),
    Fault("http: { tls: { cert_file: ▸/no/such.pem, key_file: /dev/null } }", "cannot be read")
      .expectingWarnings(1),
  ])
  func faults(_ fault: Fault) {
    // Everybody may read /dev/null, of which the reader rightly warns.
    let diagnostics = diagnose(fault.yaml)
    let errors = diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.position) == [fault.position], "\(diagnostics)")
    #expect(diagnostics.count - errors.count == fault.warnings, "\(diagnostics)")
    for word in fault.words { #expect("\(errors)".contains(word), "\(errors)") }
    #expect(!"\(diagnostics)".contains("hunter2"))
  }

  @Test func passwordsThatOthersMayReadAreRefused() throws {
    let folder = try Folder()
    try folder.write("correct horse", to: "p", mode: 0o644)
    let told = diagnose("http: { password_file: p, write_password_file: p }", path: folder.path + "/a.yaml")
    #expect(told.map(\.mark) == ["1:24 error", "1:48 error"])
    #expect(told.allSatisfy { $0.hint == "chmod 600 \(folder.path)/p" })
  }

  @Test func onePasswordForBothIsRefusedAndAShortOneIsWarnedOf() throws {
    let folder = try Folder()
    try folder.write("seven77\n", to: "short")
    try folder.write("correct horse", to: "a")
    try folder.write("correct horse\n", to: "b")
    let path = folder.path + "/a.yaml"
    let equal = diagnose("http: { password_file: a, write_password_file: b }", path: path)
    #expect(equal.map(\.mark) == ["1:48 error"])
    #expect("\(equal)".contains("is the one for reading"))
    let short = diagnose("http: { password_file: short }", path: path)
    #expect(short.map(\.mark) == ["1:24 warning"])
    #expect(!"\(short)\(equal)".contains("seven77") && !"\(short)\(equal)".contains("horse"))
  }

  @Test func aKeyThatOthersMayReadIsWarnedOf() throws {
    let folder = try everyFile()
    try folder.write("", to: "gate.key", mode: 0o604)
    let told = try read(Self.everyKey, path: folder.path + "/a.yaml").warnings
    #expect(told.map(\.mark) == ["7:41 warning"])
    #expect("\(told)".contains("chmod 600"))
  }

  @Test func checkNeedsNoPassword() throws {
    let yaml = """
      http:
        listen: 0.0.0.0
        password_file: $CREDENTIALS_DIRECTORY/http
        write_password_file: /no/such
      """
    let loaded = try Configuration.read(
      Array(yaml.utf8), path: "a.yaml", environment: [:], hostName: "pi", connects: false)
    #expect(loaded.warnings.map(\.mark) == ["3:18 warning", "4:24 warning"])
    #expect(diagnose(yaml).map(\.mark) == ["3:18 error", "4:24 error"])
  }

  @Test func credentialsOfTheUnitAreRead() throws {
    let folder = try Folder()
    try folder.write("correct horse\n", to: "http", mode: 0o440)
    let loaded = try read(
      "http: { listen: 0.0.0.0, password_file: $CREDENTIALS_DIRECTORY/http }",
      environment: ["CREDENTIALS_DIRECTORY": folder.path])
    #expect(loaded.configuration.http?.readPassword == Secret("correct horse"))
  }

  @Test func `a pod's secrets are read, unless somebody may write them`() throws {
    let folder = try Folder()
    let pod = ["KUBERNETES_SERVICE_HOST": "10.96.0.1"]
    for (mode, isRead) in [(0o440, true), (0o644, true), (0o664, false)] {
      try folder.write("correct horse\n", to: "http", mode: mode)
      let yaml = "http: { listen: 0.0.0.0, password_file: \(folder.path)/http }"
      #expect(((try? read(yaml, environment: pod)) != nil) == isRead, "\(mode)")
      #expect((try? read(yaml, environment: [:])) == nil)
    }
  }

  @Test func isExplained() throws {
    let folder = try everyFile()
    let whole = try read(Self.everyKey, path: folder.path + "/a.yaml").configuration
    #expect(
      Explanation(whole).http
        == "the page and the API at https://0.0.0.0:8443; for whoever reaches this address; with a password; "
        + "172.30.32.2 and fd00::2 authenticate users; also called gate.lan and forecourt; "
        + "the write password allows changes to the configuration")
    #expect(
      Explanation(try read("http: on").configuration).http
        == "the page and the API at http://127.0.0.1:8099; for this machine alone; without a password; "
        + "read-only")
    #expect(Explanation(try read("http: off").configuration).http == nil)
  }
}

extension Fault {
  fileprivate func expectingWarnings(_ count: Int) -> Fault {
    var fault = self
    fault.warnings = count
    return fault
  }
}
