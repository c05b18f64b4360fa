import Beacons
import Testing

@testable import Radio

/// A keeper with a clock in seconds.
private struct Stage {
  var keeper: ScanKeeper
  var now = MonotonicTime.zero

  init(mayPowerOn: Bool = true, wants: @escaping @Sendable (AdapterInfo) -> Bool = { _ in true }) {
    keeper = ScanKeeper(mayPowerOn: mayPowerOn, wants: wants)
    _ = keeper.start(at: now)
  }

  mutating func hear(_ packet: [UInt8]) -> [ScanKeeper.Action] { keeper.receive(packet.span, at: now) }

  mutating func wait(_ seconds: Double) -> [ScanKeeper.Action] {
    now = now + .seconds(seconds)
    return keeper.advance(to: now)
  }

  /// Up to an adapter that is kept scanning by the monitor with this handle.
  mutating func keep(_ adapter: UInt16 = 0, handle: UInt16 = 7) {
    _ = hear(ManagementPackets.list([adapter]))
    _ = hear(ManagementPackets.information(adapter))
    #expect(hear(ManagementPackets.added(adapter, handle: handle)) == [])
  }
}

private func commands(_ actions: [ScanKeeper.Action]) -> [ManagementCommand.Opcode] {
  actions.compactMap { if case .send(let command) = $0 { command.opcode } else { nil } }
}

private func health(_ actions: [ScanKeeper.Action]) -> [ReceiverHealth] {
  actions.compactMap { if case .health(_, let health, _) = $0 { health } else { nil } }
}

struct ScanKeeperTests {
  @Test func aPoweredAdapterIsHeardAndKeptScanning() {
    var stage = Stage()
    #expect(commands(stage.hear(ManagementPackets.list([0, 3]))) == [.readInformation, .readInformation])
    let actions = stage.hear(ManagementPackets.information(0))
    #expect(commands(actions) == [.addPatternMonitor])
    #expect(health(actions) == [.ok])
    guard case .attach(let info) = actions.first else {
      Issue.record("not attached")
      return
    }
    #expect(info.kernelName == "hci0")
    #expect(info.address.description == "00:AA:01:00:00:42")
    #expect(info.name == "lab")
    #expect(stage.hear(ManagementPackets.added(0, handle: 7)) == [])
  }

  @Test func theMonitorIsTheOneThatTheKernelUnderstands() {
    let bytes = ManagementCommand.addPatternMonitor(0).bytes
    #expect(bytes.count == 6 + 35)
    #expect(Array(bytes.prefix(14)) == [0x52, 0, 0, 0, 0x23, 0, 1, 0xFF, 0, 4, 0x4C, 0, 0x12, 0x19])
  }

