/// A question to the user.
package struct Question: Hashable, Sendable {
  package var text: String
  /// The default for an empty answer, and without a terminal.
  package var usual: String?
  /// The option that answers it in a script, as it is written there.
  package var option: String
  /// Whether the answer is hidden on the screen.
  package var isSecret: Bool

  package init(_ text: String, usual: String? = nil, option: String, isSecret: Bool = false) {
    self.text = text
    self.usual = usual
    self.option = option
    self.isSecret = isSecret
  }
}

package enum Reply: Hashable, Sendable {
  case text(String)
  /// There is no terminal.
  case nobody
  /// The user closed the input.
  case ended
}

/// Why there is no configuration.
package enum SetupFault: Error, Hashable, Sendable {
  /// There is no terminal, and these options are missing.
  case missing(options: [String])
  /// An option's value cannot be used.
  case unusable(option: String, reason: String)
  /// The broker in the options refuses the connection.
  case broker(url: String, ConnectionRefusal)
  /// A file exists, and may not be replaced.
  case exists(path: String)
  case unwritable(path: String, reason: String)
  /// The files are written, but something after that failed.
  case undone(String)
  /// The user stopped.
  case givenUp
}

extension SetupFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let options): "without questions, init needs " + options.joined(separator: "; ")
    case .unusable(let option, let reason): "\(option): \(reason)"
    case .broker(let url, let refusal):
      "the broker \(url): \(refusal.reason); --skip-broker-test writes the configuration all the same"
    case .exists(let path): "\(path) exists; --force replaces it. Nothing was written"
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    case .undone(let what): what
    case .givenUp: "nothing was written"
    }
  }
}

/// Why a broker refuses the connection.
package struct ConnectionRefusal: Error, Hashable, Sendable {
  package var reason: String
  /// Whether another user name or password may help.
  package var concernsCredentials: Bool

  /// Whether the broker's certificate is for another name.
  package var concernsName: Bool

  package init(_ reason: String, concernsCredentials: Bool = false, concernsName: Bool = false) {
    self.reason = reason
    self.concernsCredentials = concernsCredentials
    self.concernsName = concernsName
  }
}

/// Whether the answer means yes; nil for neither yes nor no.
package func isYes(_ text: String) -> Bool? {
  switch text.lowercased() {
  case "y", "yes": true
  case "n", "no": false
  default: nil
  }
}
