import ArgumentParser
import Beacons
import Core
import FoundationEssentials

struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decodes advertisements: one JSON object per frame.",
    discussion: """
      The input is AD structures in hexadecimal, as arguments or one payload per line on standard input. A line can \
      also be a JSON object with "payload" and, if known, "address", "address_type" and "rssi". Blank lines and lines \
      that begin with # are skipped. Invalid lines are reported on standard error, the others are decoded, and the \
      exit status is 65. Of an encrypted frame that cannot be read, "remedy" says what is missing.

      EXAMPLES
        beaconkeeper decode 1aff4c000215f29dc74adbbd12de318ac8b046dd442500010002c5
        beaconkeeper decode --hci 043e0f020100010100000000c103020106b8
        beaconkeeper decode --key @bindkey \\
            --address 54:48:E6:8F:80:A5 1216d2fc41a47266c95f730011223378237214
        beaconkeeper decode --service fcd2 4002ca0903bf13
        beaconkeeper decode --list | beaconkeeper decode
        beaconkeeper decode < payloads.txt \\
            | jq 'select(.format == "ruuvi").readings.temperature_c'
      """)

  @Argument(help: ArgumentHelp("Payloads; without any, reads standard input.", valueName: "HEX"))
  var payloads: [String] = []

  @Flag(help: "Lists the formats that can be decoded: their models, what is read of each, and a payload.")
  var list = false

  @Flag(help: "The bytes are whole HCI events (LE advertising reports), with or without the H4 octet 04.")
  var hci = false

  @Option(
    help: ArgumentHelp(
      "The bytes are manufacturer data of this company id, without the id itself.", valueName: "HEX"))
  var manufacturer: String?

  @Option(
    help: ArgumentHelp(
      "The bytes are service data of this 16-bit UUID, without the UUID itself.", valueName: "HEX"))
  var service: String?

  @Option(
    help: ArgumentHelp(
      "Bind key, 32 digits, or 24 of Xiaomi's early devices; @FILE keeps it out of the process list.",
      valueName: "HEX|@FILE"))
  var key: String?

  @Option(help: ArgumentHelp("The sender's address, for --key.", valueName: "ADDRESS"))
  var address: String?

  func run() throws {
    if list {
      for sample in FormatRegistry.samples { try tell("# \(words(of: sample))\n\(sample.payload)") }
      return
    }
    var decoder = PayloadDecoder(kind: try kind(), key: try bindKey(), sender: try sender())
    var isFaulty = false
    func decode(_ text: String, _ place: String) throws(ExitCode) {
      let objects: [[UInt8]]
      do throws(PayloadDecoder.Fault) {
        objects = try decoder.objects(inLine: text)
      } catch {
        isFaulty = true
        say("beaconkeeper: \(place): \(error)")
        return
      }
      try put(objects.flatMap { $0 + [UInt8(ascii: "\n")] })
    }
    if payloads.isEmpty {
      var lines = StandardInputLines()
      while let line = try lines.next() {
        switch line {
        case .text(let text): try decode(text, "line \(lines.number)")
        case .tooLong:
          isFaulty = true
          say(
            "beaconkeeper: line \(lines.number): longer than \(StandardInputLines.limit) bytes; skipped")
        }
      }
    } else if payloads.allSatisfy({ $0.count == 2 }) {
      try decode(payloads.joined(), "arguments")
    } else {
      for (position, payload) in payloads.enumerated() { try decode(payload, "argument \(position + 1)") }
    }
    if isFaulty { throw ExitCode(ExitStatus.dataError.rawValue) }
  }

  /// The format, its model, and the readings in its sample: `ruuvi, RuuviTag: temperature_c, humidity_pct`.
  private func words(of sample: (format: String, payload: String)) -> String {
    var (model, readings) = ("", [String]())
    let payload = (try? HexadecimalText.octets(sample.payload)) ?? []
    FrameDecoder.forEachFrame(in: payload.span) { result, data in
      guard case .frame(let frame, _) = result else { return }
      switch frame {
      case .sensor(let sensor): model = ", \(sensor.format.model)"
      case .iBeacon(let beacon): if let maker = beacon.model { model = ", \(maker)" }
      case .noise(let noise): model = ", \(noise.rawValue)"
      default: break
      }
      if case .eddystoneEncryptedTLM = frame { model += ", encrypted" }
      if frame.isEncrypted(in: data) { model += ", encrypted" }
      frame.forEachReading(in: data) { if !readings.contains($0.name) { readings.append($0.name) } }
    }
    return sample.format + model + (readings.isEmpty ? "" : ": \(readings.joined(separator: ", "))")
  }

  private func kind() throws -> PayloadDecoder.Kind {
    guard [hci, manufacturer != nil, service != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Use only one of --hci, --manufacturer and --service.")
    }
    if let manufacturer { return .manufacturerData(try number(manufacturer, "--manufacturer")) }
    if let service { return .serviceData(try number(service, "--service")) }
    return hci ? .event : .payload
  }

  private func number(_ text: String, _ option: String) throws -> UInt16 {
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard let number = UInt16(digits, radix: 16) else {
      throw ValidationError("\(option) \(text): four hexadecimal digits are needed, such as 004c.")
    }
    return number
  }

  private func bindKey() throws -> SecretKey? {
    guard var text = key else { return nil }
    if text.hasPrefix("@") {
      let path = String(text.dropFirst())
      guard let content = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw failure("--key: \(path) cannot be read", .inputOutput)
      }
      text = content.trimmed
    }
    guard let octets = try? HexadecimalText.octets(text), let key = SecretKey(octets) else {
      throw ValidationError("--key: a bind key has 32 hexadecimal digits; an early one of Xiaomi's 24.")
    }
    return key
  }

  private func sender() throws -> DeviceAddress? {
    guard let address else { return nil }
    guard let sender = DeviceAddress(address, kind: .public) else {
      throw ValidationError("--address \(address): it looks like C1:00:00:00:00:01.")
    }
    return sender
  }
}
