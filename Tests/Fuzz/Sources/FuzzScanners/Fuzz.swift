import Beacons
@testable import Contract
import Core

/// Messages of scanners of other makers. The first line is the topic; the first octet of the message chooses whether the broker had
/// kept it.
private let scanners = [
  Scanner(kind: .espresense, identities: ["phone:anna": "entry key anna"]), Scanner(kind: .theengs),
  Scanner(
    kind: .json, topic: try? TopicPattern("/gw/{receiver}/status"),
    status: try? TopicPattern("/gw/{receiver}/lwt"),
    mapping: JSONMapping(
      each: "devices",
      fields: Dictionary(uniqueKeysWithValues: JSONMapping.Field.allCases.map { ($0, $0.rawValue) }))),
  Scanner(
    kind: .json, topic: try? TopicPattern("list/#"),
    mapping: JSONMapping(fields: [.address: "a.b", .rssi: "rssi", .raw: "raw", .time: "t", .receiver: "gw"])),
]

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let end = input.firstIndex(of: 0x0A) ?? input.endIndex
  let topic = String(decoding: input[..<end], as: UTF8.self)
  let payload = Array(input[end...].dropFirst())
  var intake = ScannerIntake(scanners, ownGateway: "home", expected: ["kitchen"])
  var hearing = Hearing()
  for step in 0..<3 {
    let isOurs = intake.take(
      payload, topic: topic, isRetained: payload.first == 0x20, at: MonotonicTime(nanoseconds: Int64(step)),
      wallTime: WallTime(nanoseconds: 0), into: &hearing)
    precondition(isOurs || hearing.isEmpty)
  }
  precondition(hearing.notices.count <= 20)
  precondition(intake.table.names.allSatisfy { (1...64).contains($0.utf8.count) })
  hearing.batch.forEach { advertisement, bytes in
    precondition(Int(advertisement.receiver.rawValue) < intake.table.names.count)
    precondition(bytes.count <= FragmentedAdvertisements.maximumLength)
    precondition(advertisement.rssi.map { (-127...20).contains($0) } ?? true)
    FrameDecoder.forEachFrame(in: bytes) { _, _ in }
  }
  return 0
}
