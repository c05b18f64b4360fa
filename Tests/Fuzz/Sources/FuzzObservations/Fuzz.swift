import Beacons
@testable import Contract
import Core

/// Batches of another gateway, one a line, a second apart: whatever their clocks say, nothing is heard in the future, or over a minute
/// before its batch came first.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  var intake = ScannerIntake([Scanner(kind: .beaconkeeper)], ownGateway: "home", expected: ["hall/hci0"])
  var hearing = Hearing()
  var now = MonotonicTime.zero + .seconds(1000)
  for line in input.split(separator: 0x0A, maxSplits: 50) {
    now = now + .seconds(1)
    let topic = line.first == 0x20 ? "beaconkeeper/hall/health" : "beaconkeeper/hall/observations/0"
    _ = intake.take(
      Array(line), topic: topic, isRetained: false, at: now, wallTime: WallTime(nanoseconds: 0),
      into: &hearing)
    for observation in hearing.observations {
      precondition(observation.time <= now)
      precondition(now - observation.time <= .seconds(121))
      precondition((1...200).contains(observation.key.utf8.count))
      precondition(Int(observation.receiver.rawValue) < intake.table.names.count)
    }
    hearing.removeAll()
  }
  precondition(intake.gatewayFigures.count <= 1)
  return 0
}
