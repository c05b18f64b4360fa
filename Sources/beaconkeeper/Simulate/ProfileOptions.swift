import ArgumentParser
import Configuration
import Core
import Phones

/// The phones for `simulate` and `plan`.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An operating system; may be given several times. One of: \(Self.names(Catalogue.systems().map(\.name))).",
      valueName: "name"))
  var os: [String] = []
  @Option(
    help: ArgumentHelp(
      "A strategy; may be given several times. One of: \(Self.names(Catalogue.strategies().map(\.name))).",
      valueName: "name"))
  var strategy: [String] = []
  @Option(
    name: .customLong("variant"),
    help: ArgumentHelp(
      "iOS as observed in the field, or as the project's original documents describe it (seed). Default: observed.",
      valueName: "seed|observed"))
  var chosenVariant: Variant?
  @Option(
    help: ArgumentHelp(
      "A device, whose rules stand above those of its system. One of: \(Self.names(Catalogue.devices.map(\.name))).",
      valueName: "name"))
  var device: String?
  @Option(
    help: ArgumentHelp(
      "A condition of the phone; may be given several times. One of: \(Self.names(Catalogue.conditions.map(\.name))).",
      valueName: "name"))
  var condition: [String] = []
  @Option(help: ArgumentHelp("Background time that a task grants.", valueName: "duration"))
  var cap: String?
  @Option(help: ArgumentHelp("How long before zero the expiration handler runs.", valueName: "duration"))
  var margin: String?
  @Option(help: ArgumentHelp("Any other constant of the profiles.", valueName: "name=value"))
  var set: [String] = []

  private static func names(_ names: [String]) -> String { names.joined(separator: ", ") }

  /// The changed constants, for a page.
  var scenario: [(name: String, value: String)] {
    [device.map { ("device", $0) }, cap.map { ("cap", $0) }, margin.map { ("margin", $0) }].compactMap(\.self)
      + condition.map { ("condition", $0) } + set.map { ("set", $0) }
  }

  /// One line for each requested system that has no profile of its own.
  func substitutions(_ added: ProfileSettings, _ variant: Variant) -> [String] {
    let known = added.systems(variant).map(\.name)
    return os.filter { !known.contains($0) }.compactMap { wanted in
      // People also write `iOS 17` for ios17.
      let plain = wanted.lowercased().filter { $0 != " " && $0 != "-" }
      return Catalogue.systemName(for: wanted).flatMap {
        plain == $0 ? nil : "there is no profile of \(wanted) alone: \($0) is used, the newest before it"
      }
    }
  }

  /// The requested profiles, built-in or from the configuration.
  func profiles(_ added: ProfileSettings, _ variant: Variant) throws -> [PhoneProfile] {
    try refuseUnknownCircumstances()
    let systems = try chosen(
      os.map { Self.system($0, among: added.systems(variant)) }, added.systems(variant), "--os", \.name)
    let strategies = try chosen(strategy, added.strategies(variant), "--strategy", \.name)
    var profiles: [PhoneProfile] = []
    for os in systems {
      for strategy in strategies {
        guard let profile = PhoneProfile(os: os, strategy: strategy),
          let circumstanced = under(profile, variant)
        else { continue }
        profiles.append(try changed(circumstanced))
      }
    }
    if let name = circumstances.first(where: { name in !profiles.contains { $0.circumstances.contains(name) }
    }) {
      throw ValidationError(
        "\(circumstances.joined(separator: ", ")): none of the systems asked for goes with \(name).")
    }
    try refuseMisfits(systems, strategies, profiles)
    return profiles
  }

  private var circumstances: [String] { (device.map { [$0] } ?? []) + condition }

  /// The profile as the device and under the conditions. If these are of another platform, the profile stays as it is if its
  /// system was requested by name; otherwise it is left out: nil.
  private func under(_ profile: PhoneProfile, _ variant: Variant) -> PhoneProfile? {
    circumstances.reduce(profile) { phone, name in
      phone.flatMap { $0.under(name, variant) ?? (os.isEmpty ? nil : $0) }
    }
  }

  private func refuseUnknownCircumstances() throws {
    for (option, names, known) in [
      ("--device", device.map { [$0] } ?? [], Catalogue.devices),
      ("--condition", condition, Catalogue.conditions),
    ] {
      for name in names where !known.contains(where: { $0.name == name }) {
        throw ValidationError("\(option) \(name) is none of \(Self.names(known.map(\.name))).")
      }
    }
  }

  /// The profiles as above. It prints which of them stand in for others, and ends the command if the usage is wrong.
  func announced(
    _ added: ProfileSettings, _ variant: Variant, _ command: (some ParsableCommand).Type
  ) throws -> [PhoneProfile] {
    do {
      let chosen = try profiles(added, variant)
      for line in substitutions(added, variant) { say("beaconkeeper: \(line)") }
      return chosen
    } catch let error as ValidationError {
      throw refusal(error.message, command)
    }
  }

  /// A profile that is requested by name, but fits none of the other requested ones, must be reported.
  private func refuseMisfits(
    _ systems: [OSProfile], _ strategies: [StrategyProfile], _ profiles: [PhoneProfile]
  ) throws {
    for system in systems where !os.isEmpty && !profiles.contains(where: { $0.os.name == system.name }) {
      let why = strategies.lazy.compactMap { PhoneProfile.mismatch(os: system, strategy: $0) }.first
      throw ValidationError("--os \(system.name) fits none of the strategies asked for: \(why ?? "").")
    }
    for wanted in strategies
    where !strategy.isEmpty && !profiles.contains(where: { $0.strategy.name == wanted.name }) {
      let why = systems.lazy.compactMap { PhoneProfile.mismatch(os: $0, strategy: wanted) }.first
      throw ValidationError("--strategy \(wanted.name) fits none of the systems asked for: \(why ?? "").")
    }
  }

  private static func system(_ wanted: String, among known: [OSProfile]) -> String {
    known.contains { $0.name == wanted } ? wanted : Catalogue.systemName(for: wanted) ?? wanted
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
        if try !profile.set(parts[0], to: parts[1], source: "given on the command line", confidence: .low) {
          let names = PhoneProfile.rules.map(\.name).joined(separator: ", ")
          throw ConstantError("no constant has that name: \(names)")
        }
      } catch {
        throw ValidationError("\(parts[0]): \(error).")
      }
    }
    return profile
  }
}

