import Beacons
import Core
import TestSupport
import Testing

@testable import Radio

/// The broadcast keeper on a model of the kernel.
struct BroadcastKeeperTests {
  /// Every period of 10 s: the first for 3 s; from 5 s on the second for 4 s; from 7 s on the third for 1 s.
  static func plan(mostAtOnce: Int = 2, _ turns: [(start: Double, end: Double)]? = nil) -> BroadcastPlan {
    let turns = turns ?? (mostAtOnce == 1 ? [(0, 3), (5, 7), (7, 8)] : [(0, 3), (5, 9), (7, 8)])
    return BroadcastPlan(identities: identities, mostAtOnce: mostAtOnce) { elapsed in
      guard elapsed >= .zero else { return BroadcastPlan.OnAir(identities: [], until: .zero) }
      let period = 10.0
      let phase = elapsed.seconds.truncatingRemainder(dividingBy: period)
      let on = turns.indices.filter { turns[$0].start <= phase + 1e-6 && phase + 1e-6 < turns[$0].end }
      let edges = turns.flatMap { [$0.start, $0.end] } + [period]
      let next = edges.filter { $0 > phase + 1e-6 }.min() ?? period
      return BroadcastPlan.OnAir(
        identities: Array(on),
        until: .milliseconds(Int64(((elapsed.seconds - phase + next) * 1000).rounded())))
    }
  }

