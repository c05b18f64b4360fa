import Phones

private let profile = Catalogue.system(named: "ios17").flatMap { os in
  Catalogue.strategy(named: "background-task").flatMap { PhoneProfile(os: os, strategy: $0) }
}
private let truth = TimelineFile(
  Array("{\"t\":0,\"event\":\"background\"}\n{\"t\":2,\"distance_m\":50}\n{\"t\":52,\"distance_m\":0}".utf8)
).timeline()

/// A phone's log: lines of any kind, compared with a prediction.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var log = SeenLog(app: bytes.first == 0x20 ? "Shop" : nil)
  log.read(bytes)
  guard let profile else { return 0 }
  let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
  for truth in [nil, truth] {
    guard let comparison = try? LogComparison(log, with: profile, near: near, truth: truth) else { continue }
    var fit = LogFit()
    fit.add(log, comparison)
    _ = fit.rows.map(\.rounded)
  }
  return 0
}
