import Logging
import Machine
import Mosquitto
import Outbox
import ServiceLifecycle
import Synchronization

/// Writes to disk what can wait a little, retries a disk that failed, and tries refused messages again. It sleeps while there
/// is nothing to do.
struct OutboxService: Service {
  /// Changes within this time are written together.
  private static let gathering = Duration.seconds(5)

  let delivery: Delivery

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        await delivery.chores.wait()
        do { try await Task.sleep(for: Self.gathering) } catch { return }
        delivery.doChores()
      }
    }
  }
}

extension Delivery {
  func doChores() {
    state.withLock { $0.hasChores = false }
    flushDisk()
    retryRefused()
    state.withLock { noteChores(&$0) }
  }

  /// Wakes `OutboxService` if there is something for it to do.
  func noteChores(_ state: inout State) {
    guard !state.hasChores else { return }
    let hasDiskWork =
      isKept
      && (state.disk.fault != nil || !state.outbox.pending.isEmpty || state.disk.hasRoomToGiveBack)
    // The client reports no event when it has room again.
    let waitsForRoom = client.isConnected && state.outbox.first != nil
    guard hasDiskWork || waitsForRoom || !state.permissions.isEmpty || state.ownStatus.isWrong else { return }
    state.hasChores = true
    chores.ring()
  }
}
