import Beacons
@testable import Configuration
import Core
import Synchronization

/// A world for interviews: replies from a list, brokers and beacons as somebody put them there.
final class Village: Surroundings {
  private struct State {
    var replies: [Reply]
    var questions: [Question] = []
    var told: [String] = []
    var refusals: [ConnectionRefusal?]
  }

  let isAnswered: Bool
  let brokers: [FoundBroker]
  let beacons: [NearbyBeacon]?
  let scanners: [FoundScanner]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - replies: nil: nobody is there.
  ///   - refusals: what the broker says to each attempt; then it accepts.
  ///   - beacons: nil: there is no radio.
  init(
    _ replies: [String]?, brokers: [FoundBroker] = [], refusals: [ConnectionRefusal] = [],
    beacons: [NearbyBeacon]? = [], scanners: [FoundScanner] = []
  ) {
    isAnswered = replies != nil
    self.brokers = brokers
    self.beacons = beacons
    self.scanners = scanners
    state = Mutex(State(replies: (replies ?? []).map { .text($0) }, refusals: refusals))
  }

  var questions: [String] { state.withLock { $0.questions.map(\.text) } }
  var told: [String] { state.withLock { $0.told } }

  func ask(_ question: Question) -> Reply {
    state.withLock { state in
      state.questions.append(question)
      if !isAnswered { return .nobody }
      return state.replies.isEmpty ? .ended : state.replies.removeFirst()
    }
  }

  func tell(_ text: String) { state.withLock { $0.told.append(text) } }

  func password(in file: String) throws(UnreadableFile) -> String {
    guard file != "missing" else { throw UnreadableFile("missing: No such file") }
    return "secret of \(file)"
  }

  var newPassword: String { "made-now" }
  var embeddedBroker: String { "a private one" }
  func findBrokers() async -> [FoundBroker] { brokers }

  func refusal(of broker: RemoteBroker) async -> ConnectionRefusal? {
    state.withLock { $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() }
  }

  func findScanners(at broker: RemoteBroker) async -> [FoundScanner] { scanners }
  var adapter: String? { beacons == nil ? nil : "hci0" }

  func listen(_ configuration: Configuration) async throws(NothingHeard) -> [NearbyBeacon] {
    guard let beacons else { throw NothingHeard("there is no Bluetooth adapter") }
    return beacons
  }

  func interview(_ given: GivenAnswers = GivenAnswers()) -> Interview {
    Interview(given, path: "/nowhere/beaconkeeper.yaml", hostName: "pi", in: self)
  }
}

let key = NearbyBeacon(name: "key", pattern: .address(0xC100_0000_0001), format: "ruuvi5", signal: -60)
let van = NearbyBeacon(
  name: "van", pattern: .iBeacon(uuid: 0xF29D_C74A, major: 1, minor: 2), format: "ibeacon", signal: -81)
