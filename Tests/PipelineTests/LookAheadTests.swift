import Scenes
import Beacons
import Messages
import Testing

@testable import Pipeline

@Suite struct LookAheadTests {
  private static let rules =
    Scene.rules + """

      telemetry: { beacon_state: 2 s }
      home_assistant: { room_presence: on }
      """

  /// What comes of a crowd, of whom each is heard some times at changing strength, in batches of so many.
  private func told(beacons: UInt16, inBatchesOf size: Int) throws -> [[UInt8]] {
    var pipeline = try Scene(Self.rules).pipeline
    guard let receiver = pipeline.receiver("hci0") else { return [] }
    var output = Pipeline.Output()
    var batch = AdvertisementBatch()
    var time = MonotonicTime.zero
    for round in 0..<3 {
      for number in 0..<beacons {
        // Every seventh has moved to another's address; every eleventh is a stranger; every thirteenth the fridge.
        let isFridge = number % 13 == 0
        let sender =
          isFridge
          ? 0xC100_0000_0005
          : UInt64(number % 7 == 0 ? number / 2 : number) + (number % 11 == 0 ? 1 << 40 : 0)
        let payload =
          isFridge ? Scene.temperature(number) : number % 11 == 0 ? [2, 1, 6] : Scene.iBeacon(number: number)
        let heard = Advertisement(
          receiver: receiver, address: DeviceAddress(bits: sender, kind: .random),
          rssi: Int8(-100 + (Int(number) * 7 + round * 13) % 60), time: time,
          wallTime: WallTime(nanoseconds: time.nanoseconds))
        batch.append(heard, payload: payload.span)
        time = time + .milliseconds(1)
        if batch.count == size {
          pipeline.observe(batch, into: &output)
          batch.removeAll()
        }
      }
    }
    pipeline.observe(batch, into: &output)
    pipeline.advance(to: time + .seconds(60), into: &output)
    return output.messages(topics: pipeline.topics).map(\.payload)
  }

  @Test func aCrowdIsToldAlikeInBatchesAndOneByOne() throws {
    let oneByOne = try told(beacons: 4200, inBatchesOf: 1)
    #expect(oneByOne.count > 8000)
    for size in [65, 1000] {
      #expect(try told(beacons: 4200, inBatchesOf: size) == oneByOne, "\(size)")
    }
  }
}
