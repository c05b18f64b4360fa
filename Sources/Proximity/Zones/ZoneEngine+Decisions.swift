import Beacons

/// Turns what receivers hear into enter, near and exit.
extension ZoneEngine {
  /// Where the beacon of a presence stands; nil if unknown. It changes nothing, but if it were not `mutating`, each call would
  /// copy the whole engine to the stack.
  mutating func standing(_ index: Int32, at time: MonotonicTime) -> Standing? {
    let slot = Int(index)
    if isLocating, places?.isOpen(Int(presences[slot].beacon)) == true { return nil }
    let zone = Int(presences[slot].presence.zone.rawValue)
    let nearest = Nearest(
      of: presences[slot].firstMember, lost: zones[zone].lost, at: time, members: members.span,
      links: links.span)
    return zones[zone].standing(of: nearest)
  }

  /// Processes what is due in a presence and schedules its next deadline.
  mutating func settle(_ index: Int32, at time: MonotonicTime, into transitions: inout [Transition]) {
    let slot = Int(index)
    let zone = presences[slot].presence.zone
    let number = Int(zone.rawValue)
    let beacon = BeaconIndex(rawValue: presences[slot].beacon)
    while true {
      let due = presences[slot].presence.due(
        at: time, dwells: zones[number].dwells, isBlind: isFrozen(number))
      if due.isComing, hasToWait(index, at: time) { return watch(index) }
      switch due {
      case .nothing:
        return watch(index)
      case .held:
        hold(index, because: .flickers)
        return watch(index)
      case .enter, .enterAndNear:
        transitions.append(transition(.enter, of: index, at: time))
        presences[slot].presence.isInside = true
        presences[slot].presence.since = wallTime(of: beacon, at: time)
        insiders[number][beacon] = index
        presences[slot].presence.spend(at: time)
        if due == .enterAndNear { fallthrough }
      case .near:
        transitions.append(transition(.near, of: index, at: time))
        presences[slot].presence.isArmed = false
        presences[slot].presence.spend(at: time)
      case .rearm:
        presences[slot].presence.rearm()
        rearmedZones.insert(zone)
      case .exit:
        transitions.append(transition(.exit, of: index, at: time))
        presences[slot].presence.leave()
        insiders[number][beacon] = nil
      case .lost:
        transitions.append(loss(of: index, at: time))
        presences[slot].presence.leave()
        presences[slot].presence.interrupt()
        insiders[number][beacon] = nil
      }
    }
  }

  /// Removes a beacon from a zone that no longer includes it after a change of the configuration.
  public mutating func leave(
    _ zone: ZoneIndex, _ beacon: BeaconIndex, because reason: Evidence.Reason, at time: MonotonicTime,
    into transitions: inout [Transition]
  ) {
    guard insiders.indices.contains(Int(zone.rawValue)), let index = insiders[Int(zone.rawValue)][beacon]
    else { return }
    // The beacon may still be heard. Then its place comes from the deciding receiver, not from the one that heard it last.
    var exit = transition(.exit, of: index, at: max(time, now))
    let (samples, receiver) = (exit.evidence.samples, exit.evidence.receiver)
    exit.evidence = loss(of: index, at: max(time, now)).evidence
    (exit.evidence.samples, exit.evidence.receiver) = (samples, receiver)
    exit.evidence.reason = reason
    exit.evidence.threshold = 0
    transitions.append(exit)
    presences[Int(index)].presence.leave()
    presences[Int(index)].presence.interrupt()
    insiders[Int(zone.rawValue)][beacon] = nil
  }

  /// Schedules the timer of a presence for its next deadline, or earlier.
  mutating func watch(_ index: Int32) {
    let slot = Int(index)
    let zone = Int(presences[slot].presence.zone.rawValue)
    let deadline = presences[slot].presence.deadline(dwells: zones[zone].dwells, isBlind: isFrozen(zone))
    guard deadline < presences[slot].queuedFor else { return }
    presences[slot].queuedFor = deadline
    queue.schedule(.presence(index), at: deadline)
  }

  /// Schedules the timer of a link for the time when its silence means loss, or earlier.
  mutating func watchSilence(of index: Int32) {
    let slot = Int(index)
    let deadline = links[slot].link.silenceDeadline
    guard deadline < links[slot].queuedFor else { return }
    links[slot].queuedFor = deadline
    queue.schedule(.link(index), at: deadline)
  }

  /// A link's timer fired: its receiver may have stopped hearing the beacon.
  mutating func silence(_ index: Int32, at time: MonotonicTime, into transitions: inout [Transition]) {
    let slot = Int(index)
    guard links[slot].link.isCurrent else { return }
    let deadline = links[slot].link.silenceDeadline
    guard deadline <= time else { return watchSilence(of: index) }
    links[slot].link.isCurrent = false
    silenced.insert(BeaconIndex(rawValue: links[slot].beacon))
    let receiver = Int(links[slot].link.receiver.rawValue)
    if isLocating, receivers[receiver].calibration.position != nil {
      let beacon = Int(links[slot].beacon)
      locators[beacon].receivers -= 1
      if locators[beacon].receivers == 0 { places?.forget(beacon) }
    }
    var member = links[slot].firstMember
    while member >= 0 {
      let presence = members[Int(member)].presence
      member = members[Int(member)].nextOfLink
      fallSilent(presence, at: time)
      settle(presence, at: time, into: &transitions)
    }
  }

