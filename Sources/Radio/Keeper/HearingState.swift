/// How well an adapter receives, judged by its own packets.
enum HearingState: Equatable {
  case ok
  /// No device seems to be near: it scans and responds.
  case quiet
  /// Reports arrive without data.
  case empty
  case deaf(Deafness)
}

/// Why an adapter reports nothing.
enum Deafness: Equatable {
  case noAnswer
  /// Another program reset it and did not configure it again.
  case wasReset
  case notScanning
  case acceptList
  case connecting
  /// How many regular senders fell silent together.
  case fellSilent(senders: Int)

  var reason: String {
    switch self {
    case .noAnswer: "the controller answers no commands"
    case .wasReset: "the controller was reset and not configured again"
    case .notScanning: "the controller is not scanning"
    case .acceptList: "the controller reports only the devices that another program waits for"
    case .connecting: "another program is connecting to a device, and the controller does not scan meanwhile"
    case .fellSilent(let senders): "\(senders) regular senders fell silent at the same moment"
    }
  }
}
