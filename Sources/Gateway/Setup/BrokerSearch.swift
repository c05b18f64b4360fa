import Configuration
import Glibc
import Mosquitto
import Synchronization

/// Looks for brokers: on this machine, at Home Assistant's usual name, and those that announce themselves by mDNS.
package struct BrokerSearch: Sendable {
  private static let usualHosts = ["localhost", "homeassistant.local"]

  package init() {}

  /// The brokers that answer, those on this machine first.
  package func run() async -> [FoundBroker] {
    async let announced = announcedURLs()
    async let usual = Self.answering(Self.usualHosts.map { "mqtt://\($0)" })
    let found = await usual
    let known = Set(found.map(\.url))
    return await found + Self.answering(announced.filter { !known.contains($0) })
  }

  private static func answering(_ urls: [String]) async -> [FoundBroker] {
    await withTaskGroup(of: (Int, FoundBroker?).self) { group in
      for (place, url) in urls.enumerated() { group.addTask { (place, await answer(of: url)) } }
      var found: [(Int, FoundBroker?)] = []
      for await answer in group { found.append(answer) }
      return found.sorted { $0.0 < $1.0 }.compactMap(\.1)
    }
  }

  /// nil: there is no answer.
  private static func answer(of url: String) async -> FoundBroker? {
    let draft = Draft(broker: .remote(Draft.Remote(url: url)))
    guard case .remote(let broker)? = try? draft.read(path: "").broker else { return nil }
    switch await BrokerTrial(broker).run() {
    case .accepted: return FoundBroker(url: url)
    case .silent, .impossible: return nil
    case .refused(let failure):
      switch failure.kind {
      case .connectionRefused, .hostUnknown, .unreachable: return nil
      default: return FoundBroker(url: url, refusal: ConnectionRefusal(failure))
      }
    }
  }

  // MARK: mDNS

  private func announcedURLs() async -> [String] {
    async let plain = browse("_mqtt._tcp")
    async let secure = browse("_secure-mqtt._tcp")
    return await ServiceBrowse.urls(in: plain + secure)
  }

  /// The output of `avahi-browse`; empty if it is not installed.
  private func browse(_ service: String) async -> [String] {
    guard let program = EmbeddedBroker.find("avahi-browse", in: EmbeddedBroker.searchPath) else { return [] }
    let lines = Lines()
    let arguments = [program, "--resolve", "--terminate", "--parsable", service]
    guard let child = try? await ChildProcess.start(arguments, onLine: { lines.append($0) }) else {
      return []
    }
    if await child.ended(within: BrokerTrial.patience) == nil {
      child.signal(SIGKILL)
      _ = await child.ended(within: .seconds(1))
    }
    return lines.all
  }

  private final class Lines: Sendable {
    /// Anybody in the network can announce any number of services.
    private static let limit = 1000
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) {
      lines.withLock { if $0.count < Self.limit { $0.append(line) } }
    }
  }
}

extension ConnectionRefusal {
  package init(_ failure: ConnectionFailure) {
    let concerns = [.badCredentials, .notAuthorised].contains(failure.kind)
    self.init(
      "\(failure)", concernsCredentials: concerns, concernsName: failure.kind == .wrongHostName)
  }
}
