import Beacons
import Core
import TestSupport
import Testing

/// Whatever arrives, nothing traps, and what is visited lies inside what arrived.
@Suite struct HostileBytesTests {
  @Test(arguments: 0..<8) func randomPayloadsNeverTrap(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<1_000 {
      let length = Int.random(in: 0...300, using: &random)
      let payload = random.bytes(length)
      visit(payload)
    }
  }

  /// Random bytes rarely reach a decoder: frame them rightly, and cut them everywhere.
  @Test func everyFormatSurvivesEveryLength() {
    var random = SeededGenerator(seed: 7)
    let heads: [(type: UInt8, head: [UInt8])] =
      [
        (0xFF, [0x4C, 0x00]), (0xFF, [0x06, 0x00]), (0x16, [0xD2, 0xFC, 0x42]), (0x16, [0xD2, 0xFC, 0x43]),
      ]
      + FormatRegistry.samples.map { sample in
        // The last structure is the frame.
        var frame: (type: UInt8, head: [UInt8]) = (0, [])
        let payload = bytes(sample.payload)
        var structures = ADStructures()
        while case .structure(let type, let data)? = structures.next(in: payload.span) {
          frame = (type, Array(payload[data].prefix(4)))
        }
        return frame
      }
    for (type, head) in heads {
      for length in 0...254 {
        for _ in 0..<4 {
          let data = Array((head + random.bytes(254)).prefix(length))
          visit([UInt8(data.count + 1), type] + data)
        }
      }
    }
  }

  /// What is declined says nothing; only a frame has readings.
  @Test func `data that no format takes has no readings, at any length`() {
    var random = SeededGenerator(seed: 11)
    for format in FormatRegistry.sensors.all {
      for length in 1...60 {
        var data = random.bytes(length)
        data[0] = format.first ?? data[0]
        let frame = try? FormatRegistry.sensors.frame(in: format.place, data.span, first: data[0])
        var readings = 0
        format.forEachReading(in: data.span) { _ in readings += 1 }
        #expect(frame != nil || readings == 0, "\(format.model), \(length) octets")
      }
    }
  }

  @Test func everyTripletOfBTHomeObjectsSurvives() {
    for id in UInt8.min...UInt8.max {
      for length in 0...12 {
        visit([UInt8(length + 5), 0x16, 0xD2, 0xFC, 0x40, id] + [UInt8](repeating: id, count: length))
      }
    }
  }

  @Test(arguments: 0..<4) func randomEventsNeverTrap(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 100)
    var reports = AdvertisingReports()
    for _ in 0..<3_000 {
      let subevent: UInt8 =
        [0x02, 0x0B, 0x0D, 0x0D, UInt8.random(in: 0...255, using: &random)]
        .randomElement(using: &random) ?? 0
      let count = UInt8.random(in: 0...4, using: &random)
      let body = random.bytes(Int.random(in: 0...253, using: &random))
      let length =
        Bool.random(using: &random) ? UInt8(body.count + 2) : UInt8.random(in: 0...255, using: &random)
      let event = Array(
        ([0x3E, length, subevent, count] + body).prefix(Int.random(in: 0...260, using: &random)))
      var visited = 0
      try? reports.read(
        event.span, receiver: ReceiverIndex(rawValue: 0), time: .zero, wallTime: WallTime(nanoseconds: 0)
      ) {
        advertisement, payload in
        visited += 1
        #expect(advertisement.rssi != 127)
        visit(payload.indices.map { payload[$0] })
      }
      #expect(visited <= 4)
      #expect(reports.fragments.pending <= FragmentedAdvertisements.limit)
    }
  }

  private let key = SecretKey([UInt8](repeating: 1, count: 16))

  private func visit(_ payload: [UInt8]) {
    _ = AdvertisedFields.localName(in: payload.span)
    var decryptor = key.map { FrameDecryptor(key: $0) }
    FrameDecoder.forEachFrame(in: payload.span) { result, data in
      guard case .frame(let frame, _) = result else { return }
      frame.forEachReading(in: data) { reading in
        switch reading.value {
        case .text(let range), .bytes(let range): #expect(range.upperBound <= data.count)
        case .number(let number): #expect(number.isFinite)
        default: break
        }
      }
      if case .eddystoneURL(let frame) = frame { #expect(frame.url.hasPrefix("http")) }
      _ = try? decryptor?.open(frame, in: data, from: DeviceAddress(bits: 1, kind: .public)) { _, _ in }
    }
  }
}
