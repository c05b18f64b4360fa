import Beacons
import Core
import TestSupport

@testable import Radio

/// A keeper with a clock in seconds.
struct Stage {
  var keeper: ScanKeeper
  var now = MonotonicTime.zero

  init(
    _ policy: KeeperPolicy = KeeperPolicy(), wants: @escaping @Sendable (AdapterInfo) -> Bool = { _ in true }
  ) {
    keeper = ScanKeeper(policy, wants: wants)
    _ = keeper.start(at: now)
  }

  init(mayPowerOn: Bool) { self.init(KeeperPolicy(mayPowerOn: mayPowerOn)) }

  mutating func hear(_ packet: [UInt8]) -> [KeeperAction] { keeper.receive(packet.span, at: now) }

  mutating func wait(_ seconds: Double) -> [KeeperAction] {
    now = now + .seconds(seconds)
    return keeper.advance(to: now)
  }

  /// Up to an adapter that is kept scanning by the monitor with this handle.
  mutating func keep(_ adapter: UInt16 = 0, handle: UInt16 = 7) {
    _ = hear(ManagementPackets.list([adapter]))
    _ = hear(ManagementPackets.information(adapter))
    _ = hear(ManagementPackets.added(adapter, handle: handle))
  }

  /// An advertisement with so many bytes of data.
  mutating func report(
    from address: UInt64 = 1, bytes: Int = 7, on adapter: UInt16 = 0, secondsAgo: Double = 0
  ) {
    var batch = AdvertisementBatch()
    batch.append(
      Advertisement(
        receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: address, kind: .random), rssi: -60,
        time: now - .seconds(secondsAgo), wallTime: WallTime(nanoseconds: 0)),
      payload: [UInt8](repeating: 2, count: bytes).span)
    keeper.heard(batch, 0..<1, on: adapter)
  }

  /// Any other packet of the adapter's raw socket.
  mutating func overhear(_ packet: [UInt8], on adapter: UInt16 = 0) {
    _ = keeper.overheard(packet.span, on: adapter, at: now)
  }
}

func commands(_ actions: [KeeperAction]) -> [ManagementCommand.Opcode] {
  actions.compactMap { if case .send(let command) = $0 { command.opcode } else { nil } }
}

func health(_ actions: [KeeperAction]) -> [ReceiverHealth] {
  actions.compactMap { if case .health(_, let health, _) = $0 { health } else { nil } }
}

/// What passes over an adapter's raw socket besides advertisements.
enum RawPackets {
  static func command(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
    HCICommand(opcode: opcode, parameters: parameters).packet
  }

  static func complete(_ opcode: UInt16, status: UInt8 = 0) -> [UInt8] {
    [4, 0x0E, 4, 1] + EventBytes.little(opcode) + [status]
  }

  static let hardwareError: [UInt8] = [4, 0x10, 1, 0x42]
}
