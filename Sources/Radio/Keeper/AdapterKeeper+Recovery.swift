import Beacons
import Core

extension AdapterKeeper {
  /// Checks whether the adapter receives, and takes the next recovery step if not.
  mutating func recover(at time: MonotonicTime) -> [KeeperAction] {
    if hearing.hasReturned {
      hearing.hasReturned = false
      return [.notice("\(name) responds again; restarting its scan")] + renewMonitor(at: time)
    }
    let state = hearing.state(at: time)
    switch state {
    case .ok:
      if hearing.isProved { recovery.sound(at: time) }
      return []
    case .quiet:
      recovery.sound(at: time)
      return []
    case .empty, .deaf: break
    }
    switch recovery.advise(state, at: time) {
    case nil: return []
    case .perform(let step):
      let actions = perform(step, against: state, at: time)
      return actions.isEmpty ? [] : [.recovery(adapter: index)] + actions
    case .budgetSpent:
      return [
        .notice(
          "\(name) is still deaf (\(words(state))), but was switched off and on \(Recovery.budget) times within "
            + "an hour, which is the limit")
      ]
    case .exhausted(let until):
      if case .deaf(.fellSilent) = state {
        hearing.acquit()
        return [.notice("\(name): nothing is wrong with the controller; everyone has left")]
      }
      let minutes = Int(((until - time).seconds / 60).rounded())
      return [
        .notice(
          "\(name) is still deaf (\(words(state))) after all recovery steps; trying again in \(minutes) min. "
            + "If it is a USB adapter, unplug it and plug it in again")
      ]
    }
  }

  private func words(_ state: HearingState) -> String {
    switch state {
    case .deaf(let deafness): deafness.reason
    case .empty: "its reports are empty"
    case .ok, .quiet: "nothing is wrong"
    }
  }

  private mutating func perform(
    _ step: Recovery.Step, against state: HearingState, at time: MonotonicTime
  ) -> [KeeperAction] {
    let why = words(state)
    func note(_ what: String) -> KeeperAction { .notice("\(name) is deaf (\(why)): \(what)") }
    switch step {
    case .renewScan:
      let actions = renewMonitor(at: time)
      return actions.isEmpty ? [] : [note("restarting its scan")] + actions
    case .restartScan:
      guard !lacksAdmin else { return [] }
      return [note("restarting its scan with a moment of discovery"), .send(.startDiscovery(index))]
    case .powerCycle:
      guard !lacksAdmin else {
        return [note("switching it off and on needs CAP_NET_ADMIN; \(RadioError.grant)")]
      }
      return [note("switching it off and on")] + powerCycle(because: why, at: time)
    case .reset:
      guard !lacksAdmin else { return [] }
      return [note("resetting it, then switching it off and on"), .command(adapter: index, .reset)]
        + powerCycle(because: why, at: time)
    case .resetUSB:
      return [note("resetting its USB device, if it has one"), .resetUSB(adapter: index)]
    }
  }

  /// Our brief discovery began, and nothing more is needed.
  mutating func discoveryAnswered(_ status: ManagementStatus) -> [KeeperAction] {
    status == .success ? [.send(.stopDiscovery(index))] : []
  }
}
