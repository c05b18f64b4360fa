import Beacons
import Core
import TestSupport
import Testing

@testable import Radio

struct ScanKeeperTests {
  @Test func aPoweredAdapterIsHeardAndKeptScanning() {
    var stage = Stage()
    #expect(commands(stage.hear(ManagementPackets.list([0, 3]))) == [.readInformation, .readInformation])
    let actions = stage.hear(ManagementPackets.information(0))
    #expect(commands(actions) == [.setDefaultConfiguration, .addPatternMonitor])
    #expect(health(actions) == [.ok])
    guard case .attach(let info) = actions.first else {
      Issue.record("not attached")
      return
    }
    #expect(info.kernelName == "hci0")
    #expect(info.address.description == "00:AA:01:00:00:42")
    #expect(commands(stage.hear(ManagementPackets.added(0, handle: 7))) == [.readPHY])
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
    #expect(commands(actions) == [.setDefaultConfiguration, .setLowEnergy, .setPowered])
    #expect(health(actions) == [])
    let on = stage.hear(
      ManagementPackets.complete(.setPowered, 0, EventBytes.little(UInt32(ManagementPackets.powered))))
    #expect(commands(on) == [.addPatternMonitor])
    #expect(health(on) == [.ok])
  }

  @Test func anAdapterThatIsOffIsLeftSoWhereThatIsAsked() {
    var stage = Stage(mayPowerOn: false)
    _ = stage.hear(ManagementPackets.list([0]))
    let actions = stage.hear(ManagementPackets.information(0, settings: ManagementPackets.lowEnergy))
    #expect(commands(actions) == [.setDefaultConfiguration])
    #expect(health(actions) == [.deaf])
    // Somebody else switches it on.
    #expect(commands(stage.hear(ManagementPackets.settings(0, 0x201))) == [.addPatternMonitor])
  }

  @Test func aBlockedAdapterIsDeafUntilTheBlockIsLifted() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0, settings: ManagementPackets.lowEnergy))
    #expect(health(stage.hear(ManagementPackets.refuse(.setPowered, 0, status: 0x12))) == [.deaf])
    for _ in 0..<10 {
      #expect(stage.wait(1) == [.inspectBlock(adapter: 0)])
      #expect(stage.keeper.inspected(true, of: 0, at: stage.now) == [])
    }
    #expect(stage.wait(1) == [.inspectBlock(adapter: 0)])
    #expect(commands(stage.keeper.inspected(false, of: 0, at: stage.now)) == [.setPowered])
  }

  @Test func aBlockIsLiftedOnlyWhereThatIsAllowed() {
    for mayUnblock in [false, true] {
      var stage = Stage(KeeperPolicy(mayUnblock: mayUnblock))
      stage.keep()
      #expect(
        stage.hear(ManagementPackets.settings(0, ManagementPackets.lowEnergy)).contains(
          .inspectBlock(adapter: 0)))
      let actions = stage.keeper.inspected(true, of: 0, at: stage.now)
      #expect(actions.contains(.unblock(adapter: 0)) == mayUnblock)
    }
  }

  @Test func anAdapterThatCannotBePoweredIsRetriedAtGrowingIntervals() {
    var stage = Stage()
    _ = stage.hear(ManagementPackets.list([0]))
    _ = stage.hear(ManagementPackets.information(0, settings: ManagementPackets.lowEnergy))
    var waits: [Double] = []
    for _ in 0..<45 {
      _ = stage.hear(ManagementPackets.refuse(.setPowered, 0, status: 0x03))
      let wait = (stage.keeper.deadline - stage.now).seconds
      waits.append(wait)
      #expect(commands(stage.wait(wait)) == [.setPowered])
    }
    #expect(waits[0] == 1 && waits[5] == 2 && waits[25] == 10 && waits[44] == 60)
    #expect(waits == waits.sorted())
  }

  @Test func powerCyclesKeepTheMonitorThatTheKernelReArms() {
    var stage = Stage()
    stage.keep()
    #expect(health(stage.hear(ManagementPackets.settings(0, ManagementPackets.lowEnergy))) == [.deaf])
    #expect(stage.keeper.inspected(false, of: 0, at: stage.now) == [])
    #expect(stage.wait(3600) == [])
    let on = stage.hear(ManagementPackets.settings(0, 0x201))
    #expect(commands(on) == [.readPHY])
    // Back on, it is believed once it says something.
    #expect(health(on) == [])
    stage.report()
    #expect(health(stage.wait(0.25)) == [.ok])
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

  @Test func theCodedPHYIsAddedWhereThereIsOneAndLeftAsItWasAtTheEnd() {
    var stage = Stage()
    stage.keep()
    let (le1M, coded): (UInt32, UInt32) = (1 << 9 | 1 << 10, 1 << 13 | 1 << 14)
    let reply = [le1M | coded, coded, le1M].flatMap { EventBytes.little($0) }
    let actions = stage.hear(ManagementPackets.complete(.readPHY, 0, reply))
    #expect(actions == [.send(.setPHY(0, le1M | 1 << 14))])
    let renewed = stage.hear(ManagementPackets.complete(.setPHY, 0))
    #expect(commands(renewed) == [.removeMonitor])
    #expect(stage.keeper.stop(at: stage.now).contains(.send(.setPHY(0, le1M))))
  }

  @Test func theCodedPHYIsAddedAgainWhereTheKernelForgetsItWithoutPower() {
    var stage = Stage()
    stage.keep()
    let (le1M, coded): (UInt32, UInt32) = (1 << 9 | 1 << 10, 1 << 13 | 1 << 14)
    func reply(_ selected: UInt32) -> [UInt8] {
      [le1M | coded, coded, selected].flatMap { EventBytes.little($0) }
    }
    _ = stage.hear(ManagementPackets.complete(.readPHY, 0, reply(le1M)))
    _ = stage.hear(ManagementPackets.complete(.setPHY, 0))
    for _ in 1...2 {
      _ = stage.hear(ManagementPackets.settings(0, ManagementPackets.lowEnergy))
      #expect(commands(stage.hear(ManagementPackets.settings(0, 0x201))).contains(.readPHY))
      let actions = stage.hear(ManagementPackets.complete(.readPHY, 0, reply(1 << 9)))
      #expect(actions == [.send(.setPHY(0, 1 << 9 | 1 << 14))])
    }
    #expect(stage.hear(ManagementPackets.complete(.readPHY, 0, reply(le1M | coded))) == [])
    #expect(stage.keeper.stop(at: stage.now).contains(.send(.setPHY(0, le1M))))
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
    #expect(
      commands(stage.hear(ManagementPackets.information(1))) == [
        .setDefaultConfiguration, .addPatternMonitor,
      ])
  }

  @Test func onlyWantedAdaptersAreTouched() {
    var stage = Stage { $0.kernelName == "hci1" }
    _ = stage.hear(ManagementPackets.list([0, 1, 2]))
    #expect(stage.hear(ManagementPackets.information(0)) == [])
    #expect(
      commands(stage.hear(ManagementPackets.information(1))) == [
        .setDefaultConfiguration, .addPatternMonitor,
      ])
    #expect(
      stage.hear(ManagementPackets.information(2, supported: ManagementPackets.powered)) == [
        .listed(wanted: 1)
      ])
    #expect(stage.hear(ManagementPackets.settings(0, 0)) == [])
  }

  @Test func aMissingAdapterIsReported() {
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
