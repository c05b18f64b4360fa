import Beacons
import Core
import Testing

@testable import Radio

/// How an adapter is kept scanning without CAP_NET_ADMIN.
struct SubstituteTests {
  /// Up to the kernel's refusal of a monitor.
  private func refused() -> Stage {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0))
    #expect(stage.hear(ManagementPackets.refuse(.addPatternMonitor, 0, status: 0x14)) == [.seekBluetoothd])
    return stage
  }

  private func sent(_ actions: [KeeperAction]) -> [UInt16] {
    actions.compactMap { if case .command(_, let command) = $0 { command.opcode } else { nil } }
      .filter { $0 != HCICommand.Opcode.readVersion }
  }

  /// Lets the controller answer until nothing more is asked; the commands it got.
  private func obey(_ actions: [KeeperAction], _ stage: inout Stage, extended: Bool = false) -> [UInt16] {
    var all: [UInt16] = []
    var next = sent(actions)
    while let opcode = next.popLast() {
      all.append(opcode)
      var parameters: [UInt8] = []
      if opcode == HCICommand.Opcode.readCommands {
        parameters = [UInt8](repeating: 0, count: 64)
        if extended { parameters[37] = 0x60 }
      }
      if opcode == HCICommand.Opcode.readFeatures { parameters = [UInt8](repeating: 0, count: 8) }
      let answer = RawPackets.complete(opcode) + parameters
      next += sent(stage.keeper.overheard(answer.span, on: 0, at: stage.now))
    }
    return all
  }

  @Test func withoutBluetoothdItScansByItselfAndKeepsItsScanUp() {
    for extended in [false, true] {
      var stage = refused()
      let told = stage.keeper.bluetoothd(false, at: stage.now)
      #expect(
        told.contains { if case .notice(let text) = $0 { text.contains("CAP_NET_ADMIN") } else { false } })
      let begun = obey(stage.wait(0.01), &stage, extended: extended)
      #expect(begun == (extended ? [0x1002, 0x2003, 0x2041, 0x2042] : [0x1002, 0x2003, 0x200B, 0x200C]))
      // Another program ends its discovery, and with it our scan.
      stage.report()
      stage.overhear(RawPackets.command(begun[3], [0, 0]))
      stage.overhear(RawPackets.complete(begun[3]))
      var again: [UInt16] = []
      for _ in 0..<8 { again += obey(stage.wait(0.25), &stage, extended: extended) }
      #expect(again == Array(begun[2...]))
    }
  }

  @Test func aScanThatIsNotOursIsNeverStopped() {
    var stage = refused()
    _ = stage.keeper.bluetoothd(false, at: stage.now)
    _ = obey(stage.wait(0.01), &stage)
    stage.overhear(RawPackets.command(0x200C, [1, 1]))
    stage.overhear(RawPackets.complete(0x200C))
    #expect(sent(stage.keeper.stop(at: stage.now)) == [])
  }

  @Test func atTheEndOurOwnIsStopped() {
    var stage = refused()
    _ = stage.keeper.bluetoothd(false, at: stage.now)
    _ = obey(stage.wait(0.01), &stage)
    #expect(sent(stage.keeper.stop(at: stage.now)) == [0x200C])
  }

  @Test func bluetoothdDiscoversForUsAndIsAskedAgainWheneverItEnds() {
    var stage = refused()
    _ = stage.keeper.bluetoothd(true, at: stage.now)
    #expect(stage.wait(0.01).contains(.discover(adapter: 0, true)))
    _ = stage.keeper.discovering(true, on: 0, at: stage.now)
    stage.report()
    #expect(!stage.wait(1).contains(.discover(adapter: 0, true)))
    _ = stage.keeper.discovering(false, on: 0, at: stage.now)
    #expect(stage.wait(0.3).contains(.discover(adapter: 0, true)))
    // It is killed: we scan by ourselves until it is back.
    let alone = stage.keeper.bluetoothd(false, at: stage.now)
    #expect(obey(alone + stage.wait(0.01), &stage).last == 0x200C)
    let back = stage.keeper.bluetoothd(true, at: stage.now)
    #expect(sent(back) == [0x200C])
    #expect(stage.wait(0.01).contains(.discover(adapter: 0, true)))
    #expect(stage.keeper.stop(at: stage.now) == [.discover(adapter: 0, false)])
  }

  /// A bluetoothd that was just restarted: the kernel goes on with the discovery of the one before for up to 10.24 s.
  @Test func aDiscoveryThatIsRefusedIsAskedForEverySecondThenEveryHalfMinute() {
    var stage = refused()
    _ = stage.keeper.bluetoothd(true, at: stage.now)
    var asked: [Int] = []
    for second in 0..<60 {
      for action in stage.wait(1) where action == .discover(adapter: 0, true) {
        asked.append(second)
        _ = stage.keeper.discovering(false, on: 0, at: stage.now)
      }
    }
    #expect(asked == Array(0..<15) + [44])
  }

  /// What this process may do, and who is there.
  private struct Rights: CustomTestStringConvertible {
    var raw = true
    var admin = true
    var bluetoothd = true
    var mayDiscover = true

    static let all = [false, true].flatMap { raw in
      [false, true].flatMap { admin in
        [false, true].map { Rights(raw: raw, admin: admin, bluetoothd: $0) }
      }
    }

    var testDescription: String {
      "raw \(raw), admin \(admin), bluetoothd \(bluetoothd), discovery \(mayDiscover)"
    }

    /// The health that was told last, after half a minute in which nobody advertises, and each that was told before.
    func outcome() -> (told: [ReceiverHealth], reason: String) {
      var stage = Stage()
      _ = stage.hear(ManagementPackets.list([0]))
      var actions = stage.hear(ManagementPackets.information(0))
      if !raw { stage.keeper.hearsByBusOnly(0) }
      var told: [ReceiverHealth] = []
      var reason = ""
      for _ in 0..<200 {
        var next: [KeeperAction] = []
        for action in actions {
          switch action {
          case .health(_, let health, let why):
            told.append(health)
            reason = why
          case .send(let command) where command.opcode == .addPatternMonitor:
            next += stage.hear(
              admin
                ? ManagementPackets.added(0, handle: 7)
                : ManagementPackets.refuse(.addPatternMonitor, 0, status: 0x14))
          case .seekBluetoothd: next += stage.keeper.bluetoothd(bluetoothd, at: stage.now)
          case .discover(_, true):
            next += stage.keeper.discovering(bluetoothd && mayDiscover, on: 0, at: stage.now)
          case .command(_, let command):
            let answer = RawPackets.complete(command.opcode) + [UInt8](repeating: 0, count: 64)
            next += stage.keeper.overheard(answer.span, on: 0, at: stage.now)
          default: break
          }
        }
        actions = next.isEmpty ? stage.wait(0.25) : next
      }
      return (told, reason)
    }
  }

  @Test(arguments: Rights.all) private func withAnyRightsItHearsOrSaysWhyNot(_ rights: Rights) {
    let (told, reason) = rights.outcome()
    if rights.raw || rights.bluetoothd {
      #expect(told.last == .quiet && !told.contains { $0.isBlind })
    } else {
      #expect(told.last == .deaf)
      #expect(reason == "bluetoothd is not running, and it hears only through bluetoothd")
    }
  }

  @Test(arguments: Rights.all.filter(\.bluetoothd)) private func aBluetoothdThatDoesNotDiscoverIsNamed(
    _ rights: Rights
  ) {
    var rights = rights
    rights.mayDiscover = false
    let (told, reason) = rights.outcome()
    if rights.raw && rights.admin {
      #expect(told.last == .quiet)
    } else {
      #expect(told.last == .deaf)
      #expect(reason.contains("bluetoothd does not discover"))
    }
  }

  /// The kernel takes one where a raw socket is missing, and is too busy for one where not.
  @Test func aMonitorThatIsOfNoUseIsTakenBackAndOneThatIsMissingIsNamed() throws {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0))
    stage.keeper.hearsByBusOnly(0)
    #expect(commands(stage.hear(ManagementPackets.added(0, handle: 7))) == [.removeMonitor])

    stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0))
    _ = stage.hear(ManagementPackets.refuse(.addPatternMonitor, 0, status: 0x0A))
    var told: [ReceiverHealth] = []
    for _ in 0..<40 {
      for case .command(_, let command) in stage.wait(0.25) {
        stage.overhear(RawPackets.complete(command.opcode))
      }
      told += health(stage.wait(0.25))
    }
    #expect(told.last == .deaf)
    // It is heard nevertheless, because another program scans.
    stage.report()
    #expect(health(stage.wait(0.25)) == [.ok])
  }
}
