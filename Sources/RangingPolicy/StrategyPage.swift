/// The documentation's page on a strategy: what the app does, when to use it, what it costs, and the sources.
///
/// A new strategy needs a page in `RangingPolicy.docc`, a line in `Package.swift` and one here.
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
