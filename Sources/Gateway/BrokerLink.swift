import Mosquitto
import ServiceLifecycle

/// Keeps the broker informed for as long as the gateway runs.
struct BrokerLink: Service {
  private let client: Client
  private let station: Station
  private let homeAssistant: HomeAssistantLink
  private let leftovers: LeftoverService
  private let listener: GatewayRun.Listener
  private let watch: String
  private let broker: String

  init(
    _ client: Client, _ station: Station, _ homeAssistant: HomeAssistantLink, _ leftovers: LeftoverService,
    _ listener: GatewayRun.Listener,
    watch: String, broker: String
  ) {
    self.client = client
    self.station = station
    self.homeAssistant = homeAssistant
    self.leftovers = leftovers
    self.listener = listener
    self.watch = watch
    self.broker = broker
  }

  func run() async throws {
    station.subscribe()
    client.start()
    try await withGracefulShutdownHandler {
      try await follow()
    } onGracefulShutdown: {
      station.sayOffline()
      Task { await client.stop() }
    }
  }

  private func follow() async throws {
    var wasConnected = false
    var lastRefusal: ConnectionFailure.Kind?
    for await event in client.events {
      switch event {
      case .connected:
        station.connected()
        homeAssistant.connected()
        if wasConnected {
          listener.onNotice("connected to the broker again")
        } else {
          listener.onReady(watch)
        }
        wasConnected = true
        lastRefusal = nil
      case .refused(let failure):
        // A broker that once let us in may be having a bad moment; one that never did will not change its mind.
        if failure.isPermanent, !wasConnected { throw BrokerRefusal(broker: broker, failure: failure) }
        if lastRefusal != failure.kind {
          listener.onNotice("cannot reach the broker at \(broker): \(failure); trying again")
        }
        lastRefusal = failure.kind
      case .disconnected where Task.isShuttingDownGracefully: break
      case .disconnected(let reason):
        homeAssistant.disconnected()
        listener.onNotice("lost the broker: \(reason); trying again")
      case .acknowledged(let id): station.acknowledged(id)
      case .rejected(let id, let reason):
        listener.onNotice("the broker refused a message: \(reason)")
        station.acknowledged(id)
      case .subscriptionRefused(let filter, let reason):
        listener.onNotice("the broker refused the subscription to \(filter): \(reason)")
      case .message(let message):
        if homeAssistant.received(message) || leftovers.received(message) { break }
        if let notice = station.receive(message) { listener.onNotice(notice) }
      }
    }
  }
}
