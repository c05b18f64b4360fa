import MQTT
import Mosquitto
import Settings

/// A retained message, read beside a running gateway.
struct RetainedMessage: Sendable {
  /// How long the broker may take to connect and to send it.
  private static let patience = Duration.seconds(3)

  private let topic: String
  private let options: Options

  init(_ topic: String, at broker: RemoteBroker, gateway: String) {
    self.topic = topic
    var options = Options(broker, gateway: gateway)
    options.clientID = ""
    options.will = nil
    self.options = options
  }

  /// nil: there is none, or it cannot be read.
  func read() async -> [UInt8]? {
    guard let client = try? Client(options), (try? client.subscribe(to: topic, qos: .atMostOnce)) != nil
    else {
      return nil
    }
    let payload = await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask { await firstMessage(of: client) }
      group.addTask {
        try? await Task.sleep(for: Self.patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    await client.stop()
    return payload
  }

  private func firstMessage(of client: Client) async -> [UInt8]? {
    client.start()
    for await event in client.events {
      switch event {
      case .message(let message) where message.topic == topic && message.retain: return message.payload
      case .refused, .subscriptionRefused: return nil
      default: continue
      }
    }
    return nil
  }
}
