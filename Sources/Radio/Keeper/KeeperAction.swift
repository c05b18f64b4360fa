import Beacons
import Core

/// An action or a report that a keeper requests.
enum KeeperAction: Equatable {
  case send(ManagementCommand)
  /// To the controller itself, by the adapter's raw socket.
  case command(adapter: UInt16, HCICommand)
  /// Open a raw socket on it.
  case attach(AdapterInfo)
  case detach(adapter: UInt16)
  case health(adapter: UInt16, ReceiverHealth, reason: String)
  /// A message for people, given once.
  case notice(String)
  /// A recovery step was taken, for the count.
  case recovery(adapter: UInt16)
  /// All adapters present at the start are known; perhaps none of them is wanted.
  case listed(wanted: Int)
  /// Find out whether bluetoothd is running, and pass the result to `ScanKeeper.bluetoothd`.
  case seekBluetoothd
  /// Start or stop bluetoothd's discovery on it; the result goes to `ScanKeeper.discovering`.
  case discover(adapter: UInt16, Bool)
  /// Find out whether rfkill blocks it, and pass the result to `ScanKeeper.inspected`.
  case inspectBlock(adapter: UInt16)
  case unblock(adapter: UInt16)
  case broadcast(BroadcastStatus)
  case resetUSB(adapter: UInt16)
}

/// The configured rights of the keepers.
struct KeeperPolicy: Sendable {
  /// Whether to switch on an adapter that is off when it is found.
  var mayPowerOn = true
  /// Whether to lift an rfkill block that somebody set.
  var mayUnblock = false
  var duty = ScanDuty.balanced
}
