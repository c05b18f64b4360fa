/// A region that a gateway broadcasts to wake phones, and its state in the phone's system.
struct WakeRegion: Hashable, Sendable {
  var isOnAir = false
  var monitored = MonitoredRegion()
}

/// The enter or exit of a wake region, as reported to the app.
public struct RegionCallback: Hashable, Sendable {
  public var time: Milliseconds
  /// Its index, from 0.
  public var region: Int
  public var isEnter: Bool
}

extension PhoneEngine {
  /// Regions with this index or a higher one are ignored, whatever a profile says.
  static let wakeRegionLimit = 32

  /// The gateway starts or stops broadcasting a wake region. It stands where the beacon does: the phone hears both within the
  /// same distance. Regions beyond the system's limit are not monitored.
  mutating func setOnAir(_ index: Int, _ isOnAir: Bool) {
    guard (0..<rules.wakeRegionLimit).contains(index) else { return }
    while wakeRegions.count <= index { wakeRegions.append(WakeRegion()) }
    guard wakeRegions[index].isOnAir != isOnAir else { return }
    wakeRegions[index].isOnAir = isOnAir
    if isHeard { wakeRegionHeard(index, isOnAir) }
  }

  /// The phone came into earshot of the gateway, or left it.
  mutating func wakeRegionsHeard() {
    for index in wakeRegions.indices where wakeRegions[index].isOnAir {
      wakeRegionHeard(index, isHeard)
    }
  }

  private mutating func wakeRegionHeard(_ index: Int, _ isHeard: Bool) {
    guard isMonitoring else { return }
    wakeRegions[index].monitored.hearingChanged(to: isHeard, at: now, rules)
  }

  mutating func wakeRegionEntered(_ index: Int, into output: inout PolicyOutput) {
    isUnsettled = true
    wakeRegions[index].monitored = MonitoredRegion(isInside: true)
    output.callbacks.append(RegionCallback(time: now, region: index, isEnter: true))
    noteDetection()
    wake(.regionEnter)
  }

  mutating func wakeRegionExited(_ index: Int, into output: inout PolicyOutput) {
    isUnsettled = true
    wakeRegions[index].monitored = MonitoredRegion(isInside: false)
    output.callbacks.append(RegionCallback(time: now, region: index, isEnter: false))
    wake(.regionExit)
  }

  /// Monitoring began or ended. As for the app's own region, no event reports it.
  mutating func wakeRegionsSightChanged() {
    for index in wakeRegions.indices {
      let wasInside = wakeRegions[index].monitored.isInside
      let isInside = isMonitoring ? isHeard && wakeRegions[index].isOnAir : wasInside
      wakeRegions[index].monitored.sightChanged(isInside: isInside)
    }
  }
}
