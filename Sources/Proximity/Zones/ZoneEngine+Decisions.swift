import Beacons
import Core

/// Decides enter, near and exit.
extension ZoneEngine {
  /// Processes everything due for a beacon and schedules its next deadline. Silences come first, so that a dwell ended by a silence
  /// does not count as complete.
  mutating func settle(_ beacon: Int, at time: MonotonicTime, into transitions: inout [Transition]) {
    for link in beacons[beacon].links.indices
    where beacons[beacon].links[link].isCurrent && beacons[beacon].links[link].silenceDeadline <= time
      && !isDoubted(beacon, link: link)
    {
      fallSilent(beacon, link, at: time, into: &transitions)
    }
    for stay in beacons[beacon].stays.indices { settle(beacon, stay, at: time, into: &transitions) }
    watch(beacon)
  }

  /// Processes everything due for one stay. The caller schedules the next deadline.
  mutating func settle(
    _ beacon: Int, _ stay: Int, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    let zone = beacons[beacon].stays[stay].zone
    let number = Int(zone.rawValue)
    while true {
      let due = beacons[beacon].stays[stay].due(
        at: time, dwells: rules.zones[number].dwells, isBlind: rules.zones[number].isFrozen)
      if due.isComing, hasToWait(beacon, stay, at: time) { return }
      switch due {
      case .nothing: return
      case .held: return hold(beacon, stay, because: .flickers)
      case .enter, .enterAndNear:
        transitions.append(transition(.enter, of: beacon, stay, at: time))
        beacons[beacon].stays[stay].isInside = true
        beacons[beacon].stays[stay].since = wallTime(of: beacon, at: time)
        beacons[beacon].stays[stay].spend(at: time)
        insiders[number].insert(BeaconIndex(rawValue: Int32(beacon)))
        if due == .enterAndNear { fallthrough }
      case .near:
        transitions.append(transition(.near, of: beacon, stay, at: time))
        beacons[beacon].stays[stay].isArmed = false
        beacons[beacon].stays[stay].spend(at: time)
      case .rearm where isMissedByBlind(beacon, stay, at: time) || isRecovering(beacon, stay, at: time):
        beacons[beacon].stays[stay].isRearmDue = false
      case .rearm:
        beacons[beacon].stays[stay].rearm()
        rearmedZones.insert(zone)
      case .lost where isDoubted(beacon, stay):
        beacons[beacon].stays[stay].lostDeadline = time + Self.doubtPause
      case .exit where isDoubted(beacon, stay) || isRecovering(beacon, stay, at: time):
        beacons[beacon].stays[stay].exitSince = Stay.never
      case .exit, .lost:
        transitions.append(
          due == .exit
            ? transition(.exit, of: beacon, stay, at: time) : loss(of: beacon, stay, at: time))
        beacons[beacon].stays[stay].leave()
        if due == .lost { beacons[beacon].stays[stay].interrupt() }
        insiders[number].remove(BeaconIndex(rawValue: Int32(beacon)))
      }
    }
  }

  /// After a loss that was held back, the beacon is judged again this much later.
  private static let doubtPause = TimeSpan.seconds(1)

  /// Whether the receiver of a link may have failed. If so, its silence does not show whether the beacon is
  /// still near.
  private func isDoubted(_ beacon: Int, link: Int) -> Bool {
    rules.receivers[Int(beacons[beacon].links[link].receiver.rawValue)].isDoubted
  }

  /// Whether a receiver that heard the beacon in the zone until the end may have failed.
  private func isDoubted(_ beacon: Int, _ stay: Int) -> Bool {
    beacons[beacon].links.indices.contains { link in
      beacons[beacon].stays[stay].isOf(link)
        && (beacons[beacon].links[link].isCurrent || Int(beacons[beacon].stays[stay].lastLink) == link)
        && isDoubted(beacon, link: link)
    }
  }

  /// Whether a receiver that heard the beacon in the zone has recovered, and has not yet had time to hear it
  /// again. Until then, what more distant receivers hear does not show that the beacon is away.
  private func isRecovering(_ beacon: Int, _ stay: Int, at time: MonotonicTime) -> Bool {
    beacons[beacon].links.indices.contains { index in
      let link = beacons[beacon].links[index]
      return beacons[beacon].stays[stay].isOf(index) && link.silentSince > link.lastHeard
        && time < link.silenceDeadline
    }
  }

  /// Whether a receiver that heard the beacon in the zone recently is blind now.
  private func isMissedByBlind(_ beacon: Int, _ stay: Int, at time: MonotonicTime) -> Bool {
    beacons[beacon].links.indices.contains { index in
      let link = beacons[beacon].links[index]
      return beacons[beacon].stays[stay].isOf(index) && sight.isBlind(link.receiver)
        && time - link.lastHeard < Self.blindMemory
    }
  }

  /// For how long a receiver that became blind prevents near from being re-armed by what more distant
  /// receivers hear. The time is limited, because a receiver may be broken for good.
  private static let blindMemory = TimeSpan.seconds(600)

  /// Removes a beacon from a zone after a change of the configuration.
  public mutating func leave(
    _ zone: ZoneIndex, _ beacon: BeaconIndex, because reason: Evidence.Reason, at time: MonotonicTime,
    into transitions: inout [Transition]
  ) {
    guard let index = admitted(beacon), let stay = beacons[index].stay(in: zone),
      beacons[index].stays[stay].isInside
    else { return }
    // The beacon may still be heard, so distance and signal come from the deciding receiver, not from the last one.
    var exit = transition(.exit, of: index, stay, at: max(time, now))
    let (samples, receiver) = (exit.evidence.samples, exit.evidence.receiver)
    exit.evidence = loss(of: index, stay, at: max(time, now)).evidence
    (exit.evidence.samples, exit.evidence.receiver) = (samples, receiver)
    exit.evidence.reason = reason
    exit.evidence.threshold = 0
    transitions.append(exit)
    beacons[index].stays[stay].leave()
    beacons[index].stays[stay].interrupt()
    insiders[Int(zone.rawValue)].remove(beacon)
  }

