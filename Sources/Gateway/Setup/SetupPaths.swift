import Configuration
import Contract
import Core
import Glibc
import Pipeline
import Web

/// The desk's part of the API.
extension SetupDesk {
  /// What the configuration says, what was found, and what is being asked.
  var picture: Response { picture(trying: nil) }

  /// - Parameter id: identifies the input that this request has begun to try.
  private func picture(trying id: String?) -> Response {
    guard let editor = stage.editor else { return Self.noFile }
    do throws(ConfigurationWriter.Refusal) {
      let (bytes, revision) = try editor.writer.read()
      guard let loaded = try? editor.text(bytes, connects: false).loaded() else {
        return .error(422, "The file has errors as it is.", remedy: "beaconkeeper check names them.")
      }
      return Response(json(loaded.configuration, revision, obstacle: editor.obstacle, trying: id))
    } catch {
      return .error(500, error.reason, remedy: error.remedy)
    }
  }

  private static let noFile = Response.error(404, "There is no configuration file to change.")

  private func json(
    _ configuration: Configuration, _ revision: String, obstacle: String?, trying id: String?
  ) -> [UInt8] {
    let state = current
    let kinds = Set(configuration.scanners.map(\.kind))
    return JSONWriter.object {
      $0.field("file", stage.details.configurationFile)
      $0.field("revision", revision)
      $0.field("obstacle", obstacle)
      $0.object("broker") { json in
        if case .remote(let broker) = configuration.broker {
          json.field("url", broker.url)
          json.field("username", broker.username)
          json.field("password", broker.password != nil)
        } else {
          json.field("embedded", true)
        }
      }
      $0.field("restart", configuration.broker != running)
      $0.array("scanners", configuration.scanners) { $0.value($1.kind.rawValue) }
      $0.field("asking", state.inquiry)
      if let id { $0.field("trying", id) }
      if let brokers = state.brokers {
        $0.objects("brokers", brokers) { json, broker in
          json.field("url", broker.url)
          json.field("wants_login", broker.refusal?.concernsCredentials == true)
        }
      }
      $0.object("trial", of: state.trial) { json, trial in
        json.field("id", trial.id)
        json.field("url", trial.url)
        json.field("username", trial.username)
        json.field("state", trial.finding.state.rawValue)
        json.field("finding", trial.finding.words)
        json.field("remedy", trial.finding.remedy)
      }
      if let receivers = state.receivers {
        $0.objects("receivers", receivers) { json, found in
          json.field("kind", found.kind.rawValue)
          json.array("names", found.receivers.prefix(Self.mostReceivers)) { $0.value($1.printable) }
          json.field("count", found.receivers.count)
          json.field("configured", kinds.contains(found.kind))
        }
      }
    }
  }

  private static let mostReceivers = 64

  /// The devices and entities for Home Assistant. Readings are missing, because they are known only once a
  /// beacon was heard.
  var entities: Response {
    let plan = AnnouncementPlan(stage.look { pipeline, _, _ in pipeline.configuration })
    return Response(
      JSONWriter.object {
        $0.field("on", plan.isOn)
        $0.objects("devices", plan.standing.compactMap { plan.device($0, heard: nil) }) { json, device in
          json.field("device", device.name)
          json.field("area", device.area)
          json.objects("entities", device.components.filter(\.isEntity)) { json, entity in
            json.field("name", entity[text: "name"])
            json.field("platform", entity.platform)
          }
        }
      })
  }

  func answer(_ step: String, _ request: Request) -> Answer {
    guard let editor = stage.editor else { return .now(Self.noFile) }
    guard let tree = try? JSONTree(request.body) else { return .now(.error(400, "The body is not JSON.")) }
    return .later {
      switch step {
      case "find-brokers": self.begin(.brokers) ?? self.picture
      case "find-receivers": self.findReceivers(editor)
      case "try": self.tryBroker(tree, editor)
      case "broker": self.refusal(toSave: tree) ?? editor.change(broker: tree, request)
      case "receivers": editor.add(scanners: tree, request)
      default: DashboardContent.nothingHere
      }
    }
  }

