import Beacons
import Contract
import Core

/// Asks for everything the gateway needs, in a sensible order, and returns the configuration. Questions that options answered
/// are skipped. The configuration reader checks each answer; a faulty one is asked for again.
package struct Interview {
  let surroundings: any Surroundings
  let given: GivenAnswers
  /// Where the configuration will be.
  let path: String

  /// The answers so far.
  package internal(set) var draft: Draft
  /// The password for the broker.
  package internal(set) var password: Secret?
  /// Whether it is from the file that the user named.
  var isPasswordOfFile = false
  /// The password for the page; nil: it needs none.
  package internal(set) var pagePassword: Secret?
  /// The password for changes on the page; nil: nobody may change anything there.
  package internal(set) var writePassword: Secret?

  /// - Parameter hostName: the gateway's default name.
  package init(_ given: GivenAnswers, path: String, hostName: String, in surroundings: any Surroundings) {
    self.given = given
    self.path = path
    self.surroundings = surroundings
    draft = Draft(gateway: Configuration.builtIn(hostName: hostName).gatewayName)
  }

  package mutating func run() async throws(SetupFault) {
    try demandAnswers()
    try await chooseBroker()
    try await chooseScanners()
    try await chooseBeacons()
    try nameRooms()
    try nameZone()
    try choosePage()
    try nameGateway()
  }

  /// Reports all missing answers at once, before anything is tried.
  private func demandAnswers() throws(SetupFault) {
    guard !surroundings.isAnswered else { return }
    var options: [String] = []
    if given.broker == nil { options.append(Self.brokerOption) }
    if given.beacons == nil { options.append(Self.beaconOption) }
    if given.zone == nil, given.beacons?.isEmpty != true { options.append(Self.zoneOption) }
    if !options.isEmpty { throw .missing(options: options) }
  }

  // MARK: Asking

  /// The option's answer, which must be valid, or the user's, once it is valid.
  ///
  /// - Parameter accept: stores the answer; returns what is wrong with it, or nil.
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

  /// Without white space at the ends; an empty answer gives the default.
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

  /// Replaces the draft if the reader accepts the new one; otherwise returns the first fault, with its hint.
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

  private mutating func choosePage() throws(SetupFault) {
    let question = Question(
      "Who may look at the dashboard: here (this machine), everywhere (with a password), or off",
      usual: Draft.Page.here.rawValue, option: "--page here, everywhere or off")
    try settle(question, given: given.page) { interview, text in
      guard let page = Draft.Page(rawValue: text.lowercased()) else { return "here, everywhere or off?" }
      // The path of the password's file depends on where the configuration will be, which is known at the end.
      return interview.take { ($0.page, $0.pagePasswordFile) = (page, page == .everywhere ? "page" : nil) }
    }
    if draft.page == .everywhere {
      let typed = try answer(
        Question("A password for it, or Enter for a new one", usual: "", option: "--page", isSecret: true))
      let password = typed.isEmpty ? surroundings.newPassword : typed
      pagePassword = Secret(password)
      if typed.isEmpty { surroundings.tell("The dashboard's password: \(password)") }
    }
    if draft.page != .off { try chooseChanges() }
  }

  private mutating func chooseChanges() throws(SetupFault) {
    let option = "--page-changes or --no-page-changes"
    var isAgreed = given.pageChanges
    if isAgreed == nil {
      isAgreed = try agreed(
        "May the dashboard change beacons, zones and rooms, with a password of its own?", option)
    }
    guard isAgreed == true else { return }
    if let reason = take({ $0.writePasswordFile = "write" }) {
      throw .unusable(option: option, reason: reason)
    }
    let password = surroundings.newPassword
    writePassword = Secret(password)
    surroundings.tell("The dashboard's password for changes: \(password)")
  }

  private mutating func nameGateway() throws(SetupFault) {
    let question = Question(
      "Name of this gateway, in every topic", usual: draft.gateway, option: "--gateway NAME")
    try settle(question, given: given.gateway) { interview, name in interview.take { $0.gateway = name } }
  }
}

extension Interview {
  static let scannerOption = "--scanner KIND, or --no-scanners"

