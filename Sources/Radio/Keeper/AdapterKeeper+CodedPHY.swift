import Beacons
import Core

/// Long range: if the controller has the coded PHY, the kernel scans on it once it is among the PHYs for receiving. That is a
/// setting of the adapter, so it is restored at the end.
extension AdapterKeeper {
  /// The bit of LE Coded RX in the management interface.
  private static let coded: UInt32 = 1 << 14

  /// Read after each power-on: Linux 6.12 then begins with its own choice of PHYs, Linux 6.1 keeps ours.
  var readPHY: KeeperAction { .send(ManagementCommand(opcode: .readPHY, adapter: index)) }

  /// Supported, configurable and selected PHYs, 4 bytes each.
  mutating func learnedPHY(_ reply: Span<UInt8>) -> [KeeperAction] {
    guard !isStopping, reply.count >= 12 else { return [] }
    let configurable = reply.littleEndian32(at: 4)
    let selected = reply.littleEndian32(at: 8)
    guard configurable & Self.coded != 0, selected & Self.coded == 0 else { return [] }
    formerPHY = formerPHY ?? selected
    return [.send(.setPHY(index, selected | Self.coded))]
  }

  /// The running scan began without it.
  mutating func changedPHY(_ status: ManagementStatus, at time: MonotonicTime) -> [KeeperAction] {
    guard status == .success else {
      formerPHY = nil
      return []
    }
    return isStopping ? [] : renewMonitor(at: time)
  }

  mutating func restorePHY() -> [KeeperAction] {
    defer { formerPHY = nil }
    return formerPHY.map { [.send(.setPHY(index, $0))] } ?? []
  }
}
