import Core
import Foundation
import TestSupport
import Testing

@testable import Mosquitto

/// Certificates made by openssl for one test.
final class Certificates {
  let directory = FileManager.default.temporaryDirectory.appending(path: "mosquitto-tls-\(UUID())")

  init() async throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for name in ["ca", "stranger"] {
      try await openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
        "-subj", "/CN=\(name)", "-keyout", "\(name).key",
        "-out", "\(name).pem")
    }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func path(_ name: String) -> String { directory.appending(path: name).path }

  private func openssl(_ arguments: String...) async throws {
    try await run(["openssl"] + arguments, in: directory)
  }

  /// Signs a certificate for a host or person. Negative days: expired.
  func issue(_ name: String, host: String, by authority: String = "ca", days: Int = 30) async throws {
    try await openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(host)",
      "-keyout", "\(name).key", "-out", "\(name).csr")
    let kind = host.allSatisfy { $0.isNumber || $0 == "." } ? "IP" : "DNS"
    try "subjectAltName=\(kind):\(host)".write(
      to: directory.appending(path: "\(name).ext"), atomically: true, encoding: .utf8)
    guard days < 0 else {
      return try await openssl(
        "x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).pem", "-CAkey", "\(authority).key",
        "-CAcreateserial",
        "-days", "\(days)", "-extfile", "\(name).ext", "-out", "\(name).pem")
    }
    // `x509` takes no negative days since OpenSSL 3.5; `ca` takes dates.
    try "".write(to: directory.appending(path: "\(name).index"), atomically: true, encoding: .utf8)
    try """
    [ca]
    database = \(name).index
    new_certs_dir = .
    rand_serial = yes
    default_md = sha256
    policy = any
    [any]
    commonName = supplied
    """.write(to: directory.appending(path: "\(name).conf"), atomically: true, encoding: .utf8)
    try await openssl(
      "ca", "-batch", "-notext", "-config", "\(name).conf", "-name", "ca", "-cert", "\(authority).pem",
      "-keyfile", "\(authority).key", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z",
      "-extfile", "\(name).ext", "-in", "\(name).csr", "-out", "\(name).pem")
  }

  func broker(_ name: String, _ more: String = "") async throws -> Broker {
    try await Broker(
      """
      allow_anonymous true
      cafile \(path("ca.pem"))
      certfile \(path("\(name).pem"))
      keyfile \(path("\(name).key"))
      \(more)
      """
    ).start()
  }
}

extension RealBroker {
  @Suite("TLS with a real broker") struct TLSTests {
    private func refusal(_ broker: Broker, _ tls: TLS, host: String = "127.0.0.1") async throws
      -> ConnectionFailure
    {
      let (client, recorder) = try connect(to: broker, host: host) { $0.tls = tls }
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      #expect(recorder.connections == 0)
      await client.stop()
      return try #require(recorder.refusals.first)
    }

    private func connectOverTLS() async throws -> (Certificates, Broker, Client, Recorder) {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "127.0.0.1")
      let broker = try await certificates.broker("server")
      let (client, recorder) = try connect(to: broker) {
        $0.tls = TLS(authority: .file(certificates.path("ca.pem")))
      }
      return (certificates, broker, client, recorder)
    }

    @Test func aCertificateOfOurAuthorityIsTrusted() async throws {
      let (certificates, broker, client, recorder) = try await connectOverTLS()
      try await recorder.waitForConnection()
      try client.publish([1], to: "t", id: 1)
      try await recorder.wait("the acknowledgement") { $0.acknowledged == [1] }
      #expect(await client.stop() == 0)
      try await run(["openssl", "rehash", "."], in: certificates.directory)
      let (second, again) = try connect(to: broker) {
        $0.tls = TLS(authority: .directory(certificates.directory.path))
      }
      try await again.waitForConnection()
      await second.stop()
    }

    @Test func manyMessagesGoBothWaysAtOnce() async throws {
      let (certificates, broker, client, recorder) = try await connectOverTLS()
      // Whoever lets go of them takes the files away, and the broker with them.
      defer { withExtendedLifetime((certificates, broker)) {} }
      try client.subscribe(to: "t")
      try await recorder.waitForConnection()
      // Larger than a record of TLS, so that reads and writes end in the middle of one.
      let payload = [UInt8](repeating: 7, count: 20_000)
      // No more than the events keep for a reader who has to wait for the processor.
      let count = Events.octetCapacity / (payload.count + 1)
      for number in 0..<count {
        try await client.publishWhenRoom(payload, to: "t", qos: number % 2 == 0 ? .atLeastOnce : .atMostOnce)
      }
      try await recorder.wait("all acknowledgements") { $0.acknowledged.count == (count + 1) / 2 }
      try await recorder.wait("all messages") { $0.messages.count == count }
      #expect(recorder.messages.allSatisfy { $0.payload == payload })
      #expect(await client.stop() == 0)
    }

