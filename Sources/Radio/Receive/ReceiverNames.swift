import Beacons
import Core

/// The receiver of an adapter, identified by the adapter's address: if it is plugged in again as `hci1`, it is the same.
struct ReceiverNames: Sendable {
  private(set) var table = ReceiverTable()
  private let aliases: [UInt64: String]
  /// Keyed by the bits of the adapter's address.
  private var receivers: [UInt64: ReceiverIndex] = [:]

  /// - Parameter aliases: names by the bits of an adapter's address.
  init(aliases: [UInt64: String]) { self.aliases = aliases }

  /// Its alias, otherwise the kernel's name when it was first seen, otherwise (if another receiver has that name) its address.
  /// nil if there is no room for another name.
  mutating func receiver(of adapter: AdapterInfo) -> ReceiverIndex? {
    if let known = receivers[adapter.address.bits] { return known }
    var name = aliases[adapter.address.bits] ?? adapter.kernelName
    if table.names.contains(name) { name = adapter.address.description }
    let index = table.index(of: name)
    receivers[adapter.address.bits] = index
    return index
  }
}
