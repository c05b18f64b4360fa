import Beacons
import Core

/// A stream of events, each with its length before it: reports lie inside their event, and what is kept of
/// fragments is bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Span(_unsafeStart: start, count: count)
  var reports = AdvertisingReports()
  var offset = 0
  while offset < count {
    let end = min(count, offset + 1 + Int(input[offset]))
    let event = input.extracting((offset + 1)..<end)
    var visited = 0
    do {
      try reports.read(
        event, receiver: ReceiverIndex(rawValue: 0), time: .zero, wallTime: WallTime(nanoseconds: 0)
      ) { advertisement, payload in
        visited += 1
        precondition(advertisement.rssi != 127)
        precondition(payload.count <= FragmentedAdvertisements.maximumLength)
        FrameDecoder.forEachFrame(in: payload) { _, _ in }
      }
    } catch {
      precondition(!error.description.isEmpty)
    }
    precondition(visited <= event.count)
    precondition(reports.fragments.pending <= FragmentedAdvertisements.limit)
    offset = end
  }
  return 0
}