  private func findReceivers(_ editor: ConfigurationEditor) -> Response {
    editor.edit(nil) { _, configuration in
      guard case .remote(let broker) = configuration.broker else {
        return .error(
          409, "Boards do not reach the gateway's own broker.",
          remedy: "Choose a broker first that they publish to.")
      }
      return begin(.receivers(broker)) ?? picture
    }
  }

  private func tryBroker(_ tree: JSONTree, _ editor: ConfigurationEditor) -> Response {
    editor.edit(nil, connects: false) { text, configuration throws(EditRefusal) in
      let choice: BrokerChoice
      do throws(TrialRequest.Refusal) {
        try tree.expect(BrokerChoice.keys, in: "the body")
        choice = try BrokerChoice(tree)
      } catch {
        return .error(422, "This cannot be tried: \(error).")
      }
      let changed = try choice.change(text, from: configuration.broker, passwordFile: nil)
      return begin(.trial(choice.tried(changed.configuration), id: choice.id)) ?? picture(trying: choice.id)
    }
  }

  /// Refuses to save input that was not tried with success, if the client names the trial.
  private func refusal(toSave tree: JSONTree) -> Response? {
    guard !tree.lacks("trial") else { return nil }
    let id = (try? BrokerChoice(tree))?.id
    if let id, tree["trial"] == .text(id), current.working.contains(id) { return nil }
    return .error(409, "This is not what was tried, or it did not work.", remedy: "Try it, and save it then.")
  }
}

/// The broker that a user has chosen on the page.
struct BrokerChoice {
  static let keys = ["url", "username", "password"]
  private static let longestPassword = 1024

  /// nil: the gateway's own.
  var url: String?
  var username: String?
  /// nil: that of the configuration, if it is for this broker and user.
  var password: Secret?

  /// The same for the same values, for as long as the process lives. The values cannot be derived from it.
  var id: String {
    var hasher = Hasher()
    hasher.combine(url)
    hasher.combine(username)
    hasher.combine(password)
    return String(UInt(bitPattern: hasher.finalize()), radix: 16)
  }

  init(_ tree: JSONTree) throws(TrialRequest.Refusal) {
    url = try Self.text("url", tree)
    username = try Self.text("username", tree)
    password = try Self.text("password", tree).map { Secret($0) }
    if url == nil, username != nil || password != nil {
      throw .init(description: "the gateway's own broker needs no user")
    }
    if password != nil, username == nil { throw .init(description: "a password needs a username") }
    if let word = password?.revealed {
      // A file's first line is its password, without a byte order mark.
      guard word.utf8.count <= Self.longestPassword, !word.contains(where: \.isNewline),
        !word.unicodeScalars.contains(where: { $0.value < 32 }), word.unicodeScalars.first != "\u{FEFF}"
      else { throw .init(description: "the password is no line of text") }
    }
  }

  /// nil: it is missing, null or empty.
  private static func text(_ key: String, _ tree: JSONTree) throws(TrialRequest.Refusal) -> String? {
    guard !tree.lacks(key) else { return nil }
    guard let text = tree.text(key) else { throw .init(description: "\(key) must be a text") }
    return text.isEmpty ? nil : text
  }

  /// - Parameter passwordFile: its name in the configuration; nil: there is no new one yet.
  func change(
    _ text: ConfigurationText, from former: BrokerSettings, passwordFile: String?
  ) throws(EditRefusal) -> ConfigurationText.Changed {
    if let passwordFile {
      return try text.changing(brokerURL: url, username: username, password: .file(passwordFile))
    }
    let changed = try text.changing(brokerURL: url, username: username, password: .none)
    // The present password must not be sent to another broker or under another user name.
    guard password == nil, case .remote(let old) = former,
      case .remote(let new) = changed.configuration.broker,
      old.isAtSamePlace(as: new), username != nil, old.username == username
    else { return changed }
    return try text.changing(brokerURL: url, username: username, password: .kept)
  }

