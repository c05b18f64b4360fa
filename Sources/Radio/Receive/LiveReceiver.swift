import Beacons
import Core

/// One adapter from which advertisements are received.
struct LiveReceiver {
  let info: AdapterInfo
  let index: ReceiverIndex
  let socket: HCISocket
  /// The result of the latest poll of its socket.
  var answer: Int16 = 0
  /// How many packets its socket has dropped so far.
  var lost: Int64 = 0
  private var reports = AdvertisingReports()
  var clock = ReceiveClock()

  init(info: AdapterInfo, index: ReceiverIndex, socket: HCISocket) {
    self.info = info
    self.index = index
    self.socket = socket
  }

  /// Reads at most `limit` packets from the socket and appends their advertisements.
  ///
  /// - Parameter onOther: is called with every packet without an advertisement, from its type on.
  /// - Returns: how many packets were read, and whether the socket is empty now.
  mutating func receive(
    _ limit: Int, into batch: inout AdvertisementBatch, buffer: inout PacketBuffer,
    onEvent: (@Sendable (Span<UInt8>, AdapterInfo, WallTime) -> Void)?,
    onOther: (Span<UInt8>, MonotonicTime) -> Void
  ) -> (packets: Int, isDrained: Bool) {
    var taken = 0
    repeat {
      socket.receive(into: &buffer)
      let (now, wallNow) = (LiveClock.now, LiveClock.wallNow)
      for place in 0..<buffer.count {
        let packet = buffer.bytes.span.extracting(buffer.range(place))
        // A socket whose other end is closed returns empty packets without limit.
        if packet.isEmpty { return (taken + place, true) }
        let (time, wallTime) = clock.time(of: buffer.stamp(place), now: now, wallNow: wallNow)
        guard packet.count > 3, packet[0] == HCIPacketType.event, packet[1] == 0x3E else {
          onOther(packet, time)
          continue
        }
        let before = batch.count
        let event = packet.extracting(1...)
        onEvent?(event, info, wallTime)
        do throws(HCIDecline) {
          try reports.read(event, receiver: index, time: time, wallTime: wallTime) {
            batch.append($0, payload: $1)
          }
        } catch {
          // A bad report loses only the rest of its event.
        }
        if batch.count == before { onOther(packet, time) }
      }
      taken += buffer.count
    } while buffer.count == PacketBuffer.limit && taken < limit
    return (taken, buffer.count < PacketBuffer.limit)
  }
}

/// Turns the kernel's receive timestamps, which are wall times, into monotonic time that never goes back.
struct ReceiveClock {
  /// A greater age means that the wall clock was changed meanwhile.
  static let oldest = TimeSpan.seconds(10)

  /// Packets from shortly before a pause may still be in the socket.
  private static let margin = TimeSpan.seconds(1)

  private var latest = MonotonicTime(nanoseconds: .min)
  /// The process did not run in this time, and packets that the kernel received meanwhile are still being read.
  private var pause: (calendar: ClosedRange<WallTime>, end: MonotonicTime)?

  /// The process did not run until now. Waiting packets count as received now, because nothing is known of the time between.
  mutating func resume(since: WallTime, at time: MonotonicTime, _ wallTime: WallTime) {
    pause = (since - Self.margin...max(since, wallTime), time)
  }

  /// - Parameters:
  ///   - stamp: when the kernel received it; nil: unknown.
  mutating func time(
    of stamp: WallTime?, now: MonotonicTime, wallNow: WallTime
  ) -> (time: MonotonicTime, wallTime: WallTime) {
    if let pause {
      if let stamp, pause.calendar.contains(stamp) {
        latest = max(latest, pause.end)
        return (latest, pause.calendar.upperBound)
      }
      self.pause = nil
    }
    var age = stamp.map { wallNow - $0 } ?? .zero
    if age < .zero || age > Self.oldest { age = .zero }
    let time = max(now - age, latest)
    latest = time
    return (time, stamp ?? wallNow)
  }
}

/// A live receiver's counts since it was first found.
package struct ReceiverCounts: Equatable, Sendable {
  package var receiver: ReceiverIndex
  /// Packets that the kernel dropped because they were not read soon enough.
  package var lost: Int64 = 0
  /// Recovery steps taken.
  package var recoveries: Int64 = 0
}

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

/// How long to let packets collect before the next receive, because a wake-up costs more than processing a packet.
///
/// Long enough for about `packets` packets at the recent rate, and at most `longest`. The kernel records their times, so
/// decisions do not change; they are only published later. The smallest socket buffer holds more than twice as many.
struct Gathering {
  static let longest = TimeSpan.milliseconds(100)
  /// A shorter sleep costs more than it saves.
  private static let shortest = TimeSpan(nanoseconds: 50_000)
  private static let packets: Int64 = 100

  private var latest = MonotonicTime(nanoseconds: .min)

  /// - Parameters:
  ///   - count: the packets that were received at `time`.
  ///   - isDrained: whether the socket was empty.
  mutating func pause(after count: Int, isDrained: Bool, at time: MonotonicTime) -> TimeSpan {
    let elapsed = min(max(time - latest, .zero), .seconds(1))
    latest = time
    guard isDrained, count > 0 else { return .zero }
    let pause = TimeSpan(nanoseconds: elapsed.nanoseconds / Int64(count) * Self.packets)
    return pause < Self.shortest ? .zero : min(pause, Self.longest)
  }
}
