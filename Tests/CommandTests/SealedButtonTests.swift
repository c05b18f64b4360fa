import Foundation
import Testing

/// A button whose BTHome is encrypted, at a broker that forbids its events for a while.
@Suite struct SealedButtonTests {
  /// By counter from 5001 on: press, press, double_press, long_press, press, press, triple_press, press; made with Python's
  /// `cryptography`.
  private static let frames = [
    "453fbc891300002a23726a", "4515c58a130000b6173198", "456b748b1300002119598d", "450ab68c130000fab08fdf",
    "45bda48d1300002ca2e200", "45cf638e13000053f76baf", "454ac38f13000037e66def", "453f8d90130000c22efa85",
  ]
  private static let words = [
    "press", "press", "double_press", "long_press", "press", "press", "triple_press", "press",
  ]

  private struct Event: Hashable, Decodable {
    var id: String
    var epoch: UInt64
    var seq: UInt64
    var event: String
    var packet: Int
  }

  private func folder(_ port: Int, protocol version: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bell-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let keys = folder.appendingPathComponent("keys.yaml")
    try Data("bell: 231d39c1d7cc1ab1aee224cd096db932\n".utf8).write(to: keys)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path)
    try Data(
      """
      gateway: { name: yard, state_directory: state }
      broker: { url: "mqtt://127.0.0.1:\(port)", protocol: \(version) }
      keys_file: keys.yaml
      beacons: [{ name: bell, address: "54:48:E6:8F:80:A5", bind_key: bell }]
      zones: [{ name: house, enter: { signal: -70 dBm, dwell: 0 s }, exit: { signal: -80 dBm } }]
      telemetry: { health: 1 s }
      """.utf8
    ).write(to: folder.appendingPathComponent("yard.yaml"))
    return folder
  }

  private func press(_ numbers: Range<Int>, _ pipe: Pipe) throws {
    for number in numbers {
      let entry =
        #"{"t":1,"receiver":"hci0","address":"54:48:E6:8F:80:A5","address_type":"public","rssi":-60,"#
        + #""payload":"0e16d2fc\#(Self.frames[number])"}"# + "\n"
      // A button repeats what it says.
      try pipe.fileHandleForWriting.write(contentsOf: Data(String(repeating: entry, count: 5).utf8))
      usleep(50_000)
    }
  }

  @Test(arguments: ["5", "3.1.1"]) func itsForbiddenEventsComeOnceAndInOrder(version: String) async throws {
    let allowed = "topic readwrite #\n"
    let access = try file(allowed, "acl")
    let broker = try await Broker("allow_anonymous true\nacl_file \(access)\nuser root")
    defer { broker.stop() }
    func allow(_ list: String) async throws {
      try Data(list.utf8).write(to: URL(fileURLWithPath: access))
      try await broker.reload()
    }
    /// By MQTT 3.1.1 a broker acknowledges what it drops. So what it may have dropped comes again, under the same id.
    func events() -> [Event] {
      var ids: Set<String> = []
      return all().filter { version == "5" || ids.insert($0.id).inserted }
    }
    func all() -> [Event] {
      broker.messages.filter { $0.topic == "beaconkeeper/yard/beacon/bell/event" }
        .compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.payload)) }
    }
    func health() -> String {
      let last = broker.messages.last { $0.topic.hasSuffix("/health") }
      return last.map { String(decoding: $0.payload, as: UTF8.self) } ?? ""
    }
    let refused = #""refused":["beaconkeeper/yard/beacon/bell/event"]"#
    let folder = try folder(broker.port, protocol: version)
    let pipe = Pipe()
    func start() throws -> Command {
      try Command(
        ["run", "--config", "yard.yaml", "--capture", "-"], standardInput: pipe.fileHandleForReading,
        directory: folder)
    }

    let first = try start()
    defer { first.signal(SIGKILL) }
    try press(0..<2, pipe)
    #expect(try await first.wait { events().count == 2 }, "\(first.errorsSoFar)")
    let before = events()
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)

    try await allow(allowed + "topic deny beaconkeeper/yard/beacon/bell/event\n")
    let second = try start()
    defer { second.signal(SIGKILL) }
    try press(2..<5, pipe)
    let notice = "refuses messages to beaconkeeper/yard/beacon/bell/event"
    #expect(try await second.wait { second.errorsSoFar.contains(notice) }, "\(second.errorsSoFar)")
    try press(5..<6, pipe)
    // All four were decided, beside the enter, and are on disk by then.
    let decided = #""transitions":5,"#
    #expect(try await second.wait { health().contains(refused) && health().contains(decided) }, "\(health())")
    #expect(second.errorsSoFar.split(separator: "\n").count { $0.contains("bell/event") } == 1)
    // A crash takes none of them along.
    second.signal(SIGKILL)
    _ = try await second.end()

    let third = try start()
    defer { third.signal(SIGKILL) }
    #expect(try await third.wait { third.errorsSoFar.contains(notice) }, "\(third.errorsSoFar)")
    try press(6..<8, pipe)
    #expect(try await third.wait { health().contains(refused) }, "\(health())")
    #expect(events() == before)
    try await allow(allowed)
    third.signal(SIGHUP)
    #expect(try await third.wait { events().count == 8 }, "\(events()) \(third.errorsSoFar)")
    #expect(try await third.wait { !health().contains(refused) }, "\(health())")
    third.signal(SIGTERM)
    #expect(try await third.end().status == 0)

    let told = events()
    #expect(told.map(\.packet) == Array(5001...5008))
    #expect(told.map(\.event) == Self.words)
    #expect(Set(told.map(\.id)).count == 8)
    let numbers = told.map { [$0.epoch, $0.seq] }
    #expect(numbers == numbers.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(Set(told.map(\.epoch)).count == 3)
  }
}
