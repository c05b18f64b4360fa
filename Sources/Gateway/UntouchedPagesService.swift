import CUntouchedPages
import ServiceLifecycle

/// Gives back code and constants that are not in use: once the gateway has come to rest, and then every minute, for what
/// happens once a day touches as much as a start.
///
/// They are mapped from the program's files, page by page as they are touched and some around each of them, and stay. Dropped
/// pages that are needed after all come back from the kernel's cache, some hundred in less than a millisecond.
struct UntouchedPagesService: Service {
  private static let rest = Duration.seconds(2)
  private static let interval = Duration.seconds(60)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var pause = Self.rest
      while (try? await Task.sleep(for: pause)) != nil {
        _ = beaconkeeper_release_untouched_pages()
        pause = Self.interval
      }
    }
  }
}
