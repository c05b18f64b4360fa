import Machine
import Beacons
import Glibc

/// Carries out the keeper's actions.
extension LiveLoop {
  func perform(_ actions: [KeeperAction]) throws(RadioError) {
    for action in actions {
      switch action {
      case .send(let command):
        do throws(SystemError) { try management.send(command.bytes) } catch { throw RadioError(error) }
      case .attach(let info): try attach(info)
      case .detach(let adapter): detach(adapter)
      case .health(let adapter, let health, let reason):
        // It was said before the attempt to open a raw socket showed that there is none.
        if busReceivers[adapter] != nil, health == .ok, reason.isEmpty { continue }
        guard let receiver = receivers[adapter]?.index ?? busReceivers[adapter] else { continue }
        report(health, receiver, reason)
      case .notice(let text): handlers.onNotice(text)
      case .command(let adapter, let command):
        // An adapter that is down accepts none; that is reported elsewhere.
        try? receivers[adapter]?.socket.send(command.packet)
      case .recovery(let adapter):
        if let receiver = receivers[adapter] { count(receiver.index) { $0.recoveries += 1 } }
      case .seekBluetoothd: try seekBlueZ()
      case .discover(let adapter, let isOn):
        if isOn { blueZ?.startDiscovery(adapter) } else { blueZ?.stopDiscovery(adapter) }
      case .broadcast(let status): handlers.onBroadcast(status)
      case .inspectBlock(let adapter):
        try perform(
          keeper.inspected(AdapterHardware.isBlocked(adapter), of: adapter, at: LiveClock.now))
      case .unblock(let adapter):
        attempt("hci\(adapter) stays blocked") { () throws(SystemError) in
          try AdapterHardware.unblock(adapter)
        }
      case .resetUSB(let adapter):
        attempt("the USB device of hci\(adapter) was not reset") { () throws(SystemError) in
          try AdapterHardware.resetUSB(adapter)
        }
      case .listed(let wanted):
        guard wanted == 0 else { continue }
        if options.waitsForAdapter {
          handlers.onNotice("no Bluetooth adapter yet; waiting for one")
          continue
        }
        throw .noAdapter(found: try LiveRadio.adapters().map { "\($0.kernelName) (\($0.address))" })
      }
    }
  }

  private func attempt(_ failure: String, _ body: () throws(SystemError) -> Void) {
    do throws(SystemError) {
      try body()
    } catch {
      let why = error.code == ENODEV ? "it is not a USB adapter" : "\(error)"
      let grant =
        [EACCES, EPERM].contains(error.code) ? "; a udev rule can allow this user to write there" : ""
      handlers.onNotice("\(failure): \(why)\(grant)")
    }
  }

  private func attach(_ info: AdapterInfo) throws(RadioError) {
    guard receivers[info.index] == nil, let index = names.receiver(of: info) else { return }
    do throws(RadioError) {
      let socket = try openRaw(info.index, options.receiveBuffer)
      listen(to: info.index, as: LiveReceiver(info: info, index: index, socket: socket))
    } catch .missingRawCapability where options.takesBus {
      busReceivers[info.index] = index
      keeper.hearsByBusOnly(info.index)
    } catch .system(let error) where error.code == ENODEV {
      // Gone again already; its removal is announced next, or it is back.
      keeper.socketDied(of: info.index, at: LiveClock.now)
    }
  }

  func detach(_ adapter: UInt16) {
    let byBus = busReceivers.removeValue(forKey: adapter)
    guard let receiver = stopListening(to: adapter)?.index ?? byBus else { return }
    report(.gone, receiver, "the adapter was removed")
  }

  private func report(_ new: ReceiverHealth, _ receiver: ReceiverIndex, _ reason: String) {
    health[receiver] = new
    handlers.onHealth(
      ReceiverHealthChange(
        receiver: receiver, health: new, reason: reason, time: LiveClock.now, wallTime: LiveClock.wallNow),
      names.table)
  }
}