  /// Boards that are there already are the usual receivers of a home.
  mutating func chooseScanners() async throws(SetupFault) {
    draft.usesRadio = surroundings.adapter != nil || draft.broker == .embedded
    if let given = given.scanners {
      for text in given {
        try settle(Question("Scanner", option: Self.scannerOption), given: text) { $0.takeScanner($1) }
      }
    } else if surroundings.isAnswered, let broker = remoteBroker {
      surroundings.tell("Looking for boards that publish to it what they hear…")
      let found = await surroundings.findScanners(at: broker)
      if found.isEmpty { surroundings.tell("None was heard.") }
      for scanner in found { surroundings.tell("  \(scanner.words)") }
      if !found.isEmpty, try agreed("Listen through them, too?", Self.scannerOption) {
        if let reason = take({ $0.scanners = found }) { surroundings.tell("  \(reason)") }
      }
    }
    // Without scanners only an adapter that is still to come can hear anything.
    if draft.scanners.isEmpty { draft.usesRadio = true }
  }

  private mutating func takeScanner(_ text: String) -> String? {
    guard let kind = Scanner.Kind(rawValue: text), kind != .json else {
      return "“\(text.printable)” is not espresense, theengs or beaconkeeper"
    }
    return take { draft in
      if !draft.scanners.contains(where: { $0.kind == kind }) {
        draft.scanners.append(.init(kind: kind, receivers: []))
      }
    }
  }

  /// A board is named after its room.
  mutating func nameRooms() throws(SetupFault) {
    let receivers = draft.scanners.flatMap(\.receivers)
    guard surroundings.isAnswered, given.zone == nil, receivers.count > 1 else { return }
    let question = "A room for each board, named after it?"
    guard try agreed(question, "--zone NAME, or --no-zone") else { return }
    if let reason = take({ $0.rooms = Self.rooms(of: receivers) }) {
      return surroundings.tell("  \(reason)")
    }
    guard let adapter = surroundings.adapter else { return }
    let own = Question("The room that this machine is in, or - for none", usual: "-", option: Self.zoneOption)
    try settle(own, given: nil) { interview, name in
      name == "-" ? nil : interview.take { $0.rooms.append(.init(name: name, receiver: adapter)) }
    }
  }

  /// A gateway's receiver is called `hall/hci0`.
  static func rooms(of receivers: [String]) -> [Draft.Room] {
    let short = receivers.map { String($0.prefix { $0 != "/" }) }
    return zip(receivers, short).map { receiver, name in
      let isUnique = !name.isEmpty && short.count { $0 == name } == 1
      return Draft.Room(name: isUnique ? name : receiver.replacing("/", with: " "), receiver: receiver)
    }
  }

  private mutating func agreed(_ text: String, _ option: String) throws(SetupFault) -> Bool {
    var isAgreed = false
    try settle(Question(text, usual: "yes", option: option), given: nil) { _, text in
      guard let answer = isYes(text) else { return "yes or no?" }
      isAgreed = answer
      return nil
    }
    return isAgreed
  }

  static let beaconOption = "--beacon NAME=IDENTITY, or --no-beacons"

  mutating func chooseBeacons() async throws(SetupFault) {
    if let beacons = given.beacons {
      for text in beacons {
        try settle(Question("Beacon", option: "--beacon"), given: text) { $0.takeBeacon($1) }
      }
      return
    }
    while try await !chooseFromTheAir() {}
  }

  /// Returns true once the user has chosen; false to listen once more.
  private mutating func chooseFromTheAir() async throws(SetupFault) -> Bool {
    var heard: [NearbyBeacon] = []
    do throws(NothingHeard) {
      heard = try await surroundings.listen(configuration ?? .builtIn())
      surroundings.tell(heard.isEmpty ? "No beacon was heard." : "Beacons in range, the strongest first:")
    } catch {
      surroundings.tell("Nothing can be heard: \(error.reason).")
    }
    for line in Self.table(heard) { surroundings.tell(line) }
    let numbers = heard.isEmpty ? "" : "Numbers such as 1,3 or 1-4; all; "
    surroundings.tell(
      "\(numbers)NAME=IDENTITY for one that you know; again to listen once more; Enter for none yet.")
    let question = Question(
      "Which beacons do you want to watch?", usual: "",
      option: Self.beaconOption)
    var chosen: [NearbyBeacon]? = []
    try settle(question, given: nil) { interview, text in
      if text.contains("=") { return interview.takeBeacon(text) }
      if text.lowercased() == "again" {
        chosen = nil
        return nil
      }
      guard let choice = Self.choice(text, of: heard.count) else {
        return "“\(text.printable)” is none of the choices"
      }
      chosen = choice.map { heard[$0] }
      return nil
    }
    for beacon in chosen ?? [] { try name(beacon) }
    return chosen != nil
  }

