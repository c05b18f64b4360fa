/// What an app does to hear beacons in the background: its choices, each with source and confidence.
public struct StrategyProfile: RuledProfile {
  /// What keeps the app awake beyond the grace after an event.
  public enum Mechanism: String, Hashable, Sendable {
    /// Nothing, or a background task.
    case events
    case location
    /// Location in samples, with a background task in between.
    case sampledLocation = "sampled-location"
    case activitySession = "activity-session"
    /// Android: a background service that scans in cycles.
    case cycle
    case job
    case intent
    case foregroundService = "foreground-service"

    public var family: OSProfile.Family {
      switch self {
      case .events, .location, .sampledLocation, .activitySession: .iOS
      case .cycle, .job, .intent, .foregroundService: .android
      }
    }
  }

  /// How likely a strategy is to cost its author something besides battery.
  public enum Risk: String, Hashable, Sendable, CaseIterable { case low, medium, high }

  /// What the strategy needs of a system.
  public enum Need: String, Hashable, Sendable {
    case nothing
    /// `CLMonitor` and `CLLocationUpdate.liveUpdates`: iOS 17.
    case newerLocation = "newer-location"
    /// iOS 16.1, here from the profile of 16.4 on.
    case liveActivities = "live-activities"
    /// `CompanionDeviceManager.startObservingDevicePresence`: Android 12.
    case devicePresence = "device-presence"
  }

  public var name: String
  /// Strategies of a group share rows of the table.
  let group: String
  public let mechanism: Mechanism
  public let needs: Need
  /// The permission that the app asks for, in the platform's words.
  public let permissionAsked: String
  /// The permission that the app has if the user grants what it asks for.
  public var permission: Permission {
    permissionAsked == "When In Use" || permissionAsked.hasPrefix("While using the app")
      ? .whenInUse : .always
  }
  public var summary: String
  var constants: [Constant<ConstantValue>]
  /// Measurements by the rule's index in the table.
  var measured: [Int: Measured] = [:]

  /// The range of a beacon of usual power (S0). A strategy with a shorter range keeps that range, because it describes the site.
  /// Any other phone hears whatever the gateway hears.
  public static let usualHearing: Micrometres = 50_000_000

  public static var places: Range<Int> { RuleTable.shipped.strategyPlaces }

  public subscript(place place: Int) -> Constant<ConstantValue> {
    get { constants[place - Self.places.lowerBound] }
    set {
      constants[place - Self.places.lowerBound] = newValue
      measured[place] = nil
    }
  }

  public mutating func setMeasured(_ measured: Measured, at place: Int) { self.measured[place] = measured }

  public func value(at place: Int) -> ConstantValue { constants[place - Self.places.lowerBound].value }

  /// The names of the rules that describe this strategy: those that differ from an app that does nothing special, and
  /// those that it depends on.
  public var ruleNames: [String] {
    Self.rules.filter {
      $0.condition.holds(for: self) || self[place: $0.place] != RuleTable.shipped.plain($0)
    }
    .map(\.name)
  }
}

/// When a rule counts for a strategy. The comma in `ios and begins_task, sampled-location` means "or".
struct RuleCondition: Sendable {
  private enum Term: Sendable {
    case always(Bool)
    case family(OSProfile.Family)
    case mechanism(StrategyProfile.Mechanism)
    case need(StrategyProfile.Need)
    case flag(place: Int, Bool)
  }

  private let alternatives: [[Term]]

  /// - Parameter flag: the place of the strategies' flag of a name.
  init(_ text: String, flag: (String) -> Int?) throws(ConstantError) {
    var alternatives: [[Term]] = []
    for alternative in text.split(separator: ", ") {
      var terms: [Term] = []
      for word in alternative.split(separator: " and ") {
        guard let term = Self.term(String(word), flag) else {
          throw ConstantError("\(word) is no platform, mechanism, need or flag of a strategy")
        }
        terms.append(term)
      }
      alternatives.append(terms)
    }
    self.alternatives = alternatives
  }

  private static func term(_ word: String, _ flag: (String) -> Int?) -> Term? {
    if word == "always" || word == "never" { return .always(word == "always") }
    if let family = OSProfile.Family(rawValue: word) { return .family(family) }
    if let mechanism = StrategyProfile.Mechanism(rawValue: word) { return .mechanism(mechanism) }
    if let need = StrategyProfile.Need(rawValue: word) { return .need(need) }
    if let place = flag(word) { return .flag(place: place, true) }
    return word.hasPrefix("not ") ? flag(String(word.dropFirst(4))).map { .flag(place: $0, false) } : nil
  }

  /// Whether a rule that is shown under this condition means anything on a platform.
  func concerns(_ family: OSProfile.Family) -> Bool {
    alternatives.contains { terms in
      terms.allSatisfy { term in
        switch term {
        case .family(let own): own == family
        case .mechanism(let mechanism): mechanism.family == family
        case .need(let need): need == .nothing || (need == .devicePresence) == (family == .android)
        case .always, .flag: true
        }
      }
    }
  }

  func holds(for strategy: StrategyProfile) -> Bool {
    alternatives.contains { terms in
      terms.allSatisfy { term in
        switch term {
        case .always(let always): always
        case .family(let family): strategy.mechanism.family == family
        case .mechanism(let mechanism): strategy.mechanism == mechanism
        case .need(let need): strategy.needs == need
        case .flag(let place, let flag): strategy.value(at: place) == .flag(flag)
        }
      }
    }
  }
}

/// The documentation's page on a strategy: what the app does, when to use it, what it costs, and the sources.
///
/// A new strategy needs rows in the table of rules, a page in `Phones.docc`, a line in `Package.swift` and one here.
public struct StrategyPage: Hashable, Sendable {
  /// The name of the strategy.
  public let name: String
  /// Markdown, as DocC has it.
  public let text: String

  /// nil: there is no page on a strategy of this name.
  public init?(on strategy: String) {
    guard let page = Self.pages.first(where: { $0.name == strategy }) else { return nil }
    name = strategy
    text = String(decoding: page.text, as: UTF8.self)
  }

  /// The names of all strategies that have a page, those of iOS first.
  public static var names: [String] { pages.map(\.name) }

  // The build makes PackageResources from the pages that Package.swift lists.
  private static let pages: [(name: String, text: [UInt8])] = [
    ("stock", PackageResources.stock_md),
    ("low-power", PackageResources.low_power_md),
    ("background-task", PackageResources.background_task_md),
    ("location-when-in-use", PackageResources.location_when_in_use_md),
    ("location-always", PackageResources.location_always_md),
    ("task-list-sampled", PackageResources.task_list_sampled_md),
    ("activity-session", PackageResources.activity_session_md),
    ("live-updates", PackageResources.live_updates_md),
    ("cl-monitor", PackageResources.cl_monitor_md),
    ("live-activity", PackageResources.live_activity_md),
    ("altbeacon-legacy", PackageResources.altbeacon_legacy_md),
    ("altbeacon-job", PackageResources.altbeacon_job_md),
    ("altbeacon-intent", PackageResources.altbeacon_intent_md),
    ("altbeacon-foreground-service", PackageResources.altbeacon_foreground_service_md),
    ("companion-presence", PackageResources.companion_presence_md),
  ]
}
