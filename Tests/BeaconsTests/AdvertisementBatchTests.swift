import Beacons
import Core
import Testing

@Suite struct AdvertisementBatchTests {
  @Test func severalReceiversAreMergedByTime() {
    var batch = AdvertisementBatch()
    var room = AdvertisementBatch()
    for (receiver, times) in [(0, [5, 9, 9, 40]), (1, [1, 9, 20])] as [(UInt16, [Int64])] {
      for time in times {
        batch.append(
          Advertisement(
            receiver: ReceiverIndex(rawValue: receiver), address: DeviceAddress(bits: 1, kind: .random),
            rssi: nil,
            time: MonotonicTime(nanoseconds: time), wallTime: WallTime(nanoseconds: 0)),
          payload: [UInt8](repeating: UInt8(time), count: Int(time)).span)
      }
    }
    batch.sortByTime(by: &room)
    var seen: [String] = []
    batch.forEach { advertisement, payload in
      var isWhole = payload.count == Int(advertisement.time.nanoseconds)
      for index in payload.indices {
        isWhole = isWhole && payload[index] == UInt8(advertisement.time.nanoseconds)
      }
      seen.append("\(advertisement.receiver.rawValue):\(advertisement.time.nanoseconds)\(isWhole ? "" : "!")")
    }
    #expect(seen == ["1:1", "0:5", "0:9", "0:9", "1:9", "1:20", "0:40"])
  }

  @Test func anOrderedBatchKeepsItsOrder() {
    var batch = AdvertisementBatch()
    var room = AdvertisementBatch()
    batch.sortByTime(by: &room)
    #expect(batch.isEmpty)
    let heard = Advertisement(
      receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: 1, kind: .random), rssi: -1,
      time: .zero, wallTime: WallTime(nanoseconds: 0))
    for length in 0..<5 { batch.append(heard, payload: [UInt8](repeating: 7, count: length).span) }
    batch.sortByTime(by: &room)
    var lengths: [Int] = []
    batch.forEach { lengths.append($1.count) }
    #expect(lengths == [0, 1, 2, 3, 4])
  }
}
