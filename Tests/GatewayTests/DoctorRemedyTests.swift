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

  @Test func `another machine, port or reason is a matter of the configuration`() {
    let usual = "look at broker: in the configuration"
    #expect(remedy("broker.lan") == usual)
    #expect(remedy("localhost", port: 1884) == usual)
    #expect(remedy("localhost", .badCredentials) == usual)
    #expect(
      Doctor.remedy(RemoteBroker(host: "localhost", port: 1883), .silent, hasMosquitto: true) == usual)
  }
}
