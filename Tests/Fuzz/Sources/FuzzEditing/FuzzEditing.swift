import Beacons
@testable import Configuration
import Core
import Proximity

/// A configuration's text that the page changes: it never traps, and what it gives means what was meant and nothing else.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = ConfigurationText(
    Array(UnsafeBufferPointer(start: start, count: count)), path: "fuzz.yaml", environment: [:],
    hostName: "host")
  guard
    let loaded = try? Configuration.read(
      text.bytes, path: "fuzz.yaml", environment: [:], hostName: "host", connects: false)
  else {
    _ = try? text.adding(beacon: "new", .address(0xC100_0000_0001))
    return 0
  }
  for zone in loaded.configuration.zones where zone.rooms == nil {
    var wanted = zone
    wanted.enter.dwell = .seconds(7)
    wanted.near = nil
    guard let changed = try? text.changing(wanted) else { continue }
    guard let now = changed.configuration.zones.first(where: { $0.name == zone.name }), now == wanted,
      changed.configuration.beacons == loaded.configuration.beacons
    else { fatalError("the change means something else") }
  }
  if let changed = try? text.adding(beacon: "new", .address(0xC100_0000_0001)),
    changed.configuration.beacons.count != loaded.configuration.beacons.count + 1
  {
    fatalError("not one beacon more")
  }
  return 0
}
