import ArgumentParser
import Beacons
import Core
import FoundationEssentials
import Glibc
import Radio

/// Pairs with a device, while a person reads and types at the terminal.
struct PairingConversation {
  var adapter: String?
  var allowsNoNumber: Bool

  /// The identity resolving key, the most significant octet first.
  func learnKey() async throws -> [UInt8] {
    guard isatty(0) == 1 else {
      throw failure("somebody must compare a number, so enrol needs a terminal", .unavailable)
    }
    let pairing = LivePairing(adapter: adapter, environment: ProcessInfo.processInfo.environment)
    let signals = SignalWatch(SIGINT, SIGTERM, SIGHUP) { pairing.stop() }
    defer { signals.end() }
    // It ends with the program.
    try attempt(.software) {
      try Thread.start {
        var lines = StandardInputLines()
        while let line = try? lines.next() {
          if case .text(let text) = line { pairing.type(text) }
        }
        pairing.stop()
      }
    }
    let result = await Thread.run { [allowsNoNumber] in
      Result { () throws(LivePairing.Failure) in
        try pairing.run(allowsNoNumber: allowsNoNumber) { say(Self.words($0)) }
      }
    }
    switch result {
    case .failure(let error): throw failure("\(error)", .unavailable)
    case .success(.learned(let learned)):
      say("beaconkeeper: paired, and the pairing removed; forget Beaconkeeper on the device, too")
      return learned.key
    case .success(.hasNoKey(let device)):
      throw failure(
        "it paired, but has no identity resolving key: its address \(device) does not change, so write "
          + "address: \(device) instead", .unavailable)
    case .success(.tookTooLong):
      throw failure("no device was paired within two minutes", .unavailable)
    case .success(.stopped): throw failure("stopped; nothing is open and nothing was written", .unavailable)
    }
  }

  private static func words(_ news: PairingNews) -> String {
    switch news {
    case .putBack: "beaconkeeper: an earlier enrol was killed; what it had left open was put back"
    case .isOpen(let adapter, let hasBluetoothd):
      """
      \(adapter) can be paired for two minutes\(hasBluetoothd ? ", beside bluetoothd" : ""). On the device open its Bluetooth \
      settings and choose Beaconkeeper
      (or this machine's name). When it shows a number, type the number here. Ctrl-C stops.
      """
    case .connected(let device): "\(device) has connected"
    case .wantsNumber(let device):
      "\(device) asks to pair. Type the number that your device shows, or no; then agree on the device:"
    case .wantsConsent(let device):
      "\(device) asks to pair and shows no number. If it is yours and nobody else's, type yes; otherwise no:"
    case .showsNumber(let device, let number): "\(device): type \(number) on it"
    case .isNoNumber: "no device that asks shows this number"
    case .refused(let device, let reason): "\(device): \(reason)"
    case .left(let device): "\(device) has disconnected"
    }
  }
}

/// Started by `enrol`, and by a gateway whose page enrols: reads what to undo from standard input until its end, and does it.
struct UndoPairingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: PairingUndo.command, abstract: "Leaves an adapter as it was; called by enrol.",
    shouldDisplay: false)

  func run() throws {
    try attempt(.unavailable) {
      try PairingUndo.main {
        var lines = StandardInputLines()
        var packets: [[UInt8]] = []
        while let line = try lines.next() {
          if case .text(let text) = line, let packet = octets(hexadecimal: text) { packets.append(packet) }
        }
        return packets
      }
    }
  }
}
