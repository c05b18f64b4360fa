import ArgumentParser
import Contract
import Core
import Phones

struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Measures the ranging policy: one day of many phones, each with twelve visits to its beacon.")

  @Option(help: "How many phones. The profiles are assigned in turn.")
  var phones = 1000

  func run() throws {
    let profiles = PhoneProfile.all()
    let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
    let watch = Stopwatch()
    var windows = 0
    var verdicts = 0
    for phone in 0..<phones {
      let day = Simulation(profiles[phone % profiles.count], near: near, timeline: Self.day(phone))
      windows += day.windows.count
      verdicts += day.verdicts.count
    }
    let cpu = watch.cpu
    tell { json in
      json.field("phones", phones)
      json.field("windows", windows)
      json.field("verdicts", verdicts)
      json.field("cpu_s", cpu, decimals: 6)
    }
  }

  /// A visit every two hours: from 60 m to the beacon at about 1 m/s, ten minutes there, and back.
  private static func day(_ phone: Int) -> Timeline {
    let hour: Milliseconds = 3_600_000
    var path: [Timeline.Waypoint] = []
    for visit in 0..<12 {
      let start = Milliseconds(visit) * 2 * hour + Milliseconds(phone % 600) * 1000
      path += [
        .init(time: start, distance: 60_000_000), .init(time: start + 60_000, distance: 500_000),
        .init(time: start + 660_000, distance: 500_000), .init(time: start + 720_000, distance: 60_000_000),
        .init(time: start + 721_000, distance: nil),
      ]
    }
    return Timeline(events: [], waypoints: path, end: 24 * hour)
  }
}
