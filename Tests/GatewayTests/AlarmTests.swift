import Synchronization
import Testing

@testable import Core

@Suite struct AlarmTests {
  private func elapsed(_ body: () async -> Void) async -> Duration { await ContinuousClock().measure(body) }

  private func untilItWaits(_ alarm: Alarm) async {
    while alarm.state.withLock({ $0.sleeper == nil }) { await Task.yield() }
  }

  @Test(.timeLimit(.minutes(5))) func ringingEndsTheWait() async {
    let alarm = Alarm()
    let sleeper = Task { await alarm.wait() }
    await untilItWaits(alarm)
    alarm.ring()
    await sleeper.value
  }

  @Test(.timeLimit(.minutes(5))) func aRingBeforeTheWaitIsNotMissed() async {
    let alarm = Alarm()
    alarm.ring()
    alarm.ring()
    await alarm.wait()
    #expect(await elapsed { await alarm.wait(for: .milliseconds(100)) } >= .milliseconds(90))
  }

  @Test(.timeLimit(.minutes(5))) func theWaitEndsAtItsDeadline() async {
    let alarm = Alarm()
    #expect(await elapsed { await alarm.wait(for: .milliseconds(100)) } >= .milliseconds(90))
  }

  @Test(.timeLimit(.minutes(5))) func cancellingEndsTheWait() async {
    let alarm = Alarm()
    let sleeper = Task { await alarm.wait(for: .seconds(3600)) }
    await untilItWaits(alarm)
    sleeper.cancel()
    await sleeper.value
  }
}
