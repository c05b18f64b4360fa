/// A change that the engine makes by itself, and its time.
struct Step {
  enum Kind {
    case enter(Int), exit(Int), screenWake, settle, blocked, tick, none
    case hearing, near(Int), rearm(Int)
    case wakeEnter(Int), wakeExit(Int)
  }

  var time: Milliseconds
  var order: Order
  var kind: Kind
}

extension PhoneEngine {
  /// The next step; its time is never before `now`.
  func nextStep() -> Step {
    var step = Step(time: .never, order: .end, kind: .none)
    func consider(_ time: Milliseconds, _ order: Order, _ kind: Step.Kind) {
      guard time != .never else { return }
      let time = max(time, now)
      if time < step.time || (time == step.time && order < step.order) {
        step = Step(time: time, order: order, kind: kind)
      }
    }
    for index in beacons.indices {
      consider(beacons[index].heardChange, .region, .hearing)
      consider(beacons[index].nearChange, .near, .near(index))
      consider(beacons[index].rearmChange, .near, .rearm(index))
    }
    for index in region.regions.indices {
      consider(region.regions[index].enterDue, .region, .enter(index))
      consider(region.regions[index].exitDue, .region, .exit(index))
    }
    consider(region.screenWakeDue, .region, .screenWake)
    for index in wakeRegions.indices {
      consider(wakeRegions[index].monitored.enterDue, .region, .wakeEnter(index))
      consider(wakeRegions[index].monitored.exitDue, .region, .wakeExit(index))
    }
    consider(isUnsettled ? now : nextTimer(), .timer, .settle)
    if needsBlockReason { consider(now, .near, .blocked) }
    if needsTick { consider(nextTick(from: now), .tick, .tick) }
    return step
  }

  mutating func perform(_ kind: Step.Kind, into output: inout PolicyOutput) {
    switch kind {
    case .hearing: hearingChanged()
    case .enter(let index): regionEntered(index)
    case .exit(let index): regionExited(index)
    case .screenWake: wokenByScreen()
    case .wakeEnter(let index): wakeRegionEntered(index, into: &output)
    case .wakeExit(let index): wakeRegionExited(index, into: &output)
    case .settle: settle()
    case .near(let index): nearChanged(index)
    case .rearm(let index): rearmChanged(index, into: &output)
    case .blocked: noteBlock()
    case .tick: tick(into: &output)
    case .none: break
    }
  }

  mutating func take(_ event: PhoneEvent, into output: inout PolicyOutput) {
    isUnsettled = true
    switch event {
    case .bluetooth(let isOn): setRadio(isOn)
    case .permission(let value): setPermission(value)
    case .locationServices(let isOn): setLocationServices(isOn)
    case .foreground: enterForeground(.enteredForeground)
    case .userLaunch: enterForeground(.launched)
    case .background: enterBackground()
    case .forceQuit:
      record(.forceQuit)
      terminate(.forceQuit, latched: !rules[.relaunchesAfterForceQuit])
    case .lowMemory:
      record(.lowMemory)
      terminate(.lowMemory, latched: false)
    case .reboot:
      record(.rebooted)
      terminate(.reboot, latched: false)
    case .debugger(let isAttached): hasDebugger = isAttached
    case .motion(let motion, let index): setMotion(motion, of: index)
    case .regionEnter: givenRegionEvent(isEnter: true)
    case .regionExit: givenRegionEvent(isEnter: false)
    case .onAir(let index, let isOn): setOnAir(index, isOn)
    case .screen(let isOn): setScreen(isOn)
    case .audio(let isOn):
      if isOn != isAudioOn { record(isOn ? .audioOn : .audioOff) }
      isAudioOn = isOn
      appPlaysAudio = isOn && (appPlaysAudio || isRunning)
    case .backgroundFetch: fetch()
    case .location(let isOn): setLocation(isOn)
    case .beginTask(let id, let granted, let hasHandler):
      scriptedBegin(id, granted: granted, hasHandler: hasHandler)
    case .endTask(let id): scriptedEnd(id)
    case .still(let isStill):
      if rules.isAndroid { record(isStill ? .layStill : .moved) }
      if !isStill { leaveDoze() }
      stillSince = isStill ? (stillSince ?? now) : nil
      if !isStill && rules[.resumesWhenMoving] { session.isAutoPaused = false }
    case .bucket(let period):
      record(.bucketChanged)
      scan.setBucket(period.map { min(max($0, 1000), 1 << 50) }, at: now)
    case .near: trigger(into: &output)
    }
  }
}
