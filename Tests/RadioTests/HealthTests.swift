import Beacons
import Core
import TestSupport
import Testing

@testable import Radio

/// What the keeper makes of a controller's troubles, and how soon.
struct HealthTests {
  private func lab(tags: [Int] = [2], running seconds: Double = 10) -> ModelAdapter {
    var lab = ModelAdapter()
    lab.tags = tags
    lab.run(seconds)
    return lab
  }

  @Test func anAdapterThatHearsIsOk() { #expect(lab().health == .ok) }

  @Test func anEmptyRoomIsQuietAndNeedsNoRecovery() {
    var lab = lab(tags: [])
    #expect(lab.health == .quiet)
    lab.run(700)
    #expect(lab.health == .quiet)
    #expect(lab.heavySteps.isEmpty)
    #expect(lab.stepsOfOurs == 0)
    #expect(lab.notices.isEmpty)
  }

  @Test func theOnlyTagMayLeave() {
    for tags in [[2], [2, 3]] {
      var lab = lab(tags: tags)
      lab.tags = []
      #expect(lab.seconds(until: { $0.health == .quiet }) ?? 99 <= 5)
      lab.run(600)
      #expect(lab.health == .quiet)
      #expect(lab.stepsOfOurs == 0)
    }
  }

  @Test func aSlowBeaconDoesNotFlickerBetweenOkAndQuiet() {
    var lab = lab(tags: [160], running: 400)
    #expect(lab.health == .ok)
    #expect(lab.seconds(until: { $0.health == .quiet }, limit: 100) == nil)
  }

  @Test func aHungControllerIsDeafWithinFiveSecondsAndHeardAgainWithinFive() {
    for tags in [[2], []] {
      for outage in [6.0, 12, 40] {
        var lab = lab(tags: tags)
        lab.isHung = true
        #expect(lab.seconds(until: { $0.health == .deaf }) ?? 99 <= 5)
        lab.run(outage)
        lab.isHung = false
        #expect(lab.seconds(until: { $0.health?.isBlind == false }) ?? 99 <= 8.5)
        lab.run(1)
        #expect(lab.isScanning)
      }
    }
  }

  @Test func aResetByAnotherProgramIsMendedByAPowerCycle() {
    var lab = lab()
    lab.resetByOthers()
    #expect(lab.seconds(until: { $0.health == .deaf }) ?? 99 <= 5)
    #expect(lab.seconds(until: { $0.health == .ok }) ?? 99 <= 5)
    #expect(lab.heavySteps.count == 1)
  }

  @Test func aReportFromBeforeAResetDoesNotHideIt() {
    var stage = Stage()
    stage.keep()
    stage.report()
    _ = stage.wait(1)
    stage.overhear(RawPackets.complete(HCICommand.Opcode.reset))
    // Handed over later, in a batch.
    stage.report(secondsAgo: 0.01)
    var all: [KeeperAction] = []
    for _ in 0..<8 { all += stage.wait(0.25) }
    #expect(health(all) == [.deaf])
  }

  @Test func manySlowTagsThatFallSilentTogetherAreMissedSoonerThanOne() {
    var lab = lab(tags: [Int](repeating: 20, count: 30), running: 20)
    lab.isMute = true
    #expect(lab.seconds(until: { $0.health == .deaf }) ?? 99 <= 4.5)
    // Far more than are kept in mind.
    var hall = self.lab(tags: [2] + [Int](repeating: 20, count: 1000), running: 20)
    hall.isMute = true
    #expect(hall.seconds(until: { $0.health == .deaf }) ?? 99 <= 4.5)
  }

  @Test func aStoppedScanIsRenewedWithoutDisturbingOthers() {
    var lab = lab()
    lab.scanStoppedByOthers()
    #expect(lab.seconds(until: { $0.health == .deaf }) ?? 99 <= 5)
    #expect(lab.seconds(until: { $0.health == .ok }) ?? 99 <= 5)
    #expect(lab.heavySteps.isEmpty)
    #expect(lab.notices.count == 1)
  }

  @Test func aMonitorTakenAwayIsBackBeforeItIsMissed() {
    var lab = lab()
    lab.monitorsRemovedByOthers()
    #expect(lab.seconds(until: { $0.health != .ok }, limit: 10) == nil)
    #expect(lab.monitors.count == 1)
  }

  @Test func aRoomThatFallsSilentAtAStrokeIsNotAnEmptyRoom() {
    var lab = lab(tags: [2, 3, 4, 5])
    lab.isMute = true
    #expect(lab.seconds(until: { $0.health == .deaf }) ?? 99 <= 5)
    lab.run(4)
    #expect(lab.health == .deaf)
    lab.isMute = false
    #expect(lab.seconds(until: { $0.health == .ok }) ?? 99 <= 1)
    // It lasts, and everything else is in order: it is taken for what it may be.
    lab.isMute = true
    lab.run(20)
    #expect(lab.health == .deaf)
    lab.run(40)
    #expect(lab.health == .quiet)
    #expect(lab.heavySteps.isEmpty)
  }

  @Test func forACrowdThatFallsSilentOnePowerCycleIsWorthIt() {
    var lab = lab(tags: [2, 3, 4, 5, 2, 3, 4])
    lab.isMute = true
    lab.run(600)
    #expect(lab.health == .quiet)
    #expect(lab.heavySteps.count == 1)
  }

  @Test func reportsWithoutDataAreEmptyAndNotHearing() {
    var lab = lab()
    lab.sendsEmptyReports = true
    #expect(lab.seconds(until: { $0.health == .empty }) ?? 99 <= 5)
    lab.run(30)
    #expect(lab.health == .empty)
    lab.sendsEmptyReports = false
    #expect(lab.seconds(until: { $0.health == .ok }) ?? 99 <= 5)
  }

  @Test func oneDeviceWithoutDataAmongOthersIsNothingUnusual() {
    var lab = lab()
    for step in 0..<400 {
      lab.run(0.05)
      if step % 3 == 0 { #expect(lab.health == .ok) }
    }
  }

  @Test func switchedOffByAPersonItStaysOffAndIsDeaf() {
    var lab = lab()
    lab.switchedByOthers(false)
    #expect(lab.health == .deaf)
    lab.run(300)
    #expect(!lab.isPowered)
    #expect(lab.heavySteps.isEmpty)
    lab.switchedByOthers(true)
    #expect(lab.seconds(until: { $0.health == .ok }) ?? 99 <= 1)
  }

  @Test func aControllerThatStaysDeadGetsItsBudgetAndNoMore() {
    var lab = lab()
    lab.isHung = true
    lab.run(3 * 3600)
    #expect(lab.health == .deaf)
    for start in lab.heavySteps {
      // A reset step counts twice here: the reset, and switching off.
      #expect(lab.heavySteps.count { $0 >= start && $0 < start + 3600 } <= 2 * Recovery.budget)
    }
    #expect(lab.notices.count < 60)
  }

  @Test func lossIsCalledSoForAWhile() {
    var stage = Stage()
    stage.keep()
    stage.report()
    #expect(health(stage.wait(0.25)) == [])
    #expect(health(stage.keeper.lost(12, on: 0, at: stage.now)) == [.lossy])
    for _ in 0..<9 {
      stage.report()
      #expect(health(stage.wait(0.5)) == [])
    }
    stage.report()
    #expect(health(stage.wait(1)) == [.ok])
  }

  @Test func anErrorOfTheHardwareIsFollowedByPowerOnWhereTheKernelFailed() {
    var stage = Stage()
    stage.keep()
    stage.overhear(RawPackets.hardwareError)
    #expect(health(stage.hear(ManagementPackets.settings(0, 0x200))) == [.deaf])
    #expect(commands(stage.wait(2)) == [.setPowered])
  }

  @Test func whileAnotherProgramConnectsItIsDeafAndLeftInPeace() {
    var stage = Stage()
    stage.keep()
    stage.report()
    stage.overhear(RawPackets.command(0x200C, [0, 0]))
    stage.overhear(RawPackets.complete(0x200C))
    stage.overhear(RawPackets.command(0x200D, [UInt8](repeating: 0, count: 25)))
    var all: [KeeperAction] = []
    for _ in 0..<40 {
      all += stage.wait(0.25)
      stage.overhear(RawPackets.complete(0x1001))
    }
    #expect(health(all) == [.deaf])
    #expect(commands(all) == [])
    stage.report()
    #expect(health(stage.wait(0.25)) == [.ok])
  }
}

/// Random troubles in random order.
struct KeeperPropertyTests {
  @Test(arguments: 0..<60) func blindnessIsAlwaysNoticedAndOthersScansAreLeftAlone(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var lab = ModelAdapter()
    lab.tags = (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 1...40, using: &random) }
    for _ in 0..<12 {
      lab.run(Double.random(in: 0.1...30, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: lab.isHung.toggle()
      case 1: lab.isMute.toggle()
      case 2: lab.sendsEmptyReports.toggle()
      case 3: lab.switchedByOthers(false)
      case 4: lab.switchedByOthers(true)
      case 5: lab.resetByOthers()
      case 6: lab.scanStoppedByOthers()
      default: lab.monitorsRemovedByOthers()
      }
      if lab.isHung, lab.isPowered {
        _ = lab.seconds(until: { $0.health?.isBlind == true }, limit: 5)
        #expect(lab.health?.isBlind == true)
      }
    }
    // All is well again, and somebody switches it on if it is off.
    lab.isHung = false
    lab.isMute = false
    lab.sendsEmptyReports = false
    lab.run(30)
    if !lab.isPowered { lab.switchedByOthers(true) }
    // The budget may be spent: at the latest after an hour it is whole again.
    #expect(lab.seconds(until: { $0.health?.isBlind == false }, limit: 2 * 3600) != nil)
    #expect(lab.isScanning == true, "\(lab)")
    #expect(lab.refusedToRemoveAll == true)
    #expect(lab.monitors.count == 1)
  }
}
