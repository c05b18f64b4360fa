import ServiceLifecycle
import Synchronization

/// A service under the name that the group logs. Without it the group would print each service with all that it holds, which
/// takes longer than all else that happens before the broker is spoken to.
///
/// A service that ends by itself ends the gateway, but in its turn: the group takes it for a failure if a service ends while
/// another is being shut down.
struct NamedService: Service, CustomStringConvertible {
  private let service: any Service
  private let ending: Ending
  let description: String

  init(_ service: any Service, _ ending: Ending) {
    self.service = service
    self.ending = ending
    description = _typeName(type(of: service), qualified: false)
  }

  func run() async throws {
    try await service.run()
    await ending.request()
    try await gracefulShutdown()
  }

  /// Ends the group, once there is one.
  final class Ending: Sendable {
    private let group = Mutex<ServiceGroup?>(nil)

    func set(_ group: ServiceGroup) { self.group.withLock { $0 = group } }

    fileprivate func request() async { await group.withLock { $0 }?.triggerGracefulShutdown() }
  }
}
