import ServiceLifecycle
import Synchronization

/// A service with the name for the group's log. Without it the group would print each service with all its members, which takes
/// longer than the whole rest of the start.
///
/// A service that ends by itself ends the gateway, but in the usual order: the group would treat it as a failure if a service
/// ended while another is being shut down.
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
