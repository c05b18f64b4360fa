import Settings
import RangingPolicy

/// What is simulated for a phone, and when its app would be suspended, in plain words.
func sentences(_ phone: PhoneSettings) -> [String] {
  let (os, strategy) = (phone.profile.os, phone.profile.strategy)
  let variant = phone.variant == .observed && os.family == .iOS ? ", as observed since" : ""
  var sentences = [
    "Carries \(phone.beacon). Simulated as \(os.name)\(variant) (\(os.summary)) "
      + "with \(strategy.name) (\(strategy.summary))."
  ]
  sentences.append(awake(os, strategy))
  if strategy.heardDistance.value >= StrategyProfile.usualHearing {
    sentences.append("Whenever the gateway hears the beacon, the phone does.")
  } else {
    sentences.append("The phone hears the beacon within \(distance(strategy.heardDistance.value)) only.")
  }
  if phone.triggers.isEmpty {
    sentences.append("No zone has a near trigger for it: its windows are published, but no verdicts.")
  } else {
    let zones = phone.triggers.map { "\($0.zone), until it is \(left($0))" }
    sentences.append("It gets a verdict for each near of \(listed(zones, joining: "and")), or lost.")
  }
  if phone.countdown { sentences.append("Its window is published every second while time runs out.") }
  return sentences
}

private func awake(_ os: OSProfile, _ strategy: StrategyProfile) -> String {
  guard os.supportsBeacons.value else {
    return "This system does not support beacons: nothing is ever delivered."
  }
  let grace = os.grace.value
  switch strategy.mechanism {
  case .events where strategy.beginsTask.value && strategy.taskGranted.value:
    guard strategy.endsTask.value else {
      let end = grace + os.taskCap.value
      return "Its app ranges for \(time(end)) after the beacon is first heard or lost, is killed "
        + "\(time(os.killDelay.value)) later, and stays so until somebody launches it."
    }
    let end = grace + max(0, os.taskCap.value - os.expirationMargin.value)
    return "Its app ranges for \(time(end)) after the beacon is first heard or lost, and is suspended then."
  case .events:
    return "Its app ranges for \(time(grace)) after the beacon is first heard or lost, and is suspended then."
  case .location:
    return "Its app ranges for as long as location updates run: until reboot, force-quit or low memory."
  case .activitySession:
    return "Its app ranges for as long as a session runs that began in the foreground."
  case .sampledLocation:
    let window = strategy.sampleWindow.value.map { " for \(time($0))" } ?? ""
    return
      "Its app starts location every \(time(strategy.sampleInterval.value))\(window), a background task in between."
  case .cycle:
    let limit = os.serviceLimit.value.map { ", for \(time($0)) after the app left the foreground" } ?? ""
    return
      "Its app scans for \(time(strategy.scanPeriod.value)) of every \(time(strategy.scanInterval.value))\(limit)."
  case .job:
    return
      "Its app scans for \(time(strategy.scanPeriod.value)) about every \(time(strategy.scanInterval.value))."
  case .intent:
    return "The system scans, and wakes the app for \(time(strategy.scanPeriod.value)) at a hit."
  case .foregroundService:
    return "Its app scans for as long as its foreground service runs."
  }
}

private func left(_ trigger: PhoneSettings.Trigger) -> String {
  if let signal = trigger.rearmSignal { return "weaker than \(Measure(.signal, signal))" }
  return "beyond \(distance(trigger.near.rearm))"
}

private func time(_ time: Milliseconds) -> String { "\(Measure(.time, Double(time) / 1000))" }
private func distance(_ distance: Micrometres) -> String { "\(Measure(.distance, Double(distance) / 1e6))" }
