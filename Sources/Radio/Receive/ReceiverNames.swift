import Beacons

/// Which receiver an adapter is. It is known by its address: unplugged and back as `hci1`, it is the same.
struct ReceiverNames: Sendable {
  private(set) var table = ReceiverTable()
  private let aliases: [UInt64: String]
  /// Keyed by the bits of the adapter's address.
  private var receivers: [UInt64: ReceiverIndex] = [:]

  /// - Parameter aliases: names by the bits of an adapter's address.
  init(aliases: [UInt64: String]) { self.aliases = aliases }

  /// Its alias, else the kernel's name when it was first seen, else (another has that name) its address. nil
  /// when there is no room for another name.
  mutating func receiver(of adapter: AdapterInfo) -> ReceiverIndex? {
    if let known = receivers[adapter.address.bits] { return known }
    var name = aliases[adapter.address.bits] ?? adapter.kernelName
    if table.names.contains(name) { name = adapter.address.description }
    let index = table.index(of: name)
    receivers[adapter.address.bits] = index
    return index
  }
}
