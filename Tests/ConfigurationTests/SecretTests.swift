@testable import Configuration
import Testing

@Suite struct SecretTests {
  @Test func printsNothingOfItself() {
    let broker = RemoteBroker(host: "broker.lan", port: 1883, password: Secret("hunter2"))
    let key = SecretBytes([0x5E, 0xC2, 0xE7])
    var dumped = ""
    dump(broker, to: &dumped)
    dump(key, to: &dumped)
    let shown = "\(broker) \(key) \(String(reflecting: broker)) \(String(reflecting: key)) \(dumped)"
    #expect(!shown.contains("hunter2"))
    for octet in ["94", "194", "231", "5e", "c2", "e7"] {
      #expect(!shown.lowercased().contains(octet), "\(octet) in \(shown)")
    }
  }
}
