import Beacons
import Core
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Radio

/// The live loop over real kernel sockets: pairs of packet sockets stand where Bluetooth's would, and the test
/// plays the kernel at the other ends.
struct LiveLoopTests {
  private struct News: Sendable {
    var heard: [String] = []
    var health: [String] = []
    var notices: [String] = []
    var broadcasts: [String] = []
    var error: RadioError?
    var hasEnded = false
  }

  private final class Log: Sendable {
    let news = Mutex(News())
    /// Whether the loop stands still once it has handed over a batch.
    let isHalted = Mutex(false)

    /// Waits until the news are as wanted, at most a minute.
    func wait(_ wanted: (News) -> Bool) -> Bool {
      for _ in 0..<6000 {
        if news.withLock({ wanted($0) }) { return true }
        usleep(10_000)
      }
      return false
    }
  }

  private static func pair() -> (ours: HCISocket, kernel: HCISocket) {
    var numbers: (Int32, Int32) = (-1, -1)
    withUnsafeMutablePointer(to: &numbers) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) {
        _ = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, $0)
      }
    }
    return (HCISocket(FileDescriptor(numbers.0)), HCISocket(FileDescriptor(numbers.1)))
  }

  /// The next command, at most a minute away; how the kernel scans is not asked about.
  private static func command(_ kernel: HCISocket) -> ManagementCommand.Opcode? {
    var buffer = [UInt8](repeating: 0, count: 512)
    for _ in 0..<6000 {
      let count = recv(kernel.descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count >= 6, let opcode = ManagementCommand.Opcode(rawValue: buffer.span.littleEndian16(at: 0)),
        opcode != .setDefaultConfiguration, opcode != .readPHY
      {
        return opcode
      }
      if count < 0 { usleep(10_000) }
    }
    return nil
  }

  /// Runs a radio while `body` plays the kernel; sockets of adapters are handed out in order. The kernel has no Bluetooth
  /// the first `missing` times.
  private func play(
    adapters: [HCISocket] = [], _ options: LiveRadio.Options = LiveRadio.Options(), missing: Int = 0,
    _ body: (_ kernel: HCISocket, Log, LiveRadio) throws -> Void
  ) throws {
    let (ours, kernel) = Self.pair()
    let log = Log()
    var handlers = LiveRadio.Handlers { batch, receivers in
      log.news.withLock { news in
        // swift-format-ignore: ReplaceForEachWithForLoop
        batch.forEach { advertisement, payload in
          news.heard.append(
            "\(receivers.name(of: advertisement.receiver)) \(advertisement.address) \(payload.count)")
        }
      }
      while log.isHalted.withLock({ $0 }) { usleep(1_000) }
    }
    handlers.onHealth = { change, receivers in
      log.news.withLock { $0.health.append("\(receivers.name(of: change.receiver)) \(change.health)") }
    }
    handlers.onBroadcast = { status in
      log.news.withLock { $0.broadcasts.append("\(status.state.rawValue) \(status.onAir)") }
    }
    handlers.onNotice = { text in log.news.withLock { $0.notices.append(text) } }
    let rest = Mutex(adapters[...])
    let refusals = Mutex(missing)
    let radio = try LiveRadio(
      options,
      LiveRadio.Sockets(
        management: { () throws(RadioError) in
          let isMissing = refusals.withLock {
            $0 -= 1
            return $0 >= 0
          }
          if isMissing { throw .noBluetooth }
          return ours
        },
        raw: { _, _ throws(RadioError) in
          guard let socket = rest.withLock({ $0.popFirst() }) else { throw .missingRawCapability }
          return socket
        },
        pause: .milliseconds(20)))
    try radio.start(handlers) { error in
      log.news.withLock {
        $0.error = error
        $0.hasEnded = true
      }
    }
    try body(kernel, log, radio)
    radio.stop()
    #expect(log.wait { $0.hasEnded })
  }

  /// Answers until the adapter is kept scanning.
  private func bringUp(_ kernel: HCISocket) throws {
    #expect(Self.command(kernel) == .readIndexList)
    try kernel.send(ManagementPackets.list([0]))
    #expect(Self.command(kernel) == .readInformation)
    try kernel.send(ManagementPackets.information(0))
    #expect(Self.command(kernel) == .addPatternMonitor)
    try kernel.send(ManagementPackets.added(0, handle: 7))
  }

  @Test func advertisementsReachTheSinkAndTheMonitorIsGivenBack() throws {
    let (ours, air) = Self.pair()
    try play(adapters: [ours]) { kernel, log, radio in
      try bringUp(kernel)
      try air.send([4] + EventBytes.event())
      // A malformed report, a command's completion and a cut packet are survived.
      try air.send([4, 0x3E, 3, 2, 9, 9])
      try air.send([4, 0x0E, 4, 1, 0, 0, 0])
      try air.send([4])
      try air.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard.count == 2 })
      radio.stop()
      #expect(Self.command(kernel) == .removeMonitor)
      try kernel.send(ManagementPackets.complete(.removeMonitor, 0, [7, 0]))
      #expect(log.wait { $0.hasEnded })
      log.news.withLock {
        #expect($0.heard.first == "hci0 C1:00:00:00:00:01 7")
        #expect($0.health == ["hci0 ok"])
        #expect($0.error == nil)
      }
    }
  }

  @Test func aBroadcastGoesOutBesideTheMonitorAndIsTakenBack() throws {
    let (ours, air) = Self.pair()
    defer { withExtendedLifetime(air) {} }
    var options = LiveRadio.Options()
    let identity = IBeacon(uuid: 7, major: 1, minor: 2, measuredPower: -59)
    options.broadcast = BroadcastPlan(identities: [identity], mostAtOnce: 1) { _ in
      BroadcastPlan.OnAir(identities: [0], until: nil)
    }
    try play(adapters: [ours], options) { kernel, log, radio in
      try bringUp(kernel)
      #expect(Self.command(kernel) == .readAdvertisingFeatures)
      try kernel.send(
        ManagementPackets.complete(.readAdvertisingFeatures, 0, [0xFF, 0xFC, 1, 0, 0xFB, 0xFB, 4, 0]))
      #expect(Self.command(kernel) == .addAdvertisingParameters)
      try kernel.send(ManagementPackets.complete(.addAdvertisingParameters, 0, [4, 0, 31, 31]))
      #expect(Self.command(kernel) == .addAdvertisingData)
      try kernel.send(ManagementPackets.complete(.addAdvertisingData, 0, [4]))
      #expect(log.wait { $0.broadcasts.last == "on [0]" })
      radio.stop()
      #expect(Self.command(kernel) == .removeAdvertising)
      try kernel.send(ManagementPackets.complete(.removeAdvertising, 0, [4]))
      #expect(Self.command(kernel) == .removeMonitor)
      try kernel.send(ManagementPackets.complete(.removeMonitor, 0, [7, 0]))
      #expect(log.wait { $0.hasEnded })
    }
  }

  @Test func aKernelThatGetsBluetoothLaterIsWaitedFor() throws {
    let (ours, air) = Self.pair()
    var options = LiveRadio.Options()
    options.waitsForAdapter = true
    try play(adapters: [ours], options, missing: 3) { kernel, log, _ in
      try bringUp(kernel)
      try air.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard.count == 1 })
      let told = log.news.withLock { $0.notices.filter { $0.hasPrefix("\(RadioError.noBluetooth)") } }
      #expect(told == ["\(RadioError.noBluetooth); waiting for it"])
    }
  }

  @Test func waitingForBluetoothCanBeStopped() throws {
    var options = LiveRadio.Options()
    options.waitsForAdapter = true
    try play(options, missing: .max) { _, log, radio in
      #expect(log.wait { !$0.notices.isEmpty })
      radio.stop()
      #expect(log.wait { $0.hasEnded })
      log.news.withLock { #expect($0.error == nil) }
    }
  }

  @Test func withoutBluetoothItWaitsOnlyOnRequest() throws {
    try play(missing: 1) { _, log, _ in
      #expect(log.wait { $0.hasEnded })
      log.news.withLock { #expect($0.error == .noBluetooth) }
    }
  }

  @Test func itEndsEvenIfTheKernelDoesNotAnswer() throws {
    let (ours, _) = Self.pair()
    try play(adapters: [ours]) { kernel, log, radio in
      try bringUp(kernel)
      radio.stop()
      #expect(log.wait { $0.hasEnded })
    }
  }

  @Test func anAdapterThatReturnsUnderAnotherNumberIsTheSameReceiver() throws {
    let (first, firstAir) = Self.pair()
    let (second, secondAir) = Self.pair()
    try play(adapters: [first, second]) { kernel, log, _ in
      try bringUp(kernel)
      try firstAir.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard.count == 1 })
      try kernel.send(ManagementPackets.packet(5, 0, []))
      #expect(log.wait { $0.health == ["hci0 ok", "hci0 gone"] })
      try kernel.send(ManagementPackets.packet(4, 1, []))
      #expect(Self.command(kernel) == .readInformation)
      try kernel.send(ManagementPackets.information(1))
      #expect(Self.command(kernel) == .addPatternMonitor)
      try secondAir.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard.count == 2 })
      log.news.withLock {
        #expect($0.heard.last?.hasPrefix("hci0 ") == true)
        #expect($0.health == ["hci0 ok", "hci0 gone", "hci0 ok"])
      }
    }
  }

  @Test func aDeadSocketMeansGone() throws {
    let (ours, air) = Self.pair()
    try play(adapters: [ours]) { kernel, log, _ in
      try bringUp(kernel)
      shutdown(air.descriptor.number, Int32(SHUT_RDWR))
      #expect(log.wait { $0.health == ["hci0 ok", "hci0 gone"] })
    }
  }

  @Test func anAdapterWhoseSocketDiedIsAskedAnew() throws {
    let (first, firstAir) = Self.pair()
    let (second, secondAir) = Self.pair()
    try play(adapters: [first, second]) { kernel, log, _ in
      try bringUp(kernel)
      shutdown(firstAir.descriptor.number, Int32(SHUT_RDWR))
      #expect(Self.command(kernel) == .readInformation)
      try kernel.send(ManagementPackets.information(0))
      try secondAir.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard.count == 1 })
      log.news.withLock { #expect($0.health == ["hci0 ok", "hci0 gone", "hci0 ok"]) }
    }
  }

  /// Word of the removal and the end of the socket are found in one turn of the loop.
  @Test func whenOneOfTwoIsUnpluggedTheOtherIsStillHeard() throws {
    let (first, firstAir) = Self.pair()
    let (second, secondAir) = Self.pair()
    try play(adapters: [first, second]) { kernel, log, _ in
      #expect(Self.command(kernel) == .readIndexList)
      try kernel.send(ManagementPackets.list([0, 1]))
      #expect(Self.command(kernel) == .readInformation)
      #expect(Self.command(kernel) == .readInformation)
      for adapter: UInt16 in [0, 1] {
        try kernel.send(ManagementPackets.information(adapter, last: 0x42 + UInt8(adapter)))
        #expect(Self.command(kernel) == .addPatternMonitor)
        try kernel.send(ManagementPackets.added(adapter, handle: 7))
      }
      #expect(log.wait { $0.health.count == 2 })
      log.isHalted.withLock { $0 = true }
      try secondAir.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard == ["hci1 C1:00:00:00:00:01 7"] })
      try kernel.send(ManagementPackets.packet(5, 0, []))
      shutdown(firstAir.descriptor.number, Int32(SHUT_RDWR))
      // Until the loop polls the sockets again as soon as it goes on.
      let end = LiveClock.now + Gathering.longest
      while LiveClock.now < end { usleep(1_000) }
      log.isHalted.withLock { $0 = false }
      #expect(log.wait { $0.health.count == 3 })
      // The first may still be found in a socket that is being given up.
      for count in 2...3 {
        try secondAir.send([4] + EventBytes.event())
        #expect(log.wait { $0.heard.count == count })
      }
      log.news.withLock { #expect($0.health == ["hci0 ok", "hci1 ok", "hci0 gone"]) }
    }
  }

  @Test func withoutAnAdapterOrTheCapabilityItEndsWithTheReason() throws {
    try play { kernel, log, _ in
      #expect(Self.command(kernel) == .readIndexList)
      try kernel.send(ManagementPackets.list([0]))
      #expect(Self.command(kernel) == .readInformation)
      try kernel.send(ManagementPackets.information(0))
      #expect(log.wait { $0.hasEnded })
      log.news.withLock { #expect($0.error == .missingRawCapability) }
    }
  }

  @Test func aliasesNameReceivers() throws {
    let (ours, air) = Self.pair()
    var options = LiveRadio.Options()
    options.aliases = [DeviceAddress("00:AA:01:00:00:42", kind: .public)!: "hall"]
    options.adapters = ["HALL"]
    try play(adapters: [ours], options) { kernel, log, _ in
      try bringUp(kernel)
      try air.send([4] + EventBytes.event())
      #expect(log.wait { $0.heard == ["hall C1:00:00:00:00:01 7"] })
    }
  }
}

