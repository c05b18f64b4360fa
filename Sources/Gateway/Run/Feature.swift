import Configuration
import Contract
import Core
import Mosquitto
import ServiceLifecycle

/// A part of `run` with a task of its own, `run()`. Any thread may make the other calls, and none of these may wait for the disk
/// or the network. A feature overrides the calls that concern it.
protocol Feature: Service {
  /// The topics that it reads at the broker. This is called again after each `configure`.
  var filters: [Filter] { get }
  func connected()
  func disconnected()
  /// Processes a message from the broker; returns false if it is for another feature. Throws an error that ends the gateway.
  func received(_ message: ReceivedMessage) throws -> Bool
  /// All features are told of another configuration before any of them applies it.
  func prepare(for new: Configuration)
  /// Applies another configuration. All features get the same one.
  func configure(_ new: Configuration)
  /// Adds what it knows to `health`. The decision loop is locked meanwhile, so it must not be called.
  func report(into health: inout HealthMessage)
}

extension Feature {
  func run() async throws { try await gracefulShutdown() }
  var filters: [Filter] { [] }
  func connected() {}
  func disconnected() {}
  func received(_ message: ReceivedMessage) throws -> Bool { false }
  func prepare(for new: Configuration) {}
  func configure(_ new: Configuration) {}
  func report(into health: inout HealthMessage) {}
}

/// A subscription.
struct Filter: Hashable {
  var topics: String
  var qos = QoS.atLeastOnce
  var options: SubscriptionOptions = []
}