  @Test func anAdapterThatIsOffIsSwitchedOnOnce() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    let actions = stage.hear(ManagementPackets.information(0, settings: 0))
    #expect(commands(actions) == [.setLowEnergy, .setPowered])
    #expect(health(actions) == [])
    let on = stage.hear(
      ManagementPackets.complete(.setPowered, 0, CaptureBytes.little(UInt32(ManagementPackets.powered))))
    #expect(commands(on) == [.addPatternMonitor])
    #expect(health(on) == [.ok])
  }

  @Test func anAdapterThatIsOffIsLeftSoWhereThatIsAsked() {
    var stage = Stage(mayPowerOn: false)
    _ = stage.hear(ManagementPackets.list([0]))
    let actions = stage.hear(ManagementPackets.information(0, settings: ManagementPackets.lowEnergy))
    #expect(commands(actions) == [])
    #expect(health(actions) == [.deaf])
    // Somebody else switches it on.
    #expect(commands(stage.hear(ManagementPackets.settings(0, 0x201))) == [.addPatternMonitor])
  }

  @Test func aBlockedAdapterIsTriedAgainWithBackOff() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0, settings: ManagementPackets.lowEnergy))
    var waits: [Double] = []
    for _ in 0..<8 {
      let actions = stage.hear(ManagementPackets.refuse(.setPowered, 0, status: 0x12))
      #expect(health(actions) == [.deaf])
      let wait = (stage.keeper.deadline - stage.now).seconds
      waits.append(wait)
      #expect(commands(stage.wait(wait)) == [.setPowered])
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
  }

  @Test func powerCyclesKeepTheMonitorThatTheKernelReArms() {
    var stage = Stage()
    stage.keep()
    #expect(health(stage.hear(ManagementPackets.settings(0, ManagementPackets.lowEnergy))) == [.deaf])
    #expect(stage.wait(3600) == [])
    let on = stage.hear(ManagementPackets.settings(0, 0x201))
    #expect(health(on) == [.ok])
    #expect(commands(on) == [])
  }

  @Test func aMonitorThatIsRemovedIsAddedAgain() {
    for handle: UInt16 in [0, 7] {
      var stage = Stage()
      stage.keep(handle: 7)
      #expect(
        commands(stage.hear(ManagementPackets.monitorRemoved(0, handle: handle))) == [.addPatternMonitor])
    }
    var stage = Stage()
    stage.keep(handle: 7)
    #expect(stage.hear(ManagementPackets.monitorRemoved(0, handle: 8)) == [])
    #expect(stage.hear(ManagementPackets.monitorRemoved(1, handle: 7)) == [])
  }

  @Test func silenceRenewsTheMonitorEverMoreSeldom() {
    var stage = Stage()
    stage.keep()
    var waits: [Double] = []
    for _ in 0..<6 {
      let wait = (stage.keeper.deadline - stage.now).seconds
      waits.append(wait)
      #expect(commands(stage.wait(wait)) == [.removeMonitor])
      #expect(
        commands(stage.hear(ManagementPackets.complete(.removeMonitor, 0, [7, 0]))) == [.addPatternMonitor])
      _ = stage.hear(ManagementPackets.added(0, handle: 7))
    }
    #expect(waits == [60, 120, 240, 480, 600, 600])
    stage.keeper.heard(on: 0, at: stage.now)
    #expect((stage.keeper.deadline - stage.now).seconds == 60)
  }

  @Test func withoutTheCapabilityItSaysSoOnceAndListensOn() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0))
    let actions = stage.hear(ManagementPackets.refuse(.addPatternMonitor, 0, status: 0x14))
    guard case .notice(let text) = actions.first else {
      Issue.record("said nothing")
      return
    }
    #expect(text.contains("CAP_NET_ADMIN"))
    #expect(stage.wait(3600) == [])
  }

  @Test func aRefusalForLackOfRoomIsTriedAgain() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0))
    #expect(stage.hear(ManagementPackets.refuse(.addPatternMonitor, 0, status: 0x07)) == [])
    #expect(commands(stage.wait(1)) == [.addPatternMonitor])
  }

  @Test func aRemovedAdapterIsGoneAndOneThatReturnsIsHeardAgain() {
    var stage = Stage()
    stage.keep()
    #expect(stage.hear(ManagementPackets.packet(5, 0, [])) == [.detach(adapter: 0)])
    #expect(stage.hear(ManagementPackets.packet(5, 0, [])) == [])
    #expect(commands(stage.hear(ManagementPackets.packet(4, 1, []))) == [.readInformation])
    #expect(commands(stage.hear(ManagementPackets.information(1))) == [.addPatternMonitor])
  }

  @Test func onlyWantedAdaptersAreTouched() {
    var stage = Stage { $0.kernelName == "hci1" }
    _ = stage.hear(ManagementPackets.list([0, 1, 2]))
    #expect(stage.hear(ManagementPackets.information(0)) == [])
    #expect(commands(stage.hear(ManagementPackets.information(1))) == [.addPatternMonitor])
    #expect(
      stage.hear(ManagementPackets.information(2, supported: ManagementPackets.powered)) == [
        .listed(wanted: 1)
      ])
    #expect(stage.hear(ManagementPackets.settings(0, 0)) == [])
  }

  @Test func noAdapterAtAllIsTold() {
    var stage = Stage()
    #expect(stage.hear(ManagementPackets.list([])) == [.listed(wanted: 0)])
  }

  @Test func classicAdaptersAreLeftAloneWithAWord() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    let actions = stage.hear(ManagementPackets.information(0, settings: 1, supported: 1))
    #expect(commands(actions) == [])
    #expect(actions.last == .listed(wanted: 0))
  }

  @Test func questionsWithoutAnswerAreAskedAgain() {
    var stage = Stage()
    #expect(commands(stage.wait(5)) == [.readIndexList])
    _ = stage.hear(ManagementPackets.list([0]))
    #expect(commands(stage.wait(5)) == [.readInformation])
    _ = stage.hear(ManagementPackets.information(0))
    #expect(commands(stage.wait(5)) == [.addPatternMonitor])
  }

  @Test func atTheEndItsOwnMonitorIsGivenBackAndNoOther() {
    var stage = Stage()
    stage.keep(handle: 7)
    let actions = stage.keeper.stop(at: stage.now)
    #expect(
      actions == [
        .send(ManagementCommand(opcode: .removeMonitor, adapter: 0, parameters: [7, 0]))
      ])
    #expect(!stage.keeper.isStopped)
    _ = stage.hear(ManagementPackets.complete(.removeMonitor, 0, [7, 0]))
    #expect(stage.keeper.isStopped)
    #expect(ManagementCommand.removeMonitor(0, handle: 0) == nil)
  }

  @Test func noPacketMakesItRemoveEverybodysMonitorsOrTrap() {
    var random = SystemRandomNumberGenerator()
    let seeds: [[UInt8]] = [
      ManagementPackets.list([0, 1]), ManagementPackets.information(0), ManagementPackets.added(0, handle: 7),
      ManagementPackets.settings(0, 0x200), ManagementPackets.settings(0, 0x201),
      ManagementPackets.monitorRemoved(0, handle: 0), ManagementPackets.packet(5, 0, []),
      ManagementPackets.packet(4, 0, []), ManagementPackets.complete(.removeMonitor, 0, [7, 0]),
    ]
    for _ in 0..<300 {
      var stage = Stage()
      for _ in 0..<40 {
        guard var packet = seeds.randomElement(using: &random) else { continue }
        if Int.random(in: 0..<3, using: &random) == 0 {
          packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<5, using: &random) == 0 {
          packet.removeLast(Int.random(in: 0...packet.count, using: &random))
        }
        var actions = stage.hear(packet)
        actions += stage.wait(Double.random(in: 0...90, using: &random))
        for case .send(let command) in actions where command.opcode == .removeMonitor {
          #expect(command.parameters != [0, 0])
        }
      }
    }
  }
}