  static let identities = (1...3).map {
    IBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 7, minor: UInt16($0), measuredPower: -59)
  }

  /// What is to be on air, where that did not change within the time before.
  private static func wanted(_ model: ModelBroadcaster, settledFor span: TimeSpan) -> Set<[UInt8]>? {
    guard let began = model.keeper.began else { return nil }
    let plan = model.keeper.plan
    let (now, before) = (plan.onAir(model.now - began), plan.onAir(model.now - span - began))
    guard now == before else { return nil }
    return Set(now.identities.map { identities[$0].advertisingData })
  }

  private func expectPlan(_ model: ModelBroadcaster, settledFor span: TimeSpan = .milliseconds(200)) {
    // Said only where it is not so: this is asked a hundred times a second.
    guard let wanted = Self.wanted(model, settledFor: span), model.onAir != wanted else { return }
    #expect(model.onAir == wanted, "at \((model.now - MonotonicTime.zero).seconds) s")
  }

  @Test func theAirFollowsThePlanThroughManyPeriods() {
    var model = ModelBroadcaster(Self.plan())
    model.run(300) { expectPlan($0) }
    #expect(model.trespasses == [])
    #expect(model.statuses.filter { $0.state == .failed } == [])
    #expect(model.status?.adapter == "hci0")
    // Three turns a period, each added and removed, by three commands; and the question at the start.
    #expect(model.commands <= 31 * 9 + 1)
  }

  @Test func waitingIsReportedOnlyIfItLasts() {
    var model = ModelBroadcaster(Self.plan())
    model.run(10)
    #expect(model.statuses.first?.state == .on)
    var absent = ModelBroadcaster(Self.plan(), isPlugged: false)
    absent.run(2.9)
    #expect(absent.statuses == [])
    absent.run(1)
    #expect(absent.statuses.map(\.reason) == ["no adapter yet"])
  }

  @Test func aSingleSetFollowsAPlanWithOneAtATime() {
    var model = ModelBroadcaster(Self.plan(mostAtOnce: 1), most: 5, hasSingleSet: true)
    model.run(60) { expectPlan($0) }
    #expect(model.trespasses == [])
    #expect(!model.isConnectable)
  }

  @Test func aSingleSetThatScansIsGivenThePublicAddress() {
    var model = ModelBroadcaster(Self.plan(mostAtOnce: 1), most: 5, hasSingleSet: true)
    model.takesPrivateAddresses = false
    model.run(60) { expectPlan($0, settledFor: .milliseconds(500)) }
    #expect(model.isConnectable)
    #expect(model.status?.state == .on)
  }

  @Test func aSingleSetRefusesAPlanWithTwoAtOnceInClearWords() throws {
    var model = ModelBroadcaster(Self.plan(), most: 5, hasSingleSet: true)
    model.run(20)
    #expect(model.onAir == [])
    let status = try #require(model.status)
    #expect(status.state == .failed)
    #expect(status.reason.contains("hci0 can have one identity on air at a time, and the plan has 2 at once"))
  }

  @Test func withoutTheCapabilityItSaysSoAndAsksNoMore() throws {
    var model = ModelBroadcaster(Self.plan())
    model.mayAdminister = false
    model.run(60)
    let status = try #require(model.status)
    #expect(status.state == .failed)
    #expect(status.reason.contains("CAP_NET_ADMIN"))
    #expect(model.commands <= 2)
  }

  @Test func aResetIsMadeGoodAtOnce() {
    var model = ModelBroadcaster(Self.plan())
    for _ in 0..<50 {
      model.run(1.37) { expectPlan($0, settledFor: .milliseconds(400)) }
      model.reset()
      model.run(0.3)
    }
    #expect(model.trespasses == [])
  }

  @Test func aPowerCycleAndAPulledControllerAreMadeGoodInPhase() {
    var model = ModelBroadcaster(Self.plan())
    model.run(12.5)
    model.switched(false)
    #expect(model.status?.state == .waiting)
    #expect(model.status?.reason == "hci0 is off")
    model.run(4.1)
    model.switched(true)
    model.run(0.3)
    model.run(30) { expectPlan($0) }
    model.pull()
    #expect(model.status?.reason == "the adapter was removed")
    model.run(3.3)
    model.plug()
    model.run(0.3)
    model.run(30) { expectPlan($0) }
    #expect(model.status?.adapter == "hci1")
    #expect(model.trespasses == [])
  }

  @Test func instancesRemovedByBluetoothdReturnAndItsOwnStay() {
    var model = ModelBroadcaster(Self.plan())
    for start in 0..<40 {
      model.run(1.7)
      model.bluetoothdStarts(adding: start % 2 == 0)
      model.run(0.3)
      model.run(1) { expectPlan($0, settledFor: .milliseconds(400)) }
      #expect((model.instances[1]?.isOurs == false) == (start % 2 == 0))
    }
    #expect(model.trespasses == [])
  }

  @Test func tooFewFreeInstancesAreSaidAndWaitedFor() {
    var model = ModelBroadcaster(Self.plan(), most: 2)
    model.run(0.1)
    model.bluetoothdStarts(adding: true)
    model.run(2)
    #expect(model.status?.state == .failed)
    #expect(
      model.status?.reason.contains("has 2 advertising instances, of which other programs hold 1") == true)
    model.bluetoothdRemoves()
    model.run(0.3)
    model.run(20) { expectPlan($0) }
    #expect(model.status?.state == .on)
  }

  @Test func anInstanceLastsThroughALongTurn() {
    var model = ModelBroadcaster(
      BroadcastPlan(identities: Self.identities, mostAtOnce: 1) { _ in
        BroadcastPlan.OnAir(identities: [1], until: nil)
      })
    var gaps = 0
    model.run(600) { if $0.now > .zero + .seconds(1), $0.onAir.isEmpty { gaps += 1 } }
    // Renewed ten times, each with 80 ms of silence at most.
    #expect(gaps <= 11 * 8)
    #expect(model.trespasses == [])
  }

  @Test func anythingStartedEndsByItselfWhenTheGatewayIsKilled() {
    var model = ModelBroadcaster(Self.plan())
    model.run(6)
    let lastExpiry = model.instances.values.map(\.expiry).max()
    // The turn ends 3 s from here.
    #expect(lastExpiry.map { $0 - model.now <= .seconds(6) } == true)
  }

  @Test func theEndTakesOursOffAndNothingElse() {
    var model = ModelBroadcaster(Self.plan())
    model.bluetoothdStarts(adding: true)
    model.run(7.5)
    #expect(model.onAir.count == 2)
    model.stop()
    #expect(!model.keeper.isStopped)
    model.run(0.2)
    #expect(model.keeper.isStopped)
    #expect(model.instances.keys.sorted() == [1])
    #expect(model.trespasses == [])
  }

  @Test func aNewAdapterThatWasNotAskedForIsLeftAlone() {
    var model = ModelBroadcaster(Self.plan())
    model.run(1)
    var keeper = model.keeper
    let packet = ManagementPackets.information(5, last: 0x99)
    #expect(keeper.receive(packet.span, at: model.now) == [])
    #expect(keeper.info?.index == 0)
  }

  /// Whatever happens, nothing of others is touched, and once nothing happens any more the air is as planned.
  @Test(arguments: 0..<40) func storiesOfFaultsEndWell(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let hasSingleSet = seed % 4 == 3
    var model = ModelBroadcaster(
      Self.plan(mostAtOnce: hasSingleSet ? 1 : 2), most: hasSingleSet ? 5 : 4, hasSingleSet: hasSingleSet,
      random: SeededGenerator(seed: ~seed))
    for _ in 0..<60 {
      model.lost = Int.random(in: 0...200, using: &random)
      model.refused = Int.random(in: 0...300, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0: model.switched(false, byUs: Bool.random(using: &random))
      case 1: model.switched(true, byUs: Bool.random(using: &random))
      case 2: model.reset()
      case 3: model.bluetoothdStarts(adding: !hasSingleSet && Bool.random(using: &random))
      case 4: model.bluetoothdRemoves()
      case 5: model.pull()
      case 6: model.plug()
      case 7: model.jump(Double.random(in: 0...500, using: &random))
      default: break
      }
      model.run(Double.random(in: 0.01...4, using: &random))
    }
    (model.lost, model.refused) = (0, 0)
    model.plug()
    model.switched(true)
    model.run(20)
    model.run(30) { expectPlan($0) }
    #expect(model.trespasses == [])
    #expect(model.status?.state == .on)
    model.stop()
    model.run(1)
    #expect(!model.instances.values.contains { $0.isOurs })
  }

  @Test func noPacketMakesItTrap() {
    var random = SeededGenerator(seed: 7)
    var keeper = BroadcastKeeper(Self.plan(), wants: { _ in true })
    var time = MonotonicTime.zero
    for round in 0..<20_000 {
      var packet = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if round % 3 == 0, packet.count >= 9 {
        packet[0] = [1, 2, 4, 5, 6, 0x23, 0x24].randomElement(using: &random) ?? 1
        (packet[1], packet[2], packet[3]) = (0, 0, 0)
        (packet[4], packet[5]) = (UInt8(packet.count - 6), 0)
        packet[6] = [0x3D, 0x3F, 0x54, 0x55].randomElement(using: &random) ?? 0x3D
        (packet[7], packet[8]) = (0, packet[8] & 0x0F)
      }
      if round % 1000 == 0 { packet = ManagementPackets.information(0) }
      _ = keeper.receive(packet.span, at: time)
      _ = keeper.overheard(packet.span, on: 0, at: time)
      time = time + .milliseconds(Int64.random(in: -5000...6000, using: &random))
      _ = keeper.advance(to: time)
    }
  }
}

