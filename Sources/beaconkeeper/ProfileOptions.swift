import ArgumentParser
import GatewayConfiguration
import RangingPolicy

/// Which phones `simulate` and `plan` are about.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An operating system; may be given several times. One of: \(Self.names(Catalogue.systems().map(\.name))).",
      valueName: "name"))
  var os: [String] = []
  @Option(
    help: ArgumentHelp(
      "A strategy; may be given several times. One of: \(Self.names(Catalogue.strategies.map(\.name))).",
      valueName: "name"))
  var strategy: [String] = []
  @Option(
    name: .customLong("variant"),
    help: ArgumentHelp(
      "iOS as the seed documents have it, or as observed since. Left out: seed; for plan, observed.",
      valueName: "seed|observed"))
  var chosenVariant: Variant?
  @Option(help: ArgumentHelp("Background time that a task grants.", valueName: "duration"))
  var cap: String?
  @Option(help: ArgumentHelp("How long before zero the expiration handler runs.", valueName: "duration"))
  var margin: String?
  @Option(help: ArgumentHelp("Any other constant of the profiles.", valueName: "name=value"))
  var set: [String] = []

  var isFiltered: Bool { !os.isEmpty || !strategy.isEmpty }

  private static func names(_ names: [String]) -> String { names.joined(separator: ", ") }

  /// Those asked for, of those that ship and those that the configuration adds.
  func profiles(_ added: ProfileSettings, _ variant: Variant) throws -> [PhoneProfile] {
    let systems = try chosen(os, added.systems(variant), "--os", \.name)
    let strategies = try chosen(strategy, added.strategies, "--strategy", \.name)
    var profiles: [PhoneProfile] = []
    var mismatch: String?
    for os in systems {
      for strategy in strategies {
        if let profile = PhoneProfile(os: os, strategy: strategy) {
          profiles.append(try changed(profile))
        } else {
          mismatch = PhoneProfile.mismatch(os: os, strategy: strategy)
        }
      }
    }
    guard !profiles.isEmpty else { throw ValidationError("No pair fits: \(mismatch ?? "").") }
    return profiles
  }

  private func chosen<Profile>(
    _ names: [String], _ all: [Profile], _ option: String, _ name: (Profile) -> String
  ) throws -> [Profile] {
    if names.isEmpty { return all }
    for wanted in names where !all.contains(where: { name($0) == wanted }) {
      throw ValidationError("\(option) \(wanted) is none of \(all.map(name).joined(separator: ", ")).")
    }
    return all.filter { names.contains(name($0)) }
  }

  /// The profile with the constants of the command line.
  func changed(_ profile: PhoneProfile) throws -> PhoneProfile {
    var profile = profile
    var changes = set
    if let cap { changes.append("task_cap=\(cap)") }
    if let margin { changes.append("expiration_margin=\(margin)") }
    for change in changes {
      let parts = change.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw ValidationError("--set \(change) is not of the form name=value.") }
      do throws(ConstantError) {
        if try !profile.set(parts[0], to: parts[1], source: "given on the command line", confidence: .high) {
          let names = OSProfile.constants.map(\.name) + StrategyProfile.constants.map(\.name)
          throw ConstantError(description: "no constant has that name: \(names.joined(separator: ", "))")
        }
      } catch {
        throw ValidationError("\(parts[0]): \(error).")
      }
    }
    return profile
  }
}

extension Variant: ExpressibleByArgument {}

/// `simulate --list`: every profile with what it stands for.
struct ProfileList {
  let text: String

  init(_ profiles: ProfileSettings, variant: Variant) {
    let systems = profiles.systems(variant)
    let strategies = profiles.strategies
    let width = (systems.map(\.name) + strategies.map(\.name)).map(\.count).max() ?? 0
    func line(_ name: String, _ summary: String) -> String {
      "  " + name + String(repeating: " ", count: width - name.count + 2) + summary
    }
    var lines = ["Operating systems (--os)"]
    lines += systems.map { line($0.name, $0.summary) }
    for family in [OSProfile.Family.iOS, .android] {
      lines += ["", "Strategies on \(family == .iOS ? "iOS" : "Android") (--strategy)"]
      for strategy in strategies where strategy.mechanism.family == family {
        lines.append(line(strategy.name, strategy.summary))
        let fitting = systems.filter { PhoneProfile(os: $0, strategy: strategy) != nil }
        if fitting.count < systems.count(where: { $0.family == family }) {
          lines.append(line("", "on \(fitting.map(\.name).joined(separator: ", "))"))
        }
      }
    }
    text = lines.joined(separator: "\n")
  }
}
