import CMalloc
import ServiceLifecycle

/// Gives freed memory back to the kernel: once the gateway has come to rest, and then every minute. The allocator would keep it:
/// what a start needed, a crowd that left, tables that have grown.
struct FreedMemoryService: Service {
  func run() async throws {
    await cancelWhenGracefulShutdown { await giveBackFreedMemory() }
  }
}

/// Goes on until its task is cancelled.
public func giveBackFreedMemory() async {
  var pause = Duration.seconds(2)
  while (try? await Task.sleep(for: pause)) != nil {
    beaconkeeper_release_freed_memory()
    pause = .seconds(60)
  }
}