struct BroadcastBytesTests {
  @Test func anIdentityIsSentAsItIsDecoded() throws {
    let identity = IBeacon(
      uuid: 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF, major: 513, minor: 65_535, measuredPower: -59)
    let data = identity.advertisingData
    #expect(data.count == 30)
    #expect(Array(data[..<9]) == [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15])
    let decoded = try IBeacon.decode(data.span.extracting(7...))
    #expect(decoded == identity)
  }

  @Test func commandsAreByteForByteAsTheKernelTakesThem() {
    let parameters = ManagementCommand.addAdvertisingParameters(
      1, instance: 4, timeout: 10, isConnectable: false)
    #expect(
      parameters.bytes == [
        0x54, 0, 1, 0, 18, 0, 4, 0x00, 0x70, 0, 0, 10, 0, 10, 0, 0xA0, 0, 0, 0, 0xA0, 0, 0, 0, 127,
      ])
    let data = ManagementCommand.addAdvertisingData(1, instance: 4, [1, 2])
    #expect(data.bytes == [0x55, 0, 1, 0, 5, 0, 4, 2, 0, 1, 2])
    #expect(ManagementCommand.removeAdvertising(1, instance: 4)?.bytes == [0x3F, 0, 1, 0, 1, 0, 4])
    #expect(ManagementCommand.removeAdvertising(1, instance: 0) == nil)
  }

  /// As kernel 6.1 answered in the radio lab, for a controller with one set and for one with four.
  @Test func featuresAreRead() {
    let single = features([0x7F, 0xF0, 0x01, 0x00, 0x1F, 0x1F, 0x05, 0x00])
    #expect(single?.hasSingleSet == true)
    let sets: [UInt8] = [0xFF, 0xFC, 0x01, 0x00, 0xFB, 0xFB, 0x04, 0x02, 1, 4]
    let four = features(sets)
    #expect(four?.hasSingleSet == false)
    #expect(four?.most == 4)
    #expect(four?.instances == [1, 4])
    #expect(features(Array(sets[..<7])) == nil)
    #expect(features(Array(sets[..<9]))?.instances == [1])
  }

  private func features(_ reply: [UInt8]) -> AdvertisingFeatures? { AdvertisingFeatures(reply: reply.span) }
}
