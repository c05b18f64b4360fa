import Beacons
import Configuration
import Core
import Radio
import Synchronization
import Web

/// Pairs with a device.
package protocol DevicePairing: AnyObject, Sendable {
  /// Why pairing cannot work, as far as that is known before anything is opened; nil: nothing is known.
  var obstacle: LivePairing.Failure? { get }
  /// Blocks until its end.
  func run(allowsNoNumber: Bool, onNews: @escaping @Sendable (PairingNews) -> Void) throws(LivePairing
    .Failure)
    -> PairingEnd
  func type(_ line: String)
  func stop()
}

extension LivePairing: DevicePairing {}

/// Why a device is not enrolled, in plain words.
struct EnrolRefusal: Error, Equatable {
  var reason: String
  var remedy: String?
}

/// Enrols phones and watches from the page: one at a time, and only while the page that began it goes on asking.
final class EnrolDesk: Sendable {
  enum Outcome: Equatable, Sendable {
    case saved(keys: String, yaml: String)
    /// With the lines that belong into the configuration, if the key was learned.
    case failed(EnrolRefusal, yaml: String? = nil)
  }

  struct Session: Sendable {
    /// Only the page that began it knows it.
    let id = (0..<2).map { _ in String(UInt64.random(in: 1 << 63 ... .max), radix: 16) }.joined()
    let name: String
    let pairing: any DevicePairing
    /// When the page last asked.
    var asked: MonotonicTime
    /// When the adapter became visible to devices.
    var opened: MonotonicTime?
    var news: [PairingNews] = []
    var numbers = 0
    /// Why it was stopped.
    var reason = "It was stopped. Nothing is open, and nothing was written."
    var outcome: Outcome?
  }

  /// How long a page may be silent.
  private static let patience = TimeSpan.seconds(10)
  private static let beat = Duration.seconds(1)
  /// How many numbers may be typed. Somebody who can only reach the page must not find the right one by
  /// trying.
  static let numberLimit = 5
  private static let newsLimit = 50
  /// At the end of the gateway: how long to wait until the adapter has its former settings.
  private static let ending = TimeSpan.seconds(5)

  private let stage: any Stage
  private let log: @Sendable (String) -> Void
  let now: @Sendable () -> MonotonicTime
  private let state = Mutex<Session?>(nil)

  /// - Parameter log: called when an adapter is opened, and with how that ends.
  init(
    _ stage: any Stage, log: @escaping @Sendable (String) -> Void,
    now: @escaping @Sendable () -> MonotonicTime = { LiveClock.now }
  ) {
    self.stage = stage
    self.log = log
    self.now = now
  }

  /// Why a device cannot be enrolled, as far as that is known before pairing; nil: it can.
  ///
  /// - Parameter name: nil: the name is not known yet.
  func obstacle(to name: String? = nil) -> EnrolRefusal? {
    guard let editor = stage.editor else {
      return EnrolRefusal(reason: "There is no configuration file to add a device to.")
    }
    if let refusal = editor.obstacle(toEnrol: name) { return refusal }
    guard let pairing = stage.pairing() else {
      return EnrolRefusal(reason: "Here is no adapter to pair with.")
    }
    return pairing.obstacle.map { EnrolRefusal(reason: "\($0)") }
  }

  /// The enrolment with this id, for its page; nil: there is none. Asking keeps it open.
  func session(_ id: String?) -> Session? {
    state.withLock { state in
      guard state?.id == id else { return nil }
      state?.asked = now()
      return state
    }
  }

  /// Whether devices are paired, or a key is written.
  var isOpen: Bool { state.withLock { $0.map { $0.outcome == nil } ?? false } }

  func begin(_ name: String, allowsNoNumber: Bool) -> Result<Session, EnrolRefusal> {
    if let refusal = obstacle(to: name) { return .failure(refusal) }
    guard let pairing = stage.pairing() else { return .failure(EnrolRefusal(reason: "Here is no adapter.")) }
    let session = Session(name: name, pairing: pairing, asked: now())
    let isFirst = state.withLock { state in
      guard state == nil || state?.outcome != nil else { return false }
      state = session
      return true
    }
    guard isFirst else { return .failure(Self.busy) }
    log("the page opens an adapter for two minutes, to enrol \(name.printable)")
    do throws(SystemError) {
      try Thread.start { [self] in
        let result = Result { () throws(LivePairing.Failure) in
          try pairing.run(allowsNoNumber: allowsNoNumber) { self.tell($0, to: session.id) }
        }
        let outcome = outcome(of: result, name)
        switch outcome {
        case .saved(let keys, _):
          log("\(name.printable) is enrolled, its key is in \(keys), and the adapter is as it was")
        case .failed(let refusal, _): log("\(name.printable) is not enrolled: \(refusal.reason)")
        }
        change(session.id) { $0.outcome = outcome }
      }
    } catch {
      change(session.id) { $0.outcome = .failed(EnrolRefusal(reason: "\(error)")) }
    }
    Task { [weak self] in
      while let self, self.mindSilence(session.id) { try? await Task.sleep(for: Self.beat) }
    }
    return .success(session)
  }