struct ReceiveClockTests {
  @Test func kernelTimestampsBecomeMonotonicTime() {
    var clock = ReceiveClock()
    let wall = WallTime(nanoseconds: 1_700_000_000_000_000_000)
    func time(_ now: Double, stamp: Double?, wall offset: Double = 0) -> Double {
      let (time, _) = clock.time(
        of: stamp.map { wall + .seconds($0) }, now: .zero + .seconds(now),
        wallNow: wall + .seconds(now + offset))
      return Double(time.nanoseconds) / 1e9
    }
    #expect(time(10, stamp: 9.5) == 9.5)
    #expect(time(11, stamp: nil) == 11)
    // Received before one that was handled already: no step back.
    #expect(time(11.1, stamp: 10) == 11)
    // The calendar was set forward by an hour meanwhile, or back: the age means nothing.
    #expect(time(12, stamp: 11.9, wall: 3600) == 12)
    #expect(time(13, stamp: 12.9, wall: -3600) == 13)
  }

  /// What waited in the socket while the process did not run counts as heard when it went on, and what comes later as it comes.
  @Test func afterAPauseTheBacklogCountsAsHeardNow() {
    var clock = ReceiveClock()
    let wall = WallTime(nanoseconds: 1_700_000_000_000_000_000)
    func time(_ now: Double, stamp: Double) -> [Double] {
      let (time, wallTime) = clock.time(
        of: wall + .seconds(stamp), now: .zero + .seconds(now), wallNow: wall + .seconds(now))
      return [time - .zero, wallTime - wall].map(\.seconds)
    }
    #expect(time(10, stamp: 9.5) == [9.5, 9.5])
    clock.resume(since: wall + .seconds(10), at: .zero + .seconds(45), wall + .seconds(45))
    #expect(time(45.1, stamp: 9.8) == [45, 45])
    #expect(time(45.1, stamp: 11) == [45, 45])
    #expect(time(45.2, stamp: 44) == [45, 45])
    #expect(time(45.3, stamp: 45.25) == [45.25, 45.25])
    // The calendar was set back: that pause is over.
    #expect(time(50, stamp: 30) == [50, 30])
  }
}

struct PauseWatchTests {
  @Test func onlyALongGapIsAPause() {
    var watch = PauseWatch()
    func look(_ seconds: Double) -> Double? {
      watch.look(at: .zero + .seconds(seconds)).map { ($0 - .zero).seconds }
    }
    #expect(look(100) == nil)
    #expect(look(102) == nil)
    #expect(look(137) == 102)
    #expect(look(137.1) == nil)
    // Long work is none.
    watch.mark(at: .zero + .seconds(150))
    #expect(look(151) == nil)
    // Nor is time in which nobody had to look, whoever looked before it was over.
    watch.mark(at: .zero + .seconds(151), safeUntil: .zero + .seconds(156))
    #expect(look(152) == nil)
    #expect(look(156.5) == nil)
    watch.mark(at: .zero + .seconds(157), safeUntil: .zero + .seconds(162))
    #expect(look(180) == 162)
    // Stopped in the midst of something.
    watch.mark(at: .zero + .seconds(200), safeUntil: .zero + .seconds(200))
    #expect(look(201) == 180)
    #expect(look(202) == nil)
  }
}
