import ArgumentParser
import Configuration
import Core
import Phones

/// `simulate --explain`: the page on a strategy, then its rules and those of the systems, with their sources.
struct StrategyExplanation {
  let text: String

  /// - Parameters:
  ///   - profiles: the strategy on each requested system; at least one.
  ///   - added: the configuration's profiles, for a strategy without a page of its own.
  init(_ profiles: [PhoneProfile], _ variant: Variant, added: ProfileSettings) {
    let strategy = profiles[0].strategy
    var parts = [Self.page(on: strategy, added)]
    var rules = [["NAME", "VALUE", "CONFIDENCE", "SOURCE"]]
    for rule in strategy.ruleNames.compactMap(profiles[0].told) { rules.append(rule.cells) }
    if strategy.mechanism.family == .iOS { parts.append("The rules below: \(variant.words).") }
    parts.append("RULES OF THE STRATEGY\n\n" + rules.text)
    parts.append(profiles.count == 1 ? Self.rules(of: profiles[0]) : Self.rules(of: profiles))
    let grades = Confidence.allCases.map { "\($0.rawValue) \($0.inWords)" }.joined(separator: ", ")
    if let spreads = Self.spreads(of: profiles) { parts.append(spreads) }
    parts.append(
      "Confidence: \(grades). Change a rule by --set name=value, or in the configuration below profiles:.")
    text = parts.joined(separator: "\n\n")
  }

  /// The measurements, as the crowd of `--compare` draws from them.
  private static func spreads(of profiles: [PhoneProfile]) -> String? {
    var table = [["NAME", "5 %", "HALF", "95 %", "NEVER", "MEASURED ON", "CONFIDENCE", "SOURCE"]]
    for profile in profiles {
      for spread in profile.spreads {
        let (low, high) = (spread.never.lowerBound, spread.never.upperBound)
        let percent = "\(Int((low * 100).rounded())) to \(Int((high * 100).rounded())) %"
        let cells = [
          spread.name, spread.low, spread.middle, spread.high, high > 0 ? percent : "",
          spread.scope + (spread.isElsewhere ? ", so wider" : ""),
          spread.confidence.inWords, spread.source.inWords,
        ]
        if !table.contains(cells) { table.append(cells) }
      }
    }
    return table.count > 1
      ? "WHAT WAS MEASURED, as the phones of --compare draw it\n\n" + table.text : nil
  }

  private static func page(on strategy: StrategyProfile, _ added: ProfileSettings) -> String {
    if let page = StrategyPage(on: strategy.name) { return plain(page) }
    var base = strategy.name
    for change in added.strategyChanges.reversed() where change.name == base { base = change.base }
    let origin = base == strategy.name ? strategy.summary + "." : "From the configuration; based on \(base)."
    return ([strategy.name + "\n\n" + origin] + (StrategyPage(on: base).map { [plain($0)] } ?? []))
      .joined(separator: "\n\n")
  }

  private static func plain(_ page: StrategyPage) -> String {
    var text = PlainMarkdown(PolicyDocument.named(in: page.text)).text
    while text.last == "\n" { text.removeLast() }
    return text
  }

  private static func rules(of profile: PhoneProfile) -> String {
    var table = [["NAME", "VALUE", "CONFIDENCE", "SOURCE"]]
    for rule in profile.systemRuleNames.compactMap(profile.told) { table.append(rule.cells) }
    return "RULES OF \(profile.os.name)\n\n" + table.text
  }

  /// A line for each value of a rule, with the systems that have it.
  private static func rules(of profiles: [PhoneProfile]) -> String {
    var table = [["NAME", "VALUE", "SYSTEMS", "CONFIDENCE", "SOURCE"]]
    for name in profiles[0].systemRuleNames {
      var groups: [(rule: StatedRule, systems: [String])] = []
      for profile in profiles {
        guard let rule = profile.told(name) else { continue }
        if let place = groups.firstIndex(where: { $0.rule == rule }) {
          groups[place].systems.append(profile.os.name)
        } else {
          groups.append((rule, [profile.os.name]))
        }
      }
      for (rule, systems) in groups {
        var cells = rule.cells
        cells.insert(systems.count == profiles.count ? "all" : systems.joined(separator: ", "), at: 2)
        table.append(cells)
      }
    }
    return "RULES OF \(profiles.map(\.os.name).joined(separator: ", ")); --os shows one\n\n" + table.text
  }
}

extension StatedRule {
  fileprivate var cells: [String] { [name, value, confidence.inWords, source.inWords] }
}

extension SimulateCommand {
  /// The page on a strategy, for the requested systems.
  func explanation(of wanted: String, _ added: ProfileSettings) throws -> String {
    let known = added.strategies().map(\.name)
    guard known.contains(wanted) else {
      let hint = nearest(to: wanted, among: known).map { " Did you mean \($0)?" } ?? ""
      throw refusal(
        "--explain \(wanted) is none of \(known.joined(separator: ", ")).\(hint)", Self.self)
    }
    var options = profiles
    options.strategy = [wanted]
    let variant = options.chosenVariant ?? .observed
    for line in options.substitutions(added, variant) { say("beaconkeeper: \(line)") }
    do {
      return StrategyExplanation(try options.profiles(added, variant), variant, added: added).text
    } catch let error as ValidationError {
      throw refusal(error.message, Self.self)
    }
  }
}