  private static func table(_ heard: [NearbyBeacon]) -> [String] {
    let rows = heard.enumerated().map { number, beacon -> [String] in
      let signal = beacon.signal.map { "\($0) dBm" } ?? "–"
      let name = beacon.localName.map { "“\(String($0.printable.prefix(24)))”" } ?? ""
      return ["\(number + 1)", signal, beacon.format, beacon.pattern.identity, name]
    }
    let widths = (0..<5).map { column -> Int in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row -> String in
      let columns = zip(row, widths).map { text, width -> String in
        text + String(repeating: " ", count: width - text.count)
      }
      return "  " + columns.joined(separator: "  ").trimmed
    }
  }

  /// Positions from 0 that `1,3-5` or `all` names; nil for anything else.
  static func choice(_ text: String, of count: Int) -> [Int]? {
    if text.isEmpty { return [] }
    if text.lowercased() == "all" { return Array(0..<count) }
    var choice: [Int] = []
    for part in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends.last ?? nil,
        first >= 1, first <= last, last <= count
      else { return nil }
      for number in first...last where !choice.contains(number - 1) { choice.append(number - 1) }
    }
    return choice
  }

  private mutating func name(_ beacon: NearbyBeacon) throws(SetupFault) {
    let question = Question(
      "Name of \(beacon.pattern.identity)", usual: freeName(like: beacon.name), option: Self.beaconOption)
    try settle(question, given: nil) { interview, name in
      interview.take { $0.beacons.append(.init(name: name, pattern: beacon.pattern, signal: beacon.signal)) }
    }
  }

  private func freeName(like name: String) -> String {
    let names = Set(draft.beacons.map(\.name))
    if !names.contains(name) { return name }
    return (2...).lazy.map { "\(name)-\($0)" }.first { !names.contains($0) } ?? name
  }

  /// Adds `NAME=IDENTITY`. A name may contain equals signs, and so may a URL.
  private mutating func takeBeacon(_ text: String) -> String? {
    for index in text.indices.reversed() where text[index] == "=" {
      let identity = String(text[text.index(after: index)...]).trimmed
      guard let pattern = BeaconPattern(identity: identity) else { continue }
      let name = String(text[..<index]).trimmed
      return take { $0.beacons.append(.init(name: name, pattern: pattern)) }
    }
    return "“\(text.printable)” is not NAME=IDENTITY (an identity is an address such as C1:00:00:00:00:01, "
      + "UUID:MAJOR:MINOR, NAMESPACE:INSTANCE, an AltBeacon's id, or a URL)"
  }
}

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
      } else {
        let isNamed = refusal.concernsName ? try askForServerName() : false
        if !isNamed, try await !askForAnother(than: remote.url) { return }
      }
    }
  }

  private mutating func askForBroker() async throws(SetupFault) {
    surroundings.tell("Looking for an MQTT broker…")
    let found = await surroundings.findBrokers()
    if found.isEmpty { surroundings.tell("None was found.") }
    let choices =
      found.map { ($0.url, $0.words) } + [("embedded", surroundings.embeddedBroker)]
    let width = choices.map(\.0.cells).max() ?? 0
    for (number, choice) in choices.enumerated() {
      surroundings.tell("  \(number + 1)  \(choice.0.padded(to: width))  \(choice.1)")
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
    let given = given
    return take { draft in
      var remote = Draft.Remote(url: url, caFile: given.caFile)
      remote.serverName = given.serverName
      if case .remote(let before) = draft.broker { remote.username = before.username }
      draft.broker = .remote(remote)
    }
  }

  /// Returns true if the user names another broker; otherwise this one stays, untested.
  private mutating func askForAnother(than url: String) async throws(SetupFault) -> Bool {
    let question = Question("Another URL, or Enter to keep this one", usual: url, option: Self.brokerOption)
    try settle(question, given: nil) { interview, text in
      text == url ? nil : interview.takeBroker(text)
    }
    if case .remote(let remote) = draft.broker { return remote.url != url }
    return true
  }

  /// Returns false if the user names none.
  private mutating func askForServerName() throws(SetupFault) -> Bool {
    let question = Question(
      "The name in its certificate, or Enter for another broker", usual: "", option: "--server-name NAME")
    var isNamed = false
    try settle(question, given: nil) { interview, name in
      isNamed = !name.isEmpty
      return name.isEmpty
        ? nil
        : interview.take { draft in
          guard case .remote(var remote) = draft.broker else { return }
          remote.serverName = name
          draft.broker = .remote(remote)
        }
    }
    return isNamed
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
    guard let broker = remoteBroker else { return nil }
    return await surroundings.refusal(of: broker)
  }

  /// The remote broker with its password.
  private var remoteBroker: RemoteBroker? {
    guard case .remote(let broker)? = configuration?.broker else { return nil }
    return broker
  }

  /// The configuration from the answers so far.
  private var configuration: Configuration? {
    guard var configuration = try? draft.read(path: path) else { return nil }
    if case .remote(var broker) = configuration.broker {
      broker.password = password
      configuration.broker = .remote(broker)
    }
    return configuration
  }
}

