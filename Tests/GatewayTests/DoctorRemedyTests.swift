@testable import Configuration
import Testing

@testable import Gateway
@testable import Mosquitto

@Suite struct DoctorRemedyTests {
  private func remedy(
    _ host: String, port: UInt16 = 1883, _ kind: ConnectionFailure.Kind = .connectionRefused,
    hasMosquitto: Bool = true
  ) -> String {
    Doctor.remedy(
      RemoteBroker(host: host, port: port), .refused(ConnectionFailure(kind, "")), hasMosquitto: hasMosquitto)
  }

  @Test(arguments: ["localhost", "127.0.0.1", "::1"])
  func `where nobody listens on this machine, its mosquitto is to be started`(host: String) {
    #expect(remedy(host) == "sudo systemctl enable --now mosquitto")
    #expect(remedy(host, hasMosquitto: false) == "sudo apt install mosquitto")
  }

  @Test func `another machine or port is a matter of that broker`() {
    #expect(remedy("broker.lan").hasPrefix("see that the broker runs"))
    #expect(remedy("localhost", port: 1884).contains("port 1884"))
    #expect(
      Doctor.remedy(RemoteBroker(host: "localhost", port: 1883), .silent, hasMosquitto: true)
        == "look at broker: in the configuration")
  }

  /// The password goes with it.
  @Test func `the line to watch with checks the certificate's name, whatever the host`() {
    var broker = RemoteBroker(host: "10.0.0.1", port: 8883)
    broker.tls = TLSSettings()
    #expect(broker.subscriber.contains("-h 10.0.0.1 ") && broker.subscriberNeeds == nil)
    broker.tls?.serverName = "broker.example"
    #expect(broker.subscriber.contains("-h broker.example ") && !broker.subscriber.contains("--insecure"))
    #expect(broker.subscriberNeeds == "first make broker.example lead to 10.0.0.1, as in /etc/hosts")
  }

  @Test(arguments: [
    (ConnectionFailure.Kind.badCredentials, "password_file"), (.clientIDRejected, "client_id"),
    (.unknownAuthority, "ca_file"), (.wrongHostName, "certificate"), (.certificateExpired, "renew"),
    (.certificateNotYetValid, "clock"), (.clientCertificate, "cert_file"), (.ownCertificate, "key_file"),
    (.tls, "mqtts://"), (.hostUnknown, "host"),
  ])
  func `each reason names what mends it`(kind: ConnectionFailure.Kind, word: String) {
    #expect(remedy("localhost", kind).contains(word))
  }
}