  /// A receiver stopped hearing a beacon at `time`.
  private mutating func fallSilent(
    _ beacon: Int, _ link: Int, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    beacons[beacon].links[link].isCurrent = false
    silenced.insert(BeaconIndex(rawValue: Int32(beacon)))
    beacons[beacon].countReceivers(rules)
    if beacons[beacon].locator?.receivers == 0 { places?.forget(beacon) }
    for stay in beacons[beacon].stays.indices where beacons[beacon].stays[stay].isOf(link) {
      let zone = Int(beacons[beacon].stays[stay].zone.rawValue)
      if beacons[beacon].isHeard(in: stay) {
        // A blind receiver's silence does not make the beacon more distant.
        if !sight.isBlind(beacons[beacon].links[link].receiver),
          let standing = standing(of: beacon, stay, at: time)
        {
          beacons[beacon].stays[stay].stand(standing, at: time)
        }
      } else if rules.zones[zone].lost == nil {
        beacons[beacon].stays[stay].interrupt()
        if !rules.zones[zone].isBlind {
          beacons[beacon].stays[stay].lostDeadline = max(time, beacons[beacon].patienceEnds(in: stay))
        }
      }
      settle(beacon, stay, at: time, into: &transitions)
    }
  }

  /// The standing of a beacon in a zone; nil if unknown.
  func standing(of beacon: Int, _ stay: Int, at time: MonotonicTime) -> Standing? {
    if rules.isLocating, places?.isOpen(beacon) == true { return nil }
    let zone = Int(beacons[beacon].stays[stay].zone.rawValue)
    return rules.zones[zone].standing(of: nearest(of: beacon, stay, at: time))
  }

  private func nearest(of beacon: Int, _ stay: Int, at time: MonotonicTime) -> Nearest {
    let zone = Int(beacons[beacon].stays[stay].zone.rawValue)
    return beacons[beacon].nearest(
      beacons[beacon].stays[stay].links, lost: rules.zones[zone].lost, at: time)
  }

  private func transition(
    _ event: Transition.Event, of beacon: Int, _ index: Int, at time: MonotonicTime
  ) -> Transition {
    let stay = beacons[beacon].stays[index]
    let rules = rules.zones[Int(stay.zone.rawValue)]
    let (boundary, since) =
      switch event {
      case .enter: (rules.enter, stay.enterSince)
      case .near: (rules.near ?? rules.enter, stay.nearSince)
      case .exit: (rules.exit, stay.exitSince)
      }
    if rules.rooms != nil {
      return transition(
        event, of: beacon, stay, at: time, estimate: nil,
        evidence: roomEvidence(of: beacon, stay, since: since, at: time))
    }
    let nearest = nearest(of: beacon, index, at: time)
    let chosen = boundary.isDistance ? nearest.nearestLink : nearest.strongestLink
    let number = chosen >= 0 ? chosen : Int(stay.lastLink)
    let link = number >= 0 ? beacons[beacon].links[number] : nil
    let estimate = number >= 0 ? estimate(of: beacon, link: number) : nil
    let ofComing = event == .exit ? nil : link?.distanceOfComing
    let value = boundary.isDistance ? ofComing ?? estimate?.distance : estimate?.rssi
    let threshold =
      switch boundary.threshold {
      case .distance(let metres): metres
      case .signal(let level): level
      }
    return transition(
      event, of: beacon, stay, at: time, estimate: estimate,
      evidence: Evidence(
        threshold: threshold, value: value ?? threshold,
        unit: boundary.isDistance ? .metres : .decibelMilliwatts,
        samples: estimate?.samples ?? 0, dwell: since == Stay.never ? .zero : time - since,
        receiver: link?.receiver ?? stay.lastReceiver))
  }

  /// The exit of a beacon that fell silent.
  private func loss(of beacon: Int, _ index: Int, at time: MonotonicTime) -> Transition {
    let stay = beacons[beacon].stays[index]
    let link = stay.lastLink >= 0 ? beacons[beacon].links[Int(stay.lastLink)] : nil
    let allowed = time - stay.silentSince
    let silence = time - (link?.lastHeard ?? stay.silentSince)
    return transition(
      .exit, of: beacon, stay, at: time,
      estimate: stay.lastLink >= 0 ? estimate(of: beacon, link: Int(stay.lastLink)) : nil,
      evidence: rules.zones[Int(stay.zone.rawValue)].rooms != nil
        ? roomLoss(of: beacon, stay, at: time)
        : Evidence(
          threshold: allowed.seconds, value: silence.seconds, unit: .seconds,
          samples: Int(link?.samples ?? 0), dwell: .zero, receiver: stay.lastReceiver))
  }

  private func transition(
    _ event: Transition.Event, of beacon: Int, _ stay: Stay, at time: MonotonicTime, estimate: Estimate?,
    evidence: Evidence
  ) -> Transition {
    Transition(
      event: event, zone: stay.zone, beacon: BeaconIndex(rawValue: Int32(beacon)), time: time,
      wallTime: wallTime(of: beacon, at: time), distance: estimate?.distance,
      distanceDeviation: estimate?.distanceDeviation, rssi: estimate?.rssi, evidence: evidence)
  }

  private func wallTime(of beacon: Int, at time: MonotonicTime) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds) + beacons[beacon].wallOffset
  }
}
