/// A region that a gateway broadcasts to wake phones, and what the system knows of it.
struct WakeRegion: Hashable, Sendable {
  var isOnAir = false
  var isInside = false
  var enterDue = Milliseconds.never
  var exitDue = Milliseconds.never
}

/// A wake region's enter or exit, as the app was told of it.
public struct RegionCallback: Hashable, Sendable {
  public var time: Milliseconds
  /// Counts from 0.
  public var region: Int
  public var isEnter: Bool
}

extension PhoneEngine {
  /// Indices beyond this are left out, whatever a profile says.
  static let wakeRegionLimit = 32

  /// A wake region comes on air or leaves it. The gateway stands where the beacon does: the phone hears it within the
  /// same distance. Regions beyond the system's limit are not monitored.
  mutating func setOnAir(_ index: Int, _ isOnAir: Bool) {
    guard (0..<rules.wakeRegionLimit).contains(index) else { return }
    while wakeRegions.count <= index { wakeRegions.append(WakeRegion()) }
    guard wakeRegions[index].isOnAir != isOnAir else { return }
    wakeRegions[index].isOnAir = isOnAir
    if isHeard { wakeRegionHeard(index, isOnAir) }
  }

  /// The phone came within reach of the gateway, or left it.
  mutating func wakeRegionsHeard() {
    for index in wakeRegions.indices where wakeRegions[index].isOnAir {
      wakeRegionHeard(index, isHeard)
    }
  }

  private mutating func wakeRegionHeard(_ index: Int, _ isHeard: Bool) {
    guard isMonitoring else { return }
    if isHeard {
      wakeRegions[index].exitDue = .never
      if !wakeRegions[index].isInside { wakeRegions[index].enterDue = now + rules.entryLatency }
    } else {
      wakeRegions[index].enterDue = .never
      if wakeRegions[index].isInside { wakeRegions[index].exitDue = now + rules.exitLatency }
    }
  }

  mutating func wakeRegionEntered(_ index: Int, into output: inout PolicyOutput) {
    isUnsettled = true
    wakeRegions[index].enterDue = .never
    wakeRegions[index].isInside = true
    output.callbacks.append(RegionCallback(time: now, region: index, isEnter: true))
    noteDetection()
    wake(.regionEnter)
  }

  mutating func wakeRegionExited(_ index: Int, into output: inout PolicyOutput) {
    isUnsettled = true
    wakeRegions[index].exitDue = .never
    wakeRegions[index].isInside = false
    output.callbacks.append(RegionCallback(time: now, region: index, isEnter: false))
    wake(.regionExit)
  }

  /// Monitoring began or ended: as for the app's own region, no event tells of it.
  mutating func wakeRegionsSightChanged() {
    for index in wakeRegions.indices {
      wakeRegions[index].enterDue = .never
      wakeRegions[index].exitDue = .never
      if isMonitoring { wakeRegions[index].isInside = isHeard && wakeRegions[index].isOnAir }
    }
  }
}
