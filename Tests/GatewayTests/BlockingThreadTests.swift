import Beacons
import Core
import Dispatch
import Synchronization
import Testing

@testable import Gateway

@Suite struct BlockingThreadTests {
  private final class Notes {
    var lines: [Int] = []
  }

  @Test(.timeLimit(.minutes(1))) func nobodyWaitsForAJobThatHangsAndTheOthersFollowInOrder() async throws {
    let thread = try BlockingThread(owning: Notes())
    let disk = DispatchSemaphore(value: 0)
    let finished = Alarm()
    let seen = Mutex<[Int]>([])
    thread.perform { _ in disk.wait() }
    for number in 0..<100 { thread.perform { $0.lines.append(number) } }
    thread.perform { notes in
      seen.withLock { $0 = notes.lines }
      finished.ring()
    }
    #expect(seen.withLock { $0 }.isEmpty)
    disk.signal()
    await finished.wait()
    #expect(seen.withLock { $0 } == Array(0..<100))
  }

  @Test(.timeLimit(.minutes(1))) func whatWasAskedForIsDoneAfterItsOwnerHasGone() async throws {
    let finished = Alarm()
    try BlockingThread(owning: Notes()).perform { _ in finished.ring() }
    await finished.wait()
  }

  @Test func aHeartbeatIsLateOnceADeadlineIsHalfAMinuteOld() {
    let heartbeat = Heartbeat(beacons: 0, waiting: 0)
    #expect(heartbeat.isOnTime(at: .zero + .seconds(1_000_000)), "nothing is due before the loop begins")
    heartbeat.beat(nextLook: .zero + .seconds(100), beacons: 1, waiting: 2)
    #expect(heartbeat.isOnTime(at: .zero + .seconds(129)))
    #expect(!heartbeat.isOnTime(at: .zero + .seconds(131)))
    #expect(heartbeat.summary == "1 beacon known; 2 messages wait for the broker")
  }
}