  /// A configuration with the typed password.
  func tried(_ configuration: Configuration) -> Configuration {
    guard let password, case .remote(var broker) = configuration.broker else { return configuration }
    broker.password = password
    var tried = configuration
    tried.broker = .remote(broker)
    return tried
  }
}

extension ConfigurationEditor {
  /// `POST setup/broker` with a broker. A new password goes into a file beside the configuration, which names
  /// it. With `preview` it only returns the change of the file.
  func change(broker tree: JSONTree, _ request: Request) -> Response {
    edit(seen(tree, request), connects: false) { text, configuration throws(EditRefusal) in
      let choice: BrokerChoice
      let isPreview: Bool
      do throws(TrialRequest.Refusal) {
        try tree.expect(BrokerChoice.keys + ["trial", "revision", "preview"], in: "the body")
        isPreview = try Self.isPreview(tree)
        choice = try BrokerChoice(tree)
      } catch {
        return .error(422, "This cannot be saved: \(error).")
      }
      let file = try choice.password.map { password throws(EditRefusal) in try passwordFile(password) }
      if isPreview {
        let changed = try choice.change(text, from: configuration.broker, passwordFile: file?.name)
        return told(changed, over: text, revision: text.revision, writesPassword: file != nil)
      }
      do throws(SystemError) { try file?.write() } catch {
        let refusal = ConfigurationWriter.Refusal(cannotWrite: file?.path ?? "", error)
        return .error(500, refusal.reason, remedy: refusal.remedy)
      }
      do throws(EditRefusal) {
        let response = save(
          try choice.change(text, from: configuration.broker, passwordFile: file?.name), over: text)
        if response.status != 200 { file?.remove() }
        return response
      } catch {
        file?.remove()
        throw error
      }
    }
  }

  /// `POST setup/receivers` with kinds of scanners. With `preview` it only returns the change.
  func add(scanners tree: JSONTree, _ request: Request) -> Response {
    edit(seen(tree, request), connects: false) { text, _ throws(EditRefusal) in
      let isPreview: Bool
      var kinds: [Scanner.Kind] = []
      do throws(TrialRequest.Refusal) {
        try tree.expect(["kinds", "revision", "preview"], in: "the body")
        isPreview = try Self.isPreview(tree)
        guard case .list(let names)? = tree["kinds"], !names.isEmpty else {
          throw .init(description: "kinds must be a list")
        }
        for name in names {
          guard case .text(let word) = name, let kind = Scanner.Kind(rawValue: word), kind != .json,
            !kinds.contains(kind)
          else { throw .init(description: "kinds are espresense, theengs and beaconkeeper, each once") }
          kinds.append(kind)
        }
      } catch {
        return .error(422, "This cannot be saved: \(error).")
      }
      let changed = try text.adding(scanners: kinds)
      return isPreview ? told(changed, over: text, revision: text.revision) : save(changed, over: text)
    }
  }

  private static func isPreview(_ tree: JSONTree) throws(TrialRequest.Refusal) -> Bool {
    guard let isPreview = tree.lacks("preview") ? false : tree.flag("preview") else {
      throw .init(description: "preview must be true or false")
    }
    return isPreview
  }

  /// Where the broker's password goes. A file that is there stays, so that a change can be undone.
  private func passwordFile(_ password: Secret) throws(EditRefusal) -> PasswordFile {
    let placement = Placement(path: writer.path, hasService: false)
    for number in 1...PasswordFile.most {
      let suffix = number == 1 ? "" : "-\(number)"
      let file = PasswordFile(
        path: placement.passwordPath + suffix, name: placement.passwordName + suffix, password: password)
      if !file.isTaken { return file }
    }
    throw EditRefusal(
      "there are \(PasswordFile.most) password files beside the configuration",
      remedy: "remove those that it does not name")
  }
}

/// A password that is to be written beside the configuration.
private struct PasswordFile {
  static let most = 20

  let path: String
  let name: String
  let password: Secret

  var isTaken: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  func write() throws(SystemError) {
    try NewFile(path: path, mode: 0o600).write(password.revealed + "\n", .isDropped)
  }

  func remove() { unlink(path) }
}
