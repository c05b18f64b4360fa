import CPhonePages

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
/// A new strategy needs rows in the table of rules, a page in `Phones.docc`, and its name in `deploy/page`.
public struct StrategyPage: Hashable, Sendable {
  /// The name of the strategy.
  public let name: String
  /// Markdown, as DocC has it.
  public let text: String

  /// nil: there is no page on a strategy of this name.
  public init?(on strategy: String) {
    guard Self.names.contains(strategy), let page = Self.page(strategy) else { return nil }
    (name, text) = (strategy, page)
  }

  /// The names of all strategies that have a page, those of iOS first.
  public static var names: [String] {
    // The table of rules comes first.
    var names: [String] = []
    while let page = phone_page(names.count + 1)?.pointee { names.append(String(cString: page.name)) }
    return names
  }

  /// A page of `Phones.docc`; nil: there is none of this name.
  static func page(_ name: String) -> String? {
    var index = 0
    while let page = phone_page(index)?.pointee {
      if String(cString: page.name) == name {
        return String(decoding: UnsafeBufferPointer(start: page.data, count: page.size), as: UTF8.self)
      }
      index += 1
    }
    return nil
  }
}