extension Variant: ExpressibleByArgument {}

/// `simulate --list`: every profile with its description.
struct ProfileList {
  let text: String
  /// The same as JSON.
  let json: String

  init(_ profiles: ProfileSettings, variant: Variant) {
    let systems = profiles.systems(variant)
    let strategies = profiles.strategies(variant)
    json = Self.json(systems, strategies)
    let width = (systems.map(\.name) + strategies.map(\.name)).map(\.cells).max() ?? 0
    func line(_ name: String, _ summary: String) -> String {
      "  \(name.padded(to: width))  \(summary)"
    }
    var lines = ["Operating systems (--os)"] + systems.map { line($0.name, $0.summary) }
    lines += ["", "Devices (--device)"] + Catalogue.devices.map { line($0.name, $0.summary) }
    lines += ["", "Conditions (--condition)"] + Catalogue.conditions.map { line($0.name, $0.summary) }
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

  private static func json(_ systems: [OSProfile], _ strategies: [StrategyProfile]) -> String {
    var writer = JSONWriter()
    writer.object { json in
      json.objects("systems", systems) { json, system in
        json.field("name", system.name)
        json.field("family", system.family.rawValue)
        json.field("summary", system.summary)
      }
      for (key, circumstances) in [("devices", Catalogue.devices), ("conditions", Catalogue.conditions)] {
        json.key(named: key)
        json.array(circumstances) { json, one in
          json.object { json in
            json.field("name", one.name)
            json.field("family", one.family.rawValue)
            json.field("summary", one.summary)
          }
        }
      }
      json.objects("strategies", strategies) { json, strategy in
        json.field("name", strategy.name)
        json.field("family", strategy.mechanism.family.rawValue)
        json.field("summary", strategy.summary)
        json.array("systems", systems.filter { PhoneProfile(os: $0, strategy: strategy) != nil }) {
          $0.value($1.name)
        }
      }
    }
    return writer.text
  }
}
