import CUnusedMemory
import ServiceLifecycle

/// Gives back memory that is not in use: once the gateway has come to rest, and then every minute, for what happens once a day
/// touches as much as a start.
///
/// Code and constants are mapped from the program's files, page by page as they are touched and some around each of them, and
/// stay. Dropped pages that are needed after all come back from the kernel's cache, some hundred in less than a millisecond.
/// What was allocated and freed stays with the allocator: a crowd that left, tables that have grown.
struct UnusedMemoryService: Service {
  func run() async throws {
    await cancelWhenGracefulShutdown { await giveBackUnusedMemory() }
  }
}

/// Goes on until its task is cancelled.
public func giveBackUnusedMemory() async {
  var pause = Duration.seconds(2)
  while (try? await Task.sleep(for: pause)) != nil {
    _ = beaconkeeper_release_untouched_pages()
    beaconkeeper_release_freed_memory()
    pause = .seconds(60)
  }
}
