/// What one adapter's own packets say of how well it hears.
enum HearingState: Equatable {
  case ok
  /// Nobody is near, as far as can be told: it scans and answers.
  case quiet
  /// Reports arrive without data.
  case empty
  case deaf(Deafness)
}

/// Why an adapter reports nothing.
enum Deafness: Equatable {
  case noAnswer
  /// Somebody reset it and did not set it up again.
  case wasReset
  case notScanning
  case acceptList
  case connecting
  /// So many regular senders were cut off together.
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
