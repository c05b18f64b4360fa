import Beacons

/// An action or a report that a keeper asks for.
enum KeeperAction: Equatable {
  case send(ManagementCommand)
  /// To the controller itself, by the adapter's raw socket.
  case command(adapter: UInt16, HCICommand)
  /// Open a raw socket on it.
  case attach(AdapterInfo)
  case detach(adapter: UInt16)
  case health(adapter: UInt16, ReceiverHealth, reason: String)
  /// A notice for people, given once.
  case notice(String)
  /// A recovery step was taken; to be counted.
  case recovery(adapter: UInt16)
  /// All adapters present at the start are known; perhaps none of them is wanted.
  case listed(wanted: Int)
  /// Look whether there is a bluetoothd, and tell `ScanKeeper.bluetoothd`.
  case seekBluetoothd
  /// Start or stop bluetoothd's discovery on it; the result goes to `ScanKeeper.discovering`.
  case discover(adapter: UInt16, Bool)
  /// Look whether rfkill blocks it, and tell `ScanKeeper.inspected`.
  case inspectBlock(adapter: UInt16)
  case unblock(adapter: UInt16)
  case broadcast(BroadcastStatus)
  case resetUSB(adapter: UInt16)
}

/// What keepers are allowed and asked to do.
struct KeeperPolicy: Sendable {
  /// Whether to switch on an adapter that is off when it is found.
  var mayPowerOn = true
  /// Lift an rfkill block that somebody set.
  var mayUnblock = false
  var duty = ScanDuty.balanced
}
