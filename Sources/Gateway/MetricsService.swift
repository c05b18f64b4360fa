import FlyingFox
import FlyingSocks
import Foundation
import GatewayConfiguration
import Messages
import ServiceLifecycle

/// Serves the gateway's counters at `/metrics`, for Prometheus and what understands it.
struct MetricsService: Service {
  private let settings: MetricsSettings
  private let station: Station
  private let listener: GatewayRun.Listener

  init(_ settings: MetricsSettings, _ station: Station, _ listener: GatewayRun.Listener) {
    self.settings = settings
    self.station = station
    self.listener = listener
  }

  /// A port that is taken, or an address that is not ours, is told; the gateway goes on without.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        try await serve()
      } catch is CancellationError {
        return
      } catch {
        guard !Task.isCancelled else { return }
        listener.onNotice(
          "no metrics at \(settings.host):\(settings.port): \(words(for: error)); the gateway goes on without"
        )
        // A service that ends takes the gateway with it.
        try? await Task.sleep(for: .seconds(Int.max / 4))
      }
    }
  }

  private func serve() async throws {
    if settings.isIPv6 {
      try await serve(at: sockaddr_in6.inet6(ip6: settings.address, port: settings.port))
    } else {
      try await serve(at: sockaddr_in.inet(ip4: settings.address, port: settings.port))
    }
  }

  private func serve(at address: some SocketAddress) async throws {
    // A request has no body: what is longer is cut off.
    let configuration = HTTPServer.Configuration(
      address: address, timeout: 5, sharedRequestReplaySize: 4096, logger: .disabled)
    let server = HTTPServer(config: configuration)
    await server.appendRoute("GET /metrics") { [station] _ in
      HTTPResponse(
        statusCode: .ok, headers: [.contentType: MetricsText.contentType],
        body: Data(station.metrics().utf8))
    }
    await server.appendRoute("GET /") { _ in
      HTTPResponse(statusCode: .ok, body: Data("Beaconkeeper's counters are at /metrics\n".utf8))
    }
    try await server.run()
  }

  private func words(for error: any Error) -> String {
    guard case SocketError.failed(_, let code, let message) = error else { return "\(error)" }
    switch code {
    case EADDRINUSE: return "the port is taken"
    case EADDRNOTAVAIL: return "this machine does not have the address"
    case EACCES: return "ports below 1024 need CAP_NET_BIND_SERVICE"
    default: return message
    }
  }
}
