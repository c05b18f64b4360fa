import Core
import Glibc

/// Why the live radio cannot be used, and how to mend it.
package enum RadioError: Error, Equatable, Sendable {
  /// The kernel has no Bluetooth, or this process may not see it.
  case noBluetooth
  /// No adapter, or none of the requested ones; with the names of those that exist.
  case noAdapter(found: [String])
  /// The kernel removes forbidden events from the filter without an error.
  case missingRawCapability
  case system(SystemError)

  static let grant =
    "grant it with: sudo setcap cap_net_raw,cap_net_admin+ep \"$(command -v beaconkeeper)\", or run as a systemd "
    + "service with AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN"

  init(_ error: SystemError) {
    switch error.code {
    case EAFNOSUPPORT, EPROTONOSUPPORT: self = .noBluetooth
    case EPERM, EACCES: self = .missingRawCapability
    default: self = .system(error)
    }
  }
}

extension RadioError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noBluetooth:
      "this kernel offers no Bluetooth; load it with: sudo modprobe bluetooth (in a container: share the host's network namespace)"
    case .noAdapter(let found) where found.isEmpty:
      "no Bluetooth adapter; plug one in, or look with: bluetoothctl list"
    case .noAdapter(let found):
      "none of the requested Bluetooth adapters was found; there are \(found.joined(separator: ", "))"
    case .missingRawCapability:
      "hearing advertisements needs CAP_NET_RAW, which this process lacks; \(Self.grant)"
    case .system(let error): "Bluetooth: \(error)"
    }
  }
}
