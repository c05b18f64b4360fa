import Beacons
import Settings
import SettingsFile

/// Asks for everything the gateway needs, in a sensible order, and returns the configuration. Questions that options answered
/// are skipped. The configuration reader checks each answer; a faulty one is asked for again.
public struct Interview {
  let surroundings: any Surroundings
  let given: GivenAnswers
  /// Where the configuration will be.
  let path: String

  /// What there is so far.
  public internal(set) var draft: Draft
  /// The password for the broker.
  public internal(set) var password: Secret?
  /// Whether it is the one of the file that the user named.
  var isPasswordOfFile = false

  /// - Parameter hostName: the gateway's default name.
  public init(_ given: GivenAnswers, path: String, hostName: String, in surroundings: any Surroundings) {
    self.given = given
    self.path = path
    self.surroundings = surroundings
    draft = Draft(gateway: Configuration.builtIn(hostName: hostName).gatewayName)
  }

  public mutating func run() async throws(SetupFault) {
    try demandAnswers()
    try await chooseBroker()
    try await chooseBeacons()
    try nameZone()
    try nameGateway()
  }

  /// Names all that is missing at once, before anything is tried.
  private func demandAnswers() throws(SetupFault) {
    guard !surroundings.isAnswered else { return }
    var options: [String] = []
    if given.broker == nil { options.append(Self.brokerOption) }
    if given.beacons == nil { options.append(Self.beaconOption) }
    if given.zone == nil, given.beacons?.isEmpty != true { options.append(Self.zoneOption) }
    if !options.isEmpty { throw .missing(options: options) }
  }

  // MARK: Asking

  /// The option's answer, which must be good, or the user's, once it is good.
  ///
  /// - Parameter accept: takes the answer; returns what is wrong with it, or nil.
  mutating func settle(
    _ question: Question, given: String?, _ accept: (inout Self, String) -> String?
  ) throws(SetupFault) {
    if let given {
      if let reason = accept(&self, given) { throw .unusable(option: question.option, reason: reason) }
      return
    }
    while true {
      let text = try answer(question)
      guard let reason = accept(&self, text) else { return }
      guard surroundings.isAnswered else { throw .unusable(option: question.option, reason: reason) }
      surroundings.tell("  \(reason)")
    }
  }

  /// Without white space at the ends; the usual one for nothing.
  func answer(_ question: Question) throws(SetupFault) -> String {
    switch surroundings.ask(question) {
    case .text(let text):
      let word = question.isSecret ? text : text.trimmed
      return word.isEmpty ? question.usual ?? "" : word
    case .nobody:
      guard let usual = question.usual else { throw .missing(options: [question.option]) }
      return usual
    case .ended: throw .givenUp
    }
  }

  /// Replaces the draft if the reader finds no fault with the new one; otherwise returns the first fault, with its hint.
  mutating func take(_ change: (inout Draft) -> Void) -> String? {
    var changed = draft
    change(&changed)
    do throws(ConfigurationErrors) {
      _ = try changed.read(path: path)
      draft = changed
      return nil
    } catch {
      return Self.words(error)
    }
  }

  static func words(_ errors: ConfigurationErrors) -> String {
    let fault = errors.diagnostics.first { $0.severity == .error }
    return (fault?.message ?? "\(errors)") + (fault?.hint.map { " (\($0))" } ?? "")
  }

  // MARK: The gateway itself

  private mutating func nameGateway() throws(SetupFault) {
    let question = Question(
      "Name of this gateway, in every topic", usual: draft.gateway, option: "--gateway NAME")
    try settle(question, given: given.gateway) { interview, name in interview.take { $0.gateway = name } }
  }
}
