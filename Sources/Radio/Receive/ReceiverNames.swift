import Beacons
import Core

/// The receiver of an adapter, identified by the adapter's address: if it is plugged in again as `hci1`, it is the same. Cheap
/// adapters share one address; those that are plugged in together are different receivers.
struct ReceiverNames: Sendable {
  private(set) var table = ReceiverTable()
  private let aliases: [UInt64: String]
  /// The receivers of adapters with an address, in order of their appearance; by the address's bits.
  private var receivers: [UInt64: [ReceiverIndex]] = [:]

  /// - Parameter aliases: names by the bits of an adapter's address.
  init(aliases: [UInt64: String]) { self.aliases = aliases }

  /// Its alias, otherwise the kernel's name when it was first seen, otherwise (if another receiver has that name) its address.
  /// nil if there is no room for another name.
  ///
  /// - Parameter others: the receivers of the other adapters.
  mutating func receiver(of adapter: AdapterInfo, beside others: Set<ReceiverIndex>) -> ReceiverIndex? {
    let known = receivers[adapter.address.bits, default: []]
    if let free = known.first(where: { !others.contains($0) }) { return free }
    let names = [adapter.kernelName, "\(adapter.address)", "\(adapter.address) \(known.count + 1)"]
    let alias = known.isEmpty ? aliases[adapter.address.bits].map { [$0] } ?? [] : []
    guard let name = (alias + names).first(where: { !table.names.contains($0) }),
      let index = table.index(of: name)
    else { return nil }
    receivers[adapter.address.bits, default: []].append(index)
    return index
  }
}
