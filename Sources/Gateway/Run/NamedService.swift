import ServiceLifecycle

/// A service under the name that the group logs. Without it the group would print each service with all that it holds, which
/// takes longer than all else that happens before the broker is spoken to.
struct NamedService: Service, CustomStringConvertible {
  private let service: any Service
  let description: String

  init(_ service: any Service) {
    self.service = service
    description = _typeName(type(of: service), qualified: false)
  }

  func run() async throws { try await service.run() }
}
