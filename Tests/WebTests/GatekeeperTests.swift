import Configuration
import Testing

@testable import Web

/// Who is let in, and whose pages are not.
struct GatekeeperTests {
  private let open = Gatekeeper(settings: HTTPSettings(), machine: "pi")

  private func request(
    _ method: Request.Method = .get, host: String? = "127.0.0.1:8099", _ headers: [String: String] = [:],
    peer: String = "127.0.0.1"
  ) -> Request {
    var headers = headers
    headers["host"] = host
    return Request(method: method, path: ["api"], headers: headers, peer: peer)
  }

  private func refusal(_ keeper: Gatekeeper, _ request: Request) -> Gatekeeper.Refusal? {
    do throws(Gatekeeper.Refusal) { try keeper.check(request) } catch { return error }
    return nil
  }

  @Test(arguments: [
    "127.0.0.1:8099", "localhost:8099", "localhost", "[::1]:8099", "192.168.1.7:8099", "pi", "PI:8099",
    "pi.local",
  ])
  func `an address, localhost and the machine's own name are ours`(host: String) {
    #expect(refusal(open, request(host: host)) == nil)
  }

  @Test(arguments: [
    "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "pi.evil.example:8099",
    "1.2.3:80",
    "[::1", "256.1.1.1", "pi:80:90", "[]", "[]:8099", "[:]", "[.:.]", "[abcd]", "+1.2.3.4",
  ])
  func `any other name is not: a page could have rebound it`(host: String) {
    #expect(refusal(open, request(host: host)) == .foreignHost)
  }

  @Test func `a request without a host is refused`() {
    #expect(refusal(open, request(host: nil)) == .foreignHost)
  }

  @Test func `a configured name is ours`() {
    let keeper = Gatekeeper(settings: HTTPSettings(hosts: ["Gate.Lan"]), machine: "pi")
    #expect(refusal(keeper, request(host: "gate.lan:8099")) == nil)
  }

  @Test(arguments: [
    "https://evil.example", "null", "http://localhost:8099", "http://127.0.0.1:80", "127.0.0.1:8099",
  ])
  func `a page of another origin is refused`(origin: String) {
    #expect(refusal(open, request(.post, ["origin": origin])) == .foreignOrigin)
  }

  @Test func `our own page is let in, by either scheme, as TLS may end at a proxy`() {
    #expect(refusal(open, request(.post, ["origin": "http://127.0.0.1:8099"])) == nil)
    #expect(refusal(open, request(.post, ["origin": "https://127.0.0.1:8099"])) == nil)
  }

  @Test func `another site's page may link here, and nothing else`() {
    let link = ["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"]
    #expect(refusal(open, request(.get, link)) == nil)
    #expect(refusal(open, request(.post, link)) == .foreignOrigin)
    let image = ["sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"]
    #expect(refusal(open, request(.get, image)) == .foreignOrigin)
  }

  @Test func `on loopback everybody may look, and nobody write without a password for it`() {
    #expect(open.rights(of: request()) == Rights(read: true, write: false))
  }

  @Test func `beyond loopback nobody may look without a password`() {
    let keeper = Gatekeeper(
      settings: HTTPSettings(address: "0.0.0.0", readPassword: Secret("look")), machine: "pi")
    #expect(keeper.rights(of: request()) == .none)
    #expect(
      keeper.rights(of: request(.get, ["authorization": "Bearer look"])) == Rights(read: true, write: false))
  }

  @Test func `a password may come as Basic or Bearer, and wrong ones give nothing`() {
    let settings = HTTPSettings(readPassword: Secret("look"), writePassword: Secret("change"))
    let keeper = Gatekeeper(settings: settings, machine: "pi")
    // curl -u any:change
    #expect(
      keeper.rights(of: request(.get, ["authorization": "Basic YW55OmNoYW5nZQ=="]))
        == Rights(read: true, write: true))
    for wrong in ["Bearer ", "Bearer loo", "Bearer lookk", "Basic !!!", "Digest look", "look", ""] {
      #expect(keeper.rights(of: request(.get, ["authorization": wrong])).read == false, "\(wrong)")
    }
  }

  @Test func `a proxy that has checked who asks may look, with any host`() {
    let settings = HTTPSettings(address: "0.0.0.0", readPassword: Secret("look"), proxies: ["172.30.32.2"])
    let keeper = Gatekeeper(settings: settings, machine: "pi")
    let proxied = request(host: "home.example", peer: "172.30.32.2")
    #expect(refusal(keeper, proxied) == nil)
    #expect(keeper.rights(of: proxied) == Rights(read: true, write: false))
    #expect(keeper.rights(of: request(peer: "172.30.32.3")) == .none)
  }
}
