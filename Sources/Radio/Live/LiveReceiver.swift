import Beacons

/// One adapter that is being heard.
struct LiveReceiver {
  let info: AdapterInfo
  let index: ReceiverIndex
  let socket: HCISocket
  private var reports = AdvertisingReports()
  private var clock = ReceiveClock()

  init(info: AdapterInfo, index: ReceiverIndex, socket: HCISocket) {
    self.info = info
    self.index = index
    self.socket = socket
  }

  /// Takes at most `limit` packets from the socket and appends the advertisements in them; whether there were
  /// any.
  mutating func receive(
    _ limit: Int, into batch: inout AdvertisementBatch, buffer: inout [UInt8],
    _ onEvent: (@Sendable (Span<UInt8>, AdapterInfo, WallTime) -> Void)?
  ) -> Bool {
    let before = batch.count
    var stamp: WallTime?
    for _ in 0..<limit {
      guard let count = socket.receive(into: &buffer, stamp: &stamp), count > 0 else { break }
      let packet = buffer.span.extracting(..<count)
      guard count > 3, packet[0] == LinkLayer.eventPacket, packet[1] == 0x3E else { continue }
      let event = packet.extracting(1...)
      let (time, wallTime) = clock.time(of: stamp, now: LiveClock.now, wallNow: LiveClock.wallNow)
      onEvent?(event, info, wallTime)
      do throws(HCIDecline) {
        try reports.read(event, receiver: index, time: time, wallTime: wallTime) {
          batch.append($0, payload: $1)
        }
      } catch {
        // A bad report costs what follows it in its event, and no more.
      }
    }
    return batch.count > before
  }
}
