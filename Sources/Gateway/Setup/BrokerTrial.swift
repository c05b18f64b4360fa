import Settings
import Mosquitto

/// One attempt to connect, beside a running gateway, without taking over its session.
public struct BrokerTrial: Sendable {
  /// How long a broker may take to answer.
  static let patience = Duration.seconds(5)

  public enum Outcome: Sendable, CustomStringConvertible {
    case accepted
    case refused(ConnectionFailure)
    case silent
    case impossible(InvalidOptions)

    public var description: String {
      switch self {
      case .accepted: "accepts the connection"
      case .refused(let failure): "\(failure)"
      case .silent: "did not answer within \(BrokerTrial.patience.components.seconds) s"
      case .impossible(let options): "\(options)"
      }
    }
  }

  private var options: Options

  public init(_ broker: RemoteBroker, gateway: String) {
    options = Options(broker, gateway: gateway)
    options.clientID = ""
    options.will = nil
  }

  public func run() async -> Outcome {
    let client: Client
    do throws(InvalidOptions) {
      client = try Client(options)
    } catch {
      return .impossible(error)
    }
    let outcome = await withTaskGroup(of: Outcome.self) { group in
      group.addTask { await Self.firstWord(of: client) ?? .silent }
      group.addTask {
        try? await Task.sleep(for: Self.patience)
        return .silent
      }
      defer { group.cancelAll() }
      return await group.next() ?? .silent
    }
    await client.stop()
    return outcome
  }

  private static func firstWord(of client: Client) async -> Outcome? {
    client.start()
    for await event in client.events {
      switch event {
      case .connected: return .accepted
      case .refused(let failure): return .refused(failure)
      default: continue
      }
    }
    return nil
  }
}
