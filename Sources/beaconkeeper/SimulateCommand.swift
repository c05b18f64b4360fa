import ArgumentParser
import Foundation
import RangingPolicy

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Would a phone's own app have noticed the beacon?",
    discussion: """
      Follows a walk towards a beacon, or a timeline of your own, and says for each operating system and background \
      strategy whether the app would have seen it come near, how late, or why not.

      A timeline has one JSON object a line: waypoints {"t":0,"distance_m":50}, between which the phone moves evenly \
      (null: out of earshot), and events {"t":3,"event":"background"}: foreground, background, region-enter, \
      region-exit, begin-task and end-task ("id"; "granted":false for one that is refused), audio-on, audio-off, \
      screen-on, screen-off, bluetooth-on, bluetooth-off, permission ("value": always, when-in-use, denied, \
      reduced-accuracy, …), location-start, location-stop, force-quit, low-memory, reboot, user-launch, debugger \
      ("value": true or false), location-services-on, location-services-off, still, moving, bucket ("value": active, \
      working-set, frequent, rare). Region events follow from the distance unless the timeline gives some.

      Exit status: 0 simulated, 64 wrong usage, 65 a bad line in the timeline.

      EXAMPLES
        beaconkeeper simulate --approach 50m@1m/s --near 4m
        beaconkeeper simulate --approach 50m@1.4m/s --near 4m --os ios13 --strategy background-task --json
        beaconkeeper simulate --timeline visit.jsonl --os ios17 --variant observed
        beaconkeeper simulate --approach 50m@1m/s --strategy task-list-sampled --set sample_interval=200s
      """)

  @Option(help: ArgumentHelp("Come from this far at this speed.", valueName: "50m@1m/s"))
  var approach: String?
  @Option(help: ArgumentHelp("Waypoints and events, JSON lines; - is standard input.", valueName: "file"))
  var timeline: String?
  @Option(help: ArgumentHelp("When the near trigger fires.", valueName: "distance"))
  var near = "4m"
  @Option(help: ArgumentHelp("Beyond this it is armed anew; left out: beyond near.", valueName: "distance"))
  var rearm: String?
  @Option(help: ArgumentHelp("An operating system; may be given several times.", valueName: "name"))
  var os: [String] = []
  @Option(help: ArgumentHelp("A strategy; may be given several times.", valueName: "name"))
  var strategy: [String] = []
  @Option(
    help: ArgumentHelp("iOS as the seed documents have it, or as observed since.", valueName: "seed|observed")
  )
  var variant = Variant.seed
  @Option(help: ArgumentHelp("Background time that a task grants.", valueName: "duration"))
  var cap: String?
  @Option(help: ArgumentHelp("How long before zero the expiration handler runs.", valueName: "duration"))
  var margin: String?
  @Option(help: ArgumentHelp("Any other constant of the profiles.", valueName: "name=value"))
  var set: [String] = []
  @Option(help: ArgumentHelp("How long to follow it, from zero.", valueName: "duration"))
  var `for`: String?
  @Flag(help: "JSON: one object, or an array where several profiles were asked for.")
  var json = false

  func validate() throws {
    if (approach == nil) == (timeline == nil) {
      throw ValidationError("Give either --approach, such as 50m@1m/s, or --timeline with a file.")
    }
  }

  func run() throws {
    let rule = try nearRule()
    let profiles = try self.profiles()
    let timeline = try readTimeline()
    let results = profiles.map { Simulation($0, near: rule, timeline: timeline) }
    if json {
      try tell(SimulationJSON(variant: variant).text(results))
    } else {
      try tell(SimulationTable(results).text)
    }
  }

  private func nearRule() throws -> NearRule {
    let near = try read(near, "--near", Quantity.distance, "a distance such as 4m")
    let rearm = try rearm.map { try read($0, "--rearm", Quantity.distance, "a distance such as 6m") } ?? near
    guard rearm >= near else { throw ValidationError("--rearm \(rearm) must not be nearer than --near.") }
    return NearRule(near: near, rearm: rearm)
  }

  private func readTimeline() throws -> Timeline {
    let end = try self.for.map { try read($0, "--for", Quantity.duration, "a duration such as 10min") }
    if let approach {
      let wanted = "a distance and a speed such as 50m@1m/s"
      let (distance, speed) = try read(approach, "--approach", Quantity.approach, wanted)
      var timeline = Timeline(approachFrom: distance, speed: speed)
      if let end { timeline.end = end }
      return timeline
    }
    let path = timeline ?? ""
    let file = TimelineFile(try bytes(of: path))
    for fault in file.faults {
      say("\(path):\(fault.line):\(fault.column): error: \(fault.message)")
      if let hint = fault.hint { say("  hint: \(hint)") }
    }
    guard file.faults.isEmpty else {
      throw failure(
        "\(path): \(file.faults.count == 1 ? "a line" : "\(file.faults.count) lines") cannot be used",
        .dataError)
    }
    guard !file.isEmpty else { throw failure("\(path): there is nothing in this timeline", .dataError) }
    return file.timeline(until: end)
  }

  /// Longer than any timeline that people write.
  private static let largest = 64 << 20

  private func bytes(of path: String) throws -> [UInt8] {
    do {
      let handle = path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var bytes: [UInt8] = []
      while let piece = try handle.read(upToCount: 1 << 16), !piece.isEmpty {
        bytes += piece
        guard bytes.count <= Self.largest else { throw failure("\(path): longer than 64 MiB", .dataError) }
      }
      return bytes
    } catch let code as ExitCode {
      throw code
    } catch {
      throw failure("\(path): cannot be read: \(error.localizedDescription)", .inputOutput)
    }
  }

  private func profiles() throws -> [PhoneProfile] {
    let systems = try chosen(os, Catalogue.systems(variant), "--os", \.name)
    let strategies = try chosen(strategy, Catalogue.strategies, "--strategy", \.name)
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
    guard !profiles.isEmpty else { throw ValidationError("Nothing to simulate: \(mismatch ?? "").") }
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

  private func changed(_ profile: PhoneProfile) throws -> PhoneProfile {
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

  private func read<Value>(
    _ text: String, _ option: String, _ parse: (String) -> Value?, _ wanted: String
  ) throws -> Value {
    guard let value = parse(text) else { throw ValidationError("\(option) \(text) is not \(wanted).") }
    return value
  }
}

extension Variant: ExpressibleByArgument {}
