import ArgumentParser
import Beacons
import Captures
import Gateway

extension WalkWithMarks {
  /// Chooses the beacon: the wanted one, otherwise the only one.
  init(_ heard: HeardWalk, wanted: String?, marks: [Placed], isLive: Bool = false) throws(ExitCode) {
    let beacons = heard.heard
    guard let first = beacons.first else {
      let what = wanted.map { "the beacon “\($0)”" } ?? "any configured beacon"
      throw failure(
        "nothing was heard of \(what); `beaconkeeper scan\(isLive ? "" : " --capture")` shows what there is",
        isLive ? .unavailable : .dataError)
    }
    guard beacons.count == 1 else {
      let list = beacons.prefix(10).map { "\($0.name) (\($0.count) times)" }.joined(separator: ", ")
      let more = beacons.count > 10 ? " and \(beacons.count - 10) more" : ""
      throw failure("several beacons were heard: \(list)\(more); name yours with --beacon", .dataError)
    }
    self.init(
      beacon: first.name, sightings: heard.sightings(of: first.beacon), receivers: heard.receivers,
      marks: marks)
  }
}