extension FoundBroker {
  var words: String {
    guard let refusal else { return "accepts the connection" }
    return refusal.concernsCredentials ? "asks for a user name and a password" : refusal.reason
  }
}

extension Interview {
  static let zoneOption = "--zone NAME, or --no-zone"

  mutating func nameZone() throws(SetupFault) {
    let name: String?
    switch given.zone {
    case .some(nil): return
    case .some(let given?): name = given
    case nil:
      if draft.beacons.isEmpty { return }
      name = nil
    }
    let question = Question(
      draft.scanners.isEmpty
        ? "Name of the zone around this machine, or - for none"
        : "Name of a zone of all receivers, or - for none",
      usual: surroundings.isAnswered ? draft.rooms.isEmpty ? "house" : "-" : nil, option: Self.zoneOption)
    try settle(question, given: name) { interview, text in
      if text == "-", name == nil { return nil }
      return interview.take { $0.zone = Draft.Zone(name: text) }
    }
    guard draft.zone != nil else { return }
    try limitZone()
  }

  private mutating func limitZone() throws(SetupFault) {
    let signals = draft.beacons.compactMap(\.signal)
    if given.limit == nil, let strongest = signals.max(), let weakest = signals.min() {
      let range = strongest == weakest ? "\(strongest) dBm" : "\(strongest) to \(weakest) dBm"
      surroundings.tell("Your beacons are heard at \(range) now.")
    }
    let question = Question(
      "When is a beacon in it? At a signal (-70 dBm), within a distance (3 m), or Enter: when it is heard",
      usual: "", option: given.limit?.kind.map { "--\($0.rawValue)" } ?? "--signal")
    let kind = given.limit?.kind
    try settle(question, given: given.limit?.text) { interview, text in
      if text.isEmpty, kind == nil { return nil }
      return interview.take { $0.zone?.enter = Draft.Limit(text, kind) }
    }
  }
}

/// The answers given as options; nil: to be asked.
package struct GivenAnswers: Hashable, Sendable {
  package var gateway: String?
  /// A URL, or `embedded`.
  package var broker: String?
  package var username: String?
  package var passwordFile: String?
  package var caFile: String?
  package var serverName: String?
  package var skipsBrokerTest = false
  /// Kinds; empty: none at all.
  package var scanners: [String]?
  /// `NAME=IDENTITY` each; empty: none at all.
  package var beacons: [String]?
  /// nil inside: none at all.
  package var zone: String??
  package var limit: Draft.Limit?
  /// `Draft.Page`'s name.
  package var page: String?
  package var pageChanges: Bool?

  package init() {}
}
