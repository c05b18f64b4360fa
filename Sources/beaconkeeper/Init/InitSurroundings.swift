import Captures
import Configuration
import Core
import FoundationEssentials
import Gateway
import Glibc

/// The terminal, the network and the radio of this machine.
struct InitSurroundings: Surroundings {
  let conversation: Conversation
  let captures: [String]
  let seconds: Double

  var isAnswered: Bool { conversation.isAnswered }
  func ask(_ question: Question) -> Reply { conversation.ask(question) }
  func tell(_ text: String) { say(text) }

  /// Asks until the answer is yes or no.
  func agreed(_ question: Question) throws(SetupFault) -> Bool {
    while true {
      guard case .text(let text) = ask(question) else { throw .givenUp }
      if let answer = isYes(text.isEmpty ? question.usual ?? "" : text) { return answer }
      tell("  yes or no?")
    }
  }

  func password(in file: String) throws(UnreadableFile) -> String {
    do throws(SystemError) {
      return try InputText(path: file).password()
    } catch {
      throw UnreadableFile("\(file): \(reason(error))")
    }
  }

  /// About 95 bits.
  var newPassword: String { inventedPassword(groups: 4) }

  var embeddedBroker: String {
    let programs = EmbeddedBroker.searchPath.map { $0 + "/mosquitto" }
    return "a private mosquitto that the gateway starts"
      + (programs.contains { access($0, X_OK) == 0 } ? "" : " (first: sudo apt install mosquitto)")
  }

  func findBrokers() async -> [FoundBroker] { await BrokerSearch().run() }

  func refusal(of broker: RemoteBroker) async -> ConnectionRefusal? {
    switch await BrokerTrial(broker).run() {
    case .accepted: return nil
    case .refused(let failure): return ConnectionRefusal(failure)
    case let outcome: return ConnectionRefusal("\(outcome)")
    }
  }

  func findScanners(at broker: RemoteBroker) async -> [FoundScanner] {
    await ScannerSearch(broker, gateway: "init").run()
  }

  var adapter: String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")) ?? []
    return names.filter { $0.hasPrefix("hci") && !$0.contains(":") }.min()
  }

  func listen(_ configuration: Configuration) async throws(NothingHeard) -> [NearbyBeacon] {
    if !captures.isEmpty {
      do throws(CaptureError) {
        let (survey, end) = try AirSurvey.ofRecordings(captures, configuration)
        return survey.candidates(at: end)
      } catch {
        throw NothingHeard("\(error)")
      }
    }
    say("Listening for beacons for \(seconds.formatted) s (Ctrl-C: that is enough)…")
    let ear = LiveSurvey(configuration)
    do {
      try await ear.listen(for: .seconds(seconds))
      return ear.survey.candidates(at: LiveClock.now)
    } catch {
      throw NothingHeard("\(error)")
    }
  }
}

extension Double {
  fileprivate var formatted: String { self == rounded() && abs(self) < 1e9 ? "\(Int(self))" : "\(self)" }
}

/// The systemd unit of the package.
struct Service {
  /// As the package's unit has it.
  static let user = "beaconkeeper"
  let unit: String

  /// Whether the package's unit is there, for systemd or for the next boot.
  static var isInstalled: Bool {
    ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
      .contains { FileManager.default.fileExists(atPath: $0 + "/beaconkeeper.service") }
  }

  /// Whether it can be started from here.
  static var canBeStarted: Bool {
    FileManager.default.fileExists(atPath: "/run/systemd/system") && geteuid() == 0
  }

  /// Starts it now and at boot. A running one is restarted, because a reload does not read the password again.
  ///
  /// - Returns: whether it runs.
  func start() -> Bool {
    systemctl("enable", "--quiet", unit) && systemctl("restart", unit)
  }

  private func systemctl(_ arguments: String...) -> Bool {
    var argv = (["systemctl"] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var identifier: pid_t = 0
    guard posix_spawnp(&identifier, "systemctl", nil, nil, &argv, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    return status == 0
  }
}

/// Of groups with 24 bits each, without letters that look alike.
func inventedPassword(groups: Int) -> String {
  let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
  let groups = (0..<groups).map { _ in String((0..<5).map { _ in letters.randomElement() ?? "a" }) }
  return groups.joined(separator: "-")
}
