import Beacons
import CBlueZ
import Core
import Glibc

/// Imitates the kernel's management interface for a radio whose advertisements come from another process: one adapter, hci0,
/// which is on and accepts every command.
final class FeedKernel: Sendable {
  /// The radio's end.
  let management: HCISocket
  private let own: FileDescriptor

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try systemCall("socketpair") {
      unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    }
    management = HCISocket(FileDescriptor(ends[0]))
    own = FileDescriptor(ends[1])
  }

  /// Answers on a thread of its own until the radio's end is closed.
  func start() throws(SystemError) {
    try Thread.start {
      var command = [UInt8](repeating: 0, count: 1024)
      while case let count = unsafe recv(self.own.number, &command, command.count, 0), count > 0 {
        let answer = Self.answer(command[..<count])
        _ = unsafe send(self.own.number, answer, answer.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Command Complete with the requested data (BlueZ doc/mgmt-api.txt). For an unknown command, Command Status: unknown.
  static func answer(_ command: ArraySlice<UInt8>) -> [UInt8] {
    guard command.count >= 6 else { return [] }
    let head = Array(command.prefix(6))
    switch ManagementCommand.Opcode(rawValue: head.span.littleEndian16(at: 0)) {
    case .readIndexList: return event(1, head, [0] + [1, 0] + [0, 0])
    case .readInformation: return event(1, head, [0] + information)
    case .addPatternMonitor, .removeMonitor: return event(1, head, [0] + [1, 0])
    case .setDefaultConfiguration: return event(1, head, [0])
    default: return event(2, head, [1])
    }
  }

  private static func event(_ code: UInt8, _ command: [UInt8], _ parameters: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [code, 0, command[2], command[3]]
    bytes.append(littleEndian: UInt16(2 + parameters.count))
    return bytes + command[..<2] + parameters
  }

  /// Bluetooth 4.2 from Linux; powered and with Low Energy, and capable of both.
  private static var information: [UInt8] {
    let settings: UInt32 = 1 << 0 | 1 << 9
    var bytes: [UInt8] = [1, 0, 0, 0, 0xAA, 0, 8, 2, 0]
    for _ in 0..<2 {
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: settings))
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: settings >> 16))
    }
    return bytes + [UInt8](repeating: 0, count: 3 + 249 + 11)
  }
}
