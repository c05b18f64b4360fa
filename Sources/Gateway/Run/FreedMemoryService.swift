import CMalloc
import ServiceLifecycle

/// Returns freed memory to the kernel, two seconds after the start and then every minute. Otherwise the allocator would keep
/// the memory of the start, of beacons that have left, and of tables that grew.
struct FreedMemoryService: Feature {
  func run() async throws {
    await cancelWhenGracefulShutdown { await giveBackFreedMemory() }
  }
}

/// Continues until its task is cancelled.
public func giveBackFreedMemory() async {
  var pause = Duration.seconds(2)
  while (try? await Task.sleep(for: pause)) != nil {
    beaconkeeper_release_freed_memory()
    pause = .seconds(60)
  }
}