    @Test func anExpiredCertificateIsCalledThat() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "127.0.0.1", days: -1)
      let failure = try await refusal(
        certificates.broker("server"), TLS(authority: .file(certificates.path("ca.pem"))))
      #expect(failure.kind == .certificateExpired, "\(failure)")
      #expect(!failure.isPermanent)
    }

    @Test func anotherHostsCertificateIsCalledThat() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "elsewhere.example")
      let failure = try await refusal(
        certificates.broker("server"), TLS(authority: .file(certificates.path("ca.pem"))))
      #expect(failure.kind == .wrongHostName, "\(failure)")
      #expect(failure.description.hasSuffix("another host name: it is for elsewhere.example"), "\(failure)")
      #expect(failure.isPermanent)
    }

    /// The broker has no name in the network, or not that of its certificate.
    @Test func `a certificate for another name is accepted if that is expected, and no other`() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("gateway", host: "gateway")
      for name in ["elsewhere.example", "192.0.2.7"] {
        try await certificates.issue("server", host: name)
        let broker = try await certificates.broker("server", "require_certificate true")
        var tls = TLS(
          authority: .file(certificates.path("ca.pem")),
          identity: TLS.Identity(
            certificateFile: certificates.path("gateway.pem"), keyFile: certificates.path("gateway.key")),
          serverName: name)
        let (client, recorder) = try connect(to: broker) { $0.tls = tls }
        try await recorder.waitForConnection()
        await client.stop()
        for other in ["example", "127.0.0.1"] {
          tls.serverName = other
          let failure = try await refusal(broker, tls)
          #expect(
            failure.kind == .wrongHostName && failure.description.hasSuffix(": it is for \(name)"),
            "\(failure)")
        }
        tls.serverName = name
        tls.authority = .file(certificates.path("stranger.pem"))
        #expect(try await refusal(broker, tls).kind == .unknownAuthority)
      }
    }

    @Test func `renewed authorities count from the next connection on, under another name too`() async throws
    {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "elsewhere.example")
      let broker = try await certificates.broker("server")
      let trusted = URL(filePath: certificates.path("trusted.pem"))
      try Data(contentsOf: URL(filePath: certificates.path("stranger.pem"))).write(to: trusted)
      let (client, recorder) = try connect(to: broker) {
        $0.tls = TLS(authority: .file(trusted.path), serverName: "elsewhere.example")
      }
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      #expect(recorder.refusals.first?.kind == .unknownAuthority)
      try Data(contentsOf: URL(filePath: certificates.path("ca.pem"))).write(to: trusted, options: .atomic)
      try await recorder.waitForConnection()
      await client.stop()
    }

    @Test func `a certificate for half of a name is not for that name`() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "b*.example.org")
      let tls = TLS(authority: .file(certificates.path("ca.pem")), serverName: "broker.example.org")
      let failure = try await refusal(certificates.broker("server"), tls)
      #expect(failure.kind == .wrongHostName, "\(failure)")
    }

    @Test func anUnknownAuthorityIsCalledThat() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "127.0.0.1")
      let broker = try await certificates.broker("server")
      for authority in [TLS.Authority.file(certificates.path("stranger.pem")), .system] {
        let failure = try await refusal(broker, TLS(authority: authority))
        #expect(failure.kind == .unknownAuthority, "\(failure)")
        #expect(failure.isPermanent)
      }
    }

    @Test func aBrokerWithoutTLSIsCalledThat() async throws {
      let certificates = try await Certificates()
      let broker = try await Broker().start()
      let failure = try await refusal(broker, TLS(authority: .file(certificates.path("ca.pem"))))
      #expect(failure.kind == .tls, "\(failure)")
      #expect(failure.description.contains("does not speak TLS on this port"), "\(failure)")
      #expect(!failure.description.contains("SSL routines"), "\(failure)")
    }

    @Test func aClientCertificateOpensTheDoor() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "127.0.0.1")
      try await certificates.issue("gateway", host: "gateway")
      let broker = try await certificates.broker("server", "require_certificate true")
      let (client, recorder) = try connect(to: broker) {
        $0.tls = TLS(
          authority: .file(certificates.path("ca.pem")),
          identity: TLS.Identity(
            certificateFile: certificates.path("gateway.pem"), keyFile: certificates.path("gateway.key")))
      }
      try await recorder.waitForConnection()
      #expect(recorder.refusals.isEmpty)
      await client.stop()
    }

    @Test func withoutTheRightClientCertificateTheDoorStaysShut() async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "127.0.0.1")
      try await certificates.issue("old", host: "gateway", days: -1)
      try await certificates.issue("foreign", host: "gateway", by: "stranger")
      try await run(
        ["openssl", "ec", "-aes256", "-passout", "pass:secret", "-in", "foreign.key", "-out", "locked.key"],
        in: certificates.directory)
      let broker = try await certificates.broker("server", "require_certificate true")
      let authority = TLS.Authority.file(certificates.path("ca.pem"))
      let identities: [TLS.Identity?] = [
        nil,
        TLS.Identity(certificateFile: certificates.path("old.pem"), keyFile: certificates.path("old.key")),
        TLS.Identity(
          certificateFile: certificates.path("foreign.pem"), keyFile: certificates.path("foreign.key")),
      ]
      for identity in identities {
        let failure = try await refusal(broker, TLS(authority: authority, identity: identity))
        #expect(failure.description.contains("certificate"), "\(failure)")
        #expect(failure.isPermanent)
      }
      // The passphrase must not be asked for on the terminal.
      for key in ["locked.key", "old.key"] {
        let identity = TLS.Identity(
          certificateFile: certificates.path("foreign.pem"), keyFile: certificates.path(key))
        let failure = try await refusal(broker, TLS(authority: authority, identity: identity))
        #expect(failure.kind == .ownCertificate, "\(failure)")
        #expect(failure.description.contains("cert_file") && failure.isPermanent, "\(failure)")
      }
    }
  }
}
