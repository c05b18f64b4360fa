import Settings
import SettingsFile

extension Interview {
  static let brokerOption = "--broker URL"

  mutating func chooseBroker() async throws(SetupFault) {
    if let url = given.broker {
      try settle(Question("Broker", option: Self.brokerOption), given: url) { $0.takeBroker($1) }
    } else {
      try await askForBroker()
    }
    try askForUser()
    while case .remote(let remote) = draft.broker, !given.skipsBrokerTest {
      guard let refusal = await trial() else {
        surroundings.tell("\(remote.url) accepts the connection.")
        return
      }
      guard surroundings.isAnswered else { throw .broker(url: remote.url, refusal) }
      surroundings.tell("\(remote.url): \(refusal.reason).")
      if refusal.concernsCredentials {
        try askForCredentials()
      } else if try await !askForAnother(than: remote.url) {
        return
      }
    }
  }

  private mutating func askForBroker() async throws(SetupFault) {
    surroundings.tell("Looking for an MQTT broker…")
    let found = await surroundings.findBrokers()
    if found.isEmpty { surroundings.tell("None was found.") }
    let choices =
      found.map { ($0.url, $0.words) } + [("embedded", surroundings.embeddedBroker)]
    let width = choices.map(\.0.count).max() ?? 0
    for (number, choice) in choices.enumerated() {
      let space = String(repeating: " ", count: width - choice.0.count)
      surroundings.tell("  \(number + 1)  \(choice.0)\(space)  \(choice.1)")
    }
    let question = Question(
      "Broker: a number, or a URL such as mqtt://broker.lan", usual: "1", option: Self.brokerOption)
    try settle(question, given: nil) { interview, text in
      let number = Int(text).flatMap { choices.indices.contains($0 - 1) ? $0 : nil }
      return interview.takeBroker(number.map { choices[$0 - 1].0 } ?? text)
    }
  }

  private mutating func takeBroker(_ text: String) -> String? {
    if text == "embedded" { return take { $0.broker = .embedded } }
    let url = text.contains("://") ? text : "mqtt://" + text
    let caFile = given.caFile
    return take { draft in
      var remote = Draft.Remote(url: url, caFile: caFile)
      if case .remote(let before) = draft.broker { remote.username = before.username }
      draft.broker = .remote(remote)
    }
  }

  /// Whether the user names another broker; otherwise this one stays, untried.
  private mutating func askForAnother(than url: String) async throws(SetupFault) -> Bool {
    let question = Question("Another URL, or Enter to keep this one", usual: url, option: Self.brokerOption)
    try settle(question, given: nil) { interview, text in
      text == url ? nil : interview.takeBroker(text)
    }
    if case .remote(let remote) = draft.broker { return remote.url != url }
    return true
  }

  // MARK: User and password

  private mutating func askForUser() throws(SetupFault) {
    guard case .remote = draft.broker else { return }
    guard let username = given.username else {
      if given.passwordFile != nil {
        throw .missing(options: ["--user NAME with --password-file"])
      }
      return
    }
    try settle(Question("User name", option: "--user NAME"), given: username) { $0.takeUser($1) }
    try askForPassword()
  }

  private mutating func askForCredentials() throws(SetupFault) {
    guard case .remote(let remote) = draft.broker else { return }
    let question = Question("User name", usual: remote.username, option: "--user NAME")
    try settle(question, given: nil) { interview, name in
      name.isEmpty ? "the broker wants one" : interview.takeUser(name)
    }
    let typed = try answer(Question("Password", usual: "", option: "--password-file FILE", isSecret: true))
    password = typed.isEmpty ? nil : Secret(typed)
    isPasswordOfFile = false
  }

  private mutating func takeUser(_ name: String) -> String? {
    take { draft in
      guard case .remote(var remote) = draft.broker else { return }
      remote.username = name
      draft.broker = .remote(remote)
    }
  }

  private mutating func askForPassword() throws(SetupFault) {
    let question = Question("Password", usual: "", option: "--password-file FILE", isSecret: true)
    guard let file = given.passwordFile else {
      let typed = try answer(question)
      password = typed.isEmpty ? nil : Secret(typed)
      return
    }
    do throws(UnreadableFile) {
      let text = try surroundings.password(in: file)
      guard !text.isEmpty else { throw UnreadableFile("the password is empty") }
      password = Secret(text)
      isPasswordOfFile = true
    } catch {
      throw .unusable(option: question.option, reason: error.reason)
    }
  }

  private func trial() async -> ConnectionRefusal? {
    guard let configuration = try? draft.read(path: path), case .remote(var broker) = configuration.broker
    else {
      return nil
    }
    broker.password = password
    return await surroundings.refusal(of: broker)
  }
}

extension FoundBroker {
  var words: String {
    guard let refusal else { return "accepts the connection" }
    return refusal.concernsCredentials ? "asks for a user name and a password" : refusal.reason
  }
}
