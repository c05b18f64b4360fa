import Beacons
import Captures
import Core
import TestSupport
import Testing

@Suite struct EntryOrderTests {
  private static func time(_ seconds: Double) -> WallTime { WallTime(nanoseconds: Int64(seconds * 1e9)) }

  private static func part(_ times: [Double]) -> EntryOrder.Part {
    var batch = AdvertisementBatch()
    for time in times {
      let advertisement = Advertisement(
        receiver: ReceiverIndex(rawValue: 0),
        address: DeviceAddress(bits: UInt64(time * 1000), kind: .random),
        rssi: -60, time: .zero, wallTime: Self.time(time))
      batch.append(advertisement, payload: [UInt8(Int(time) & 255)].span)
    }
    return .advertisements(batch)
  }

  /// The times in the order in which they come out, if parts of this size go in.
  private static func sorted(_ times: [Double], by size: Int) -> (times: [Double], order: EntryOrder) {
    var order = EntryOrder()
    var result: [Double] = []
    func take(_ isAtEnd: Bool) {
      while case .advertisements(let batch)? = order.next(isAtEnd: isAtEnd) {
        batch.forEach { advertisement, payload in
          let time = Double(advertisement.wallTime.nanoseconds) / 1e9
          #expect(payload[0] == UInt8(Int(time) & 255) && advertisement.address.bits == UInt64(time * 1000))
          result.append(time)
        }
      }
    }
    for start in stride(from: 0, to: times.count, by: size) {
      order.add(part(Array(times[start..<min(start + size, times.count)])))
      take(false)
    }
    take(true)
    return (result, order)
  }

  @Test(arguments: [1, 3, 100], UInt64(1)...5)
  func `entries up to two seconds late come out in order`(size: Int, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var times = (0..<2000).map { Double($0) / 8 }
    // Moves each by less than two seconds.
    for place in stride(from: 0, to: times.count - 16, by: 16) {
      times[place..<(place + 16)].shuffle(using: &random)
    }
    let (result, order) = Self.sorted(times, by: size)
    #expect(result == times.sorted())
    #expect(order.moved > 500)
  }

  @Test func `nothing is moved across a clock that was set back`() {
    let times = [10, 11, 10.5, 12, 5, 6, 5.5, 7]
    #expect(Self.sorted(times, by: 1).times == [10, 10.5, 11, 12, 5, 5.5, 6, 7])
    let ordered = [1, 2, 3, 3, 4.0]
    let (result, order) = Self.sorted(ordered, by: 2)
    #expect(result == ordered && order.moved == 0)
  }

  @Test func `a flood in one instant is not held for ever`() {
    var order = EntryOrder()
    for _ in 0..<9000 { order.add(Self.part([1])) }
    #expect(order.next(isAtEnd: false) != nil)
  }
}
