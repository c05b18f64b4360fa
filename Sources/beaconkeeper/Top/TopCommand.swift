import ArgumentParser
import Configuration
import Core
import Glibc
import Web

struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows a running gateway live: who is where, signals, phones, receivers.",
    discussion: """
      It reads from the gateway's HTTP server, which `http:` in the configuration starts. Without --url it uses this \
      machine's gateway. Keys: arrows, page up and down scroll, s changes how beacons are sorted, q \
      quits. If standard output is no terminal, it prints the tables once. Exit status: 69 if no gateway answers, 77 if \
      it asks for another password, 65 if it is not a Beaconkeeper.

      EXAMPLES
        beaconkeeper top
        beaconkeeper top --url http://gate.lan:8099 --password-file gate-password
        beaconkeeper top --once
        beaconkeeper top --once --json | jq '.beacons[] | {beacon, distance_m}'
      """)

  static let overview = "api/v1/overview"
  static let events = "api/v1/events"

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The configuration that says where this machine's gateway listens.", valueName: "file")
  )
  var config: String?
  @Option(help: ArgumentHelp("Another gateway, such as http://gate.lan:8099.", valueName: "url"))
  var url: String?
  @Option(
    help: ArgumentHelp(
      "A file whose first line is the password (default: the configuration's).", valueName: "file"))
  var passwordFile: String?
  @Option(
    help: ArgumentHelp(
      "PEM file of the authority of an https gateway (default: those that this machine trusts).",
      valueName: "file"))
  var caFile: String?
  @Flag(help: "Print the tables once and end.")
  var once = false
  @Flag(help: "Print JSON: one line with everything, with --once; else one a second.")
  var json = false

  func validate() throws {
    if config != nil, url != nil { throw ValidationError("Either --config or --url.") }
  }

  func run() async throws {
    let source = try source()
    let client = try source.client()
    let picture: TopPicture
    let body: [UInt8]
    do {
      let reply = try await client.get(Self.overview)
      guard reply.status == 200 else { throw source.fault(reply) }
      (picture, body) = (try TopPicture(reply.body), reply.body)
    } catch let error as TopPicture.Stranger {
      throw source.stranger(error.reason)
    } catch let error as ExitCode {
      throw error
    } catch {
      throw source.fault(error)
    }
    if json {
      try show(json: body)
      if !once { try await follow(client, source) }
    } else if !once, isatty(1) == 1, getenv("TERM").map({ String(cString: $0) }) != "dumb",
      let terminal = KeyTerminal()
    {
      await TopWatch(TopFeed(client, picture)).run(terminal)
    } else {
      let tables = TopTables(picture: picture, now: picture.time, eventLimit: 20)
      for line in [tables.head, StyledLine()] + tables.lines { try tell(line.plain) }
    }
    await client.close()
  }

  private func source() throws -> TopSource {
    var source =
      try url.map { url throws(ExitCode) in try TopSource(url: url) }
      ?? TopSource(ConfigurationOption.load(config).configuration)
    if let passwordFile {
      source.password = try attempt(.inputOutput, passwordFile) {
        try InputText(path: passwordFile).password()
      }
    }
    if let caFile { source.trust = .authorities(caFile) }
    return source
  }

  // MARK: JSON

  private func show(json body: [UInt8]) throws(ExitCode) {
    // Control characters from the air must not reach a terminal; a program gets the bytes unchanged.
    guard isatty(1) == 1 else { return try put(body + [0x0A]) }
    try tell(String(decoding: body, as: UTF8.self).printable)
  }

  private func follow(_ client: HTTPClient, _ source: TopSource) async throws {
    do {
      // The first one was printed already.
      var isFirst = true
      for try await event in try await client.events(Self.events) where event.name == "overview" {
        if !isFirst { try show(json: event.data) }
        isFirst = false
      }
    } catch let error as ExitCode {
      throw error
    } catch {
      throw source.fault(error)
    }
  }
}