  /// One receiver of a presence stopped hearing the beacon at `time`.
  private mutating func fallSilent(_ index: Int32, at time: MonotonicTime) {
    let slot = Int(index)
    let zone = Int(presences[slot].presence.zone.rawValue)
    if isHeard(index) {
      if let standing = standing(index, at: time) { presences[slot].presence.stand(standing, at: time) }
    } else if zones[zone].lost == nil {
      presences[slot].presence.interrupt()
      if !blindZones[zone] {
        presences[slot].presence.lostDeadline = max(time, patienceEnds(index))
      }
    }
  }

  /// Whether any receiver of the presence still hears the beacon.
  func isHeard(_ index: Int32) -> Bool {
    var member = presences[Int(index)].firstMember
    while member >= 0 {
      if links[Int(members[Int(member)].link)].link.isCurrent { return true }
      member = members[Int(member)].nextOfPresence
    }
    return false
  }

  /// When a presence has been silent long enough for `lost: auto`; its most patient receiver decides.
  func patienceEnds(_ index: Int32) -> MonotonicTime {
    let silentSince = presences[Int(index)].presence.silentSince
    var patience = TimeSpan.zero
    var lastHeard = MonotonicTime(nanoseconds: .min)
    var member = presences[Int(index)].firstMember
    while member >= 0 {
      let link = links[Int(members[Int(member)].link)].link
      lastHeard = max(lastHeard, link.lastHeard)
      patience = max(patience, link.interval.lost)
      member = members[Int(member)].nextOfPresence
    }
    // It was not blind since the beacon was last heard, so each receiver has already waited long enough.
    if silentSince <= lastHeard { return silentSince }
    return silentSince + max(patience, IntervalEstimator.unlearnt)
  }

  private func nearest(_ index: Int32, at time: MonotonicTime) -> Nearest {
    Nearest(
      of: presences[Int(index)].firstMember,
      lost: zones[Int(presences[Int(index)].presence.zone.rawValue)].lost,
      at: time, members: members.span, links: links.span)
  }

  private func transition(_ event: Transition.Event, of index: Int32, at time: MonotonicTime) -> Transition {
    let presence = presences[Int(index)].presence
    let rules = zones[Int(presence.zone.rawValue)]
    let (boundary, since) =
      switch event {
      case .enter: (rules.enter, presence.enterSince)
      case .near: (rules.near ?? rules.enter, presence.nearSince)
      case .exit: (rules.exit, presence.exitSince)
      }
    if rules.rooms != nil {
      return transition(
        event, of: index, at: time, estimate: nil, evidence: roomEvidence(index, since: since, at: time))
    }
    let nearest = nearest(index, at: time)
    let chosen = boundary.isDistance ? nearest.nearestLink : nearest.strongestLink
    let link = chosen >= 0 ? chosen : presences[Int(index)].lastLink
    let estimate = link >= 0 ? estimate(link) : nil
    let ofComing = event == .exit || link < 0 ? nil : links[Int(link)].link.distanceOfComing
    let value = boundary.isDistance ? ofComing ?? estimate?.distance : estimate?.rssi
    let threshold =
      switch boundary.threshold {
      case .distance(let metres): metres
      case .signal(let level): level
      }
    return transition(
      event, of: index, at: time, estimate: estimate,
      evidence: Evidence(
        threshold: threshold, value: value ?? threshold,
        unit: boundary.isDistance ? .metres : .decibelMilliwatts,
        samples: estimate?.samples ?? 0, dwell: since == Presence.never ? .zero : time - since,
        receiver: link >= 0 ? links[Int(link)].link.receiver : presences[Int(index)].lastReceiver))
  }

  /// The exit of a beacon that fell silent.
  private func loss(of index: Int32, at time: MonotonicTime) -> Transition {
    let slot = presences[Int(index)]
    let link = slot.lastLink >= 0 ? links[Int(slot.lastLink)].link : nil
    let estimate = slot.lastLink >= 0 ? estimate(slot.lastLink) : nil
    let allowed = time - slot.presence.silentSince
    let silence = time - (link?.lastHeard ?? slot.presence.silentSince)
    return transition(
      .exit, of: index, at: time, estimate: estimate,
      evidence: isOfRooms(index)
        ? roomLoss(index, at: time)
        : Evidence(
          threshold: allowed.seconds, value: silence.seconds, unit: .seconds,
          samples: Int(link?.samples ?? 0), dwell: .zero, receiver: slot.lastReceiver))
  }

  private func transition(
    _ event: Transition.Event, of index: Int32, at time: MonotonicTime, estimate: Estimate?,
    evidence: Evidence
  ) -> Transition {
    let slot = presences[Int(index)]
    let beacon = BeaconIndex(rawValue: slot.beacon)
    return Transition(
      event: event, zone: slot.presence.zone, beacon: beacon, time: time,
      wallTime: wallTime(of: beacon, at: time), distance: estimate?.distance,
      distanceDeviation: estimate?.distanceDeviation, rssi: estimate?.rssi, evidence: evidence)
  }

  func wallTime(of beacon: BeaconIndex, at time: MonotonicTime) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds) + beacons[Int(beacon.rawValue)].wallOffset
  }
}
