import Phones
import Testing

/// The pages that `simulate --explain` prints: there for every strategy, and in agreement with its profile.
@Suite struct StrategyPageTests {
  /// A page's prose, and the lines of its pseudo-code.
  private struct Parts {
    var prose: [Substring] = []
    var code: [Substring] = []

    init(_ page: StrategyPage) {
      var isCode = false
      for line in page.text.split(separator: "\n") {
        if line.hasPrefix("```") {
          isCode.toggle()
        } else if isCode {
          code.append(line)
        } else {
          prose.append(line)
        }
      }
    }

    func has(_ words: String) -> Bool { code.contains { $0.contains(words) } }
  }

  private func page(_ strategy: StrategyProfile) throws -> StrategyPage {
    try #require(StrategyPage(on: strategy.name), "\(strategy.name) has no page")
  }

  @Test(arguments: Catalogue.strategies(.seed))
  func everyStrategyHasAPage(strategy: StrategyProfile) throws {
    #expect(try page(strategy).text.hasPrefix("# \(strategy.name)\n"))
  }

  @Test func anUnknownStrategyHasNoPage() {
    #expect(StrategyPage(on: "Rules") == nil)
    #expect(StrategyPage(on: "") == nil)
  }

  @Test(arguments: StrategyPage.names)
  func everyPageShowsPseudoCodeInThePlatformsOwnWords(name: String) throws {
    let page = try #require(StrategyPage(on: name))
    #expect(page.text.contains("\n## What the app does\n"))
    #expect(page.text.contains("**Use it**") || page.text.contains("**Do not use it**"))
    #expect(page.text.contains("**Costs**"))
    let parts = Parts(page)
    #expect(parts.code.count >= 4)
    let calls = ["startRangingBeacons(satisfying:", "startScan(filters, settings, "]
    #expect(calls.contains(where: parts.has), "it does not say how the app listens")
  }

  @Test(arguments: Catalogue.strategies(.seed))
  func thePseudoCodeFollowsTheProfile(strategy: StrategyProfile) throws {
    let parts = Parts(try page(strategy))
    if strategy[.beginsTask] || strategy.mechanism == .sampledLocation {
      #expect(parts.has("beginBackgroundTask(expirationHandler:"))
      #expect(parts.has("endBackgroundTask("))
    } else {
      #expect(!parts.has("beginBackgroundTask"))
    }
    if strategy.mechanism == .events {
      #expect(!parts.has("startUpdatingLocation()") && !parts.has("liveUpdates()"))
    } else if strategy[.startsLocation] {
      #expect(parts.has("startUpdatingLocation()") || parts.has("liveUpdates()"))
    }
    #expect(parts.has("stopRangingBeacons(") == strategy[.pausesWhileAudio])
    #expect(parts.has("distanceFilter") == (strategy[.distanceFilter] != nil))
    switch strategy.mechanism {
    case .activitySession: #expect(parts.has("CLBackgroundActivitySession()"))
    case .job: #expect(parts.has("JobScheduler"))
    case .intent where strategy.needs == .devicePresence:
      #expect(parts.has("startObservingDevicePresence("))
    case .intent: #expect(parts.has("PendingIntent"))
    case .foregroundService: #expect(parts.has("startForeground("))
    default: break
    }
  }

  @Test(arguments: [
    ("stock", "ios17", ["grace", "tick_period"]), ("low-power", "ios17", ["heard_distance"]),
    ("background-task", "ios7", ["grace", "task_cap", "expiration_margin"]),
    ("background-task", "ios13", ["task_cap"]), ("background-task", "ios6", ["task_cap"]),
    ("location-when-in-use", "ios7", ["location_accuracy", "full_duty_factor"]),
    ("location-always", "ios7", ["full_duty_factor"]),
    ("task-list-sampled", "ios7", ["sample_interval", "sample_window", "location_accuracy"]),
    ("activity-session", "ios17", ["full_duty_factor"]),
    ("altbeacon-legacy", "android8", ["scan_period", "scan_interval", "service_limit"]),
    ("altbeacon-job", "android8", ["scan_period", "scan_interval", "hit_latency", "forgets_after"]),
    ("altbeacon-intent", "android8", ["hit_latency", "forgets_after"]),
    ("altbeacon-foreground-service", "android8", ["downgrades_scan_after"]),
    ("altbeacon-foreground-service", "android14", ["downgrades_scan_after"]),
  ])
  func thePageQuotesTheValuesOfTheProfile(strategy: String, os: String, constants: [String]) throws {
    let strategy = try #require(Catalogue.strategy(named: strategy, variant: .seed))
    let system = try #require(Catalogue.system(named: os, variant: .seed))
    let profile = try #require(PhoneProfile(os: system, strategy: strategy))
    let text = try page(strategy).text
    for name in constants {
      let value = try #require(profile.told(name)).value
      #expect(
        Self.spellings(value).contains { Self.quotes(text, $0) },
        "\(name) is \(value), and the page does not say so")
    }
  }

  /// `900 s` is also `15 min`, `15 minutes` and `15 min.`; `1 s` is also `1 Hz` and `once a second`.
  private static func spellings(_ value: String) -> [String] {
    let parts = value.split(separator: " ")
    guard parts.count == 2, let number = Int(parts[0]) else { return [value] }
    switch parts[1] {
    case "s" where number == 1: return [value, "1 Hz", "once a second"]
    case "s" where number % 60 == 0: return [value, "\(number / 60) min"]
    case "s": return [value, "\(number) seconds"]
    case "m" where number % 1000 == 0: return [value, "\(number / 1000) km"]
    default: return [value]
    }
  }

  /// Whether the text has the value, not as the tail of a longer number.
  private static func quotes(_ text: String, _ value: String) -> Bool {
    let parts = text.replacing("\n", with: " ").split(separator: value, omittingEmptySubsequences: false)
    return parts.dropLast().contains { !($0.last?.isNumber ?? false) }
  }

  @Test(arguments: StrategyPage.names)
  func theCodesAndConstantsThatAPageNamesExist(name: String) throws {
    let constants = Set(PhoneProfile.rules.map(\.name))
    let page = try #require(StrategyPage(on: name))
    for line in Parts(page).prose {
      let names = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      for name in names where name.contains("_") && !name.contains("(") {
        #expect(Reason(rawValue: name) != nil || constants.contains(name), "\(name) is neither")
      }
    }
  }
}