  static let busy = EnrolRefusal(
    reason: "Another page is enrolling a device.", remedy: "Wait until it has ended, two minutes at most.")

  func type(_ line: String, _ id: String) {
    let pairing = change(id) { session -> (any DevicePairing)? in
      guard session.numbers < Self.numberLimit else { return nil }
      if line != "no" { session.numbers += 1 }
      return session.pairing
    }
    pairing??.type(line)
  }

  func stop(_ id: String, because reason: String? = nil) {
    change(id) { session in
      if let reason { session.reason = reason }
      return session.pairing
    }?.stop()
  }

  /// The gateway ends.
  func end() async {
    guard let id = state.withLock({ $0?.id }) else { return }
    stop(id)
    let end = LiveClock.now + Self.ending
    while isOpen, LiveClock.now < end { try? await Task.sleep(for: .milliseconds(50)) }
  }

  @discardableResult
  private func change<Value>(_ id: String, _ body: (inout Session) -> sending Value) -> sending Value? {
    state.withLock { state in
      guard state?.id == id, state?.outcome == nil else { return nil }
      return body(&state!)
    }
  }

  private func tell(_ news: PairingNews, to id: String) {
    let hasFailed = change(id) { session in
      if case .isOpen = news { session.opened = now() }
      session.news.append(news)
      if session.news.count > Self.newsLimit { session.news.removeFirst() }
      return news == .isNoNumber && session.numbers >= Self.numberLimit
    }
    guard hasFailed == true else { return }
    stop(
      id,
      because:
        "\(Self.numberLimit) numbers were typed, and no device showed one of them. Nothing was written.")
  }

  /// Stops the enrolment if its page is silent. Returns whether the enrolment is still open.
  private func mindSilence(_ id: String) -> Bool {
    let isSilent = change(id) { now() - $0.asked > Self.patience }
    if isSilent == true { stop(id, because: "The page that began it was closed.") }
    return isSilent == false
  }

  private func outcome(of result: Result<PairingEnd, LivePairing.Failure>, _ name: String) -> Outcome {
    switch result {
    case .failure(let error): .failed(EnrolRefusal(reason: "\(error)"))
    case .success(.learned(let learned)):
      stage.editor?.keep(learned.key, of: name)
        ?? .failed(EnrolRefusal(reason: "There is no configuration file."))
    case .success(.hasNoKey(let device)):
      .failed(
        EnrolRefusal(
          reason: "It paired, but has no identity resolving key.",
          remedy: "Its address does not change: write address: \(device) instead."))
    case .success(.tookTooLong): .failed(EnrolRefusal(reason: "No device was paired within two minutes."))
    case .success(.stopped):
      .failed(EnrolRefusal(reason: state.withLock { $0?.reason } ?? ""))
    }
  }
}

extension ConfigurationEditor {
  /// Why a device of this name cannot be enrolled; without a name, why no device can. nil: it can.
  func obstacle(toEnrol name: String?) -> EnrolRefusal? {
    do {
      if let obstacle = writer.obstacle { throw obstacle }
      let text = text(try writer.read().bytes)
      _ = try text.loaded()
      if text.keysAreCredential {
        return EnrolRefusal(
          reason: "keys_file is a credential of systemd's, which the gateway reads and cannot write.",
          remedy:
            "Name a file of its own there, such as \(folderPrefix(of: writer.path))keys.yaml, with the same lines."
        )
      }
      let keys = try KeysFile(path: text.keysPlace, environment: environment)
      if let obstacle = keys.obstacle { throw obstacle }
      guard let name else { return nil }
      if let obstacle = keys.obstacle(to: name) { throw obstacle }
      // Only tests whether the name can be added; the pattern does not matter.
      _ = try text.adding(beacon: name, .address(0xFFFF_FFFF_FFFE))
      return nil
    } catch let refusal as ConfigurationWriter.Refusal {
      return EnrolRefusal(reason: refusal.reason, remedy: refusal.remedy)
    } catch let refusal as EditRefusal {
      return EnrolRefusal(reason: refusal.reason, remedy: refusal.remedy)
    } catch {
      return EnrolRefusal(reason: "\(error)")
    }
  }

  /// Writes a device's key and its entry, and loads both.
  ///
  /// - Parameter key: the most significant octet first.
  func keep(_ key: [UInt8], of name: String) -> EnrolDesk.Outcome {
    var isKept = false
    do {
      let keys = try KeysFile(path: text(try writer.read().bytes).keysPlace, environment: environment)
      try keys.add(name, key, like: writer.path)
      isKept = true
      // Includes the new key, because the changed file is checked with it.
      let text = text(try writer.read().bytes)
      let changed = try text.adding(device: name, keysFile: text.entry(ofKeys: keys.path))
      _ = try writer.replace(revision: text.revision, with: changed.bytes)
      reload(changed.loaded)
      return .saved(keys: keys.path, yaml: changed.lines)
    } catch {
      // If the key is saved, nobody has to pair again.
      let yaml = isKept ? ConfigurationText.deviceYAML(name) : nil
      let remedy = isKept ? "Its key is in the keys file. Add these lines to the configuration." : nil
      return .failed(EnrolRefusal(reason: "\(error)", remedy: remedy), yaml: yaml)
    }
  }
}
