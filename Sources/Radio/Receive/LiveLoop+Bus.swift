import Machine
import Beacons

/// The pause between two attempts to reach the system bus.
private let busRetry = TimeSpan.seconds(5)

/// Uses bluetoothd if the kernel grants us no monitor, or not even a raw socket.
extension LiveLoop {
  /// Connects to bluetoothd over the bus; without a bus, tries again later.
  func seekBlueZ() throws(RadioError) {
    seeksBlueZ = nil
    if blueZ != nil {
      if let hasBluetoothd { try perform(keeper.bluetoothd(hasBluetoothd, at: LiveClock.now)) }
      return
    }
    do throws(SystemError) {
      blueZ = try BlueZ(hearsDevices: !busReceivers.isEmpty)
    } catch {
      try miss()
      seeksBlueZ = LiveClock.now + busRetry
      try perform(keeper.bluetoothd(false, at: LiveClock.now))
    }
  }

  func receiveBus() throws(RadioError) {
    guard let bus = blueZ else { return }
    for news in bus.receive() {
      switch news {
      case .isThere(let isThere):
        if !isThere { try miss() }
        hasBluetoothd = isThere
        try perform(keeper.bluetoothd(isThere, at: LiveClock.now))
      case .discovering(let adapter, let isOn):
        try perform(keeper.discovering(isOn, on: adapter, at: LiveClock.now))
      case .heard(let heard): take(heard)
      }
    }
    if bus.connection.isDead {
      blueZ = nil
      seeksBlueZ = LiveClock.now + busRetry
    }
  }

  /// There is no bluetoothd, and there never was: without a raw socket nothing can be heard.
  private func miss() throws(RadioError) {
    if !busReceivers.isEmpty, hasBluetoothd == nil { throw .missingRawCapability }
  }

  private func take(_ heard: BusDevices.Heard) {
    guard let receiver = busReceivers[heard.adapter] else { return }
    let before = batch.count
    batch.append(
      Advertisement(
        receiver: receiver, address: heard.address, rssi: heard.rssi, time: LiveClock.now,
        wallTime: LiveClock.wallNow), payload: heard.payload.span)
    keeper.heard(batch, before..<batch.count, on: heard.adapter)
  }
}
