import Machine
import Beacons

/// The packets of one socket, each with its time on both clocks.
struct PacketStream {
  let socket: HCISocket
  private var clock = ReceiveClock()
  /// When the last `receive` was.
  private(set) var now = MonotonicTime.zero
  private var wallNow = WallTime(nanoseconds: 0)

  init(_ socket: HCISocket) { self.socket = socket }

  /// Fills the buffer with the packets that are there, as many as there is room for.
  mutating func receive(into buffer: inout PacketBuffer) {
    socket.receive(into: &buffer)
    (now, wallNow) = (LiveClock.now, LiveClock.wallNow)
  }

  /// When a packet of the last `receive` came; ask in order of places.
  mutating func time(of place: Int, in buffer: PacketBuffer) -> (time: MonotonicTime, wallTime: WallTime) {
    clock.time(of: buffer.stamp(place), now: now, wallNow: wallNow)
  }
}
