import ArgumentParser
import Core
import Fleet

/// The site and the crowd.
struct CrowdOptions: ParsableArguments {
  @Option(help: "How many gateways.")
  var gateways = 20
  @Option(help: "How many tags, 100,000 at most.")
  var tags = 1000
  @Option(help: "How many rooms; at most one a gateway. Default: as many as gateways.")
  var rooms: Int?
  @Option(
    help: ArgumentHelp("Observations a second; sets how often tags advertise. Default: every 2 s."))
  var rate: Double?
  @Option(help: "How many partitions.")
  var partitions = 16
  @Option(help: ArgumentHelp("How long gateways collect observations.", valueName: "seconds"))
  var interval = 1.0
  @Option(help: ArgumentHelp("How long a tag stays in a room on average.", valueName: "seconds"))
  var stay = 60.0
  @Option(help: ArgumentHelp("Share of time for which a gateway is cut off, 0 to 0.9.", valueName: "share"))
  var late = 0.0
  @Option(help: ArgumentHelp("Share of batches that are published twice, 0 to 1.", valueName: "share"))
  var duplicates = 0.0
  @Option(help: ArgumentHelp("The same seed gives the same walk.", valueName: "number"))
  var seed: UInt64 = 1

  func validate() throws {
    guard (1...4096).contains(gateways) else { throw ValidationError("--gateways is from 1 to 4096.") }
    guard (1...100_000).contains(tags) else { throw ValidationError("--tags is from 1 to 100000.") }
    guard (1...gateways).contains(rooms ?? gateways) else {
      throw ValidationError("--rooms is at least 1 and at most the number of gateways.")
    }
    guard (1...1024).contains(partitions) else { throw ValidationError("--partitions is from 1 to 1024.") }
    guard rate.map({ $0 >= 0.1 && $0 <= 10_000_000 }) ?? true else {
      throw ValidationError("--rate is from 0.1 to 10000000.")
    }
    guard (0.1...60).contains(interval) else { throw ValidationError("--interval is from 0.1 to 60 s.") }
    guard (1...1e6).contains(stay) else { throw ValidationError("--stay is from 1 to 1000000 s.") }
    guard (0...0.9).contains(late) else { throw ValidationError("--late is from 0 to 0.9.") }
    guard (0...1).contains(duplicates) else { throw ValidationError("--duplicates is from 0 to 1.") }
  }

  var settings: CrowdSettings {
    var settings = CrowdSettings()
    settings.seed = seed
    settings.gateways = gateways
    settings.tags = tags
    settings.rooms = rooms ?? gateways
    settings.partitions = partitions
    settings.interval = .seconds(interval)
    settings.stay = .seconds(stay)
    settings.late = late
    settings.duplicates = duplicates
    if let rate { settings.setRate(rate) }
    return settings
  }
}
