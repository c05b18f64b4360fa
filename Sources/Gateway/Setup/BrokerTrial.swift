import Configuration
import Mosquitto

/// One attempt to connect.
package struct BrokerTrial: Sendable {
  /// How long a broker may take to answer.
  static let patience = Duration.seconds(5)

  package enum Outcome: Sendable, CustomStringConvertible {
    case accepted
    case refused(ConnectionFailure)
    case silent
    case impossible(InvalidOptions)

    package var description: String {
      switch self {
      case .accepted: "accepts the connection"
      case .refused(let failure): "\(failure)"
      case .silent: "did not answer within \(BrokerTrial.patience.components.seconds) s"
      case .impossible(let options): "\(options)"
      }
    }
  }

  private let options: Options

  init(_ options: Options) { self.options = options }

  /// For `init`: there is no gateway yet.
  package init(_ broker: RemoteBroker) { self.init(Options(beside: broker, gateway: "init")) }

  package func run() async -> Outcome {
    let client: Client
    do throws(InvalidOptions) {
      client = try Client(options)
    } catch {
      return .impossible(error)
    }
    return await client.firstAnswer(within: Self.patience) { event in
      switch event {
      case .connected: .accepted
      case .refused(let failure): .refused(failure)
      default: nil
      }
    } ?? .silent
  }
}
