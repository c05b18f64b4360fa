import CBlueZ
import Core
import Glibc

/// What this process may do with the radio. This is found by trying, and is available before the radio runs.
package struct RadioAccess: Equatable, Sendable {
  /// A raw socket keeps its filter: CAP_NET_RAW.
  package var mayReceiveRaw: Bool
  /// The kernel accepts our monitors and power commands: CAP_NET_ADMIN.
  package var mayAdminister: Bool
  /// bluetoothd is on the system bus.
  package var hasBluetoothd: Bool

  package static func look() -> RadioAccess {
    RadioAccess(
      mayReceiveRaw: (try? HCISocket.raw(adapter: UInt16(BEACONKEEPER_NO_DEVICE), receiveBuffer: 1 << 16))
        != nil,
      mayAdminister: SmallFile.capabilities & 1 << 12 != 0, hasBluetoothd: seesBluetoothd())
  }

  /// How advertisements are received with these rights.
  package var path: ReceivePath {
    switch (mayReceiveRaw, mayAdminister, hasBluetoothd) {
    case (false, _, true): .bus
    case (false, _, false): .none
    case (true, true, _): .kernelMonitor
    case (true, false, true): .discovery
    case (true, false, false): .ownScan
    }
  }

  private static func seesBluetoothd() -> Bool {
    guard let blueZ = try? BlueZ() else { return false }
    let end = LiveClock.now + .seconds(1)
    while LiveClock.now < end, !blueZ.connection.isDead {
      var polled = pollfd(fd: blueZ.connection.descriptor.number, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&polled, 1, 100)
      for case .isThere(let isThere) in blueZ.receive() { return isThere }
    }
    return false
  }
}

/// How advertisements reach us, from the best way to none.
package enum ReceivePath: Sendable {
  /// Raw, kept scanning by a monitor in the kernel.
  case kernelMonitor
  /// Raw, kept scanning by bluetoothd.
  case discovery
  /// Raw, kept scanning by commands of our own.
  case ownScan
  /// By bluetoothd's signals, with which many advertisements are lost.
  case bus
  case none
}

extension ReceivePath: CustomStringConvertible {
  package var description: String {
    switch self {
    case .kernelMonitor: "reads the raw socket; a kernel monitor keeps it scanning"
    case .discovery:
      "reads the raw socket; bluetoothd's discovery keeps it scanning. With CAP_NET_ADMIN the kernel would do that, and better"
    case .ownScan:
      "reads the raw socket and runs its own scan, which other programs can stop. With CAP_NET_ADMIN the kernel would keep it running"
    case .bus:
      "DEGRADED: hears only what bluetoothd passes on, and misses much; with CAP_NET_RAW it would hear everything; "
        + RadioError.grant
    case .none: "hears nothing without CAP_NET_RAW; \(RadioError.grant)"
    }
  }
}

extension LiveRadio {
  /// Whether rfkill blocks an adapter, softly or by a switch on the machine; nil: unknown.
  package static func isBlocked(_ adapter: AdapterInfo) -> Bool? { AdapterHardware.isBlocked(adapter.index) }
}

/// Small files of the kernel.
enum SmallFile {
  /// The file's text, up to this many bytes; nil if it cannot be read.
  static func text(_ path: String, limit: Int = 32) -> String? {
    guard let number = try? systemCall(path, { unsafe open(path, O_RDONLY | O_CLOEXEC) }) else { return nil }
    let file = FileDescriptor(number)
    var bytes = [UInt8](repeating: 0, count: limit)
    var room = bytes.mutableSpan
    guard let count = try? file.read(into: &room) else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The effective capabilities of this process.
  static var capabilities: UInt64 {
    let lines = text("/proc/self/status", limit: 8192)?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix("CapEff:") }
    return line.flatMap { UInt64($0.dropFirst(7).trimmingPrefix { $0 == "\t" || $0 == " " }, radix: 16) } ?? 0
  }
}
