import Beacons
import Captures
import Core
import TestSupport

/// Captures built byte by byte.
enum CaptureBytes {
  static func event(rssi: Int8 = -72, payload: [UInt8] = EventBytes.payload) -> [UInt8] {
    EventBytes.event(rssi: rssi, payload: payload)
  }

  static func big(_ value: some FixedWidthInteger) -> [UInt8] { EventBytes.big(value) }
  static func little(_ value: some FixedWidthInteger) -> [UInt8] { EventBytes.little(value) }

  static func btsnoopHeader(_ datalink: UInt32) -> [UInt8] {
    Array("btsnoop\0".utf8) + big(UInt32(1)) + big(datalink)
  }

  /// `microseconds` since 1970.
  static func btsnoopRecord(_ packet: [UInt8], flags: UInt32, microseconds: Int64) -> [UInt8] {
    let length = UInt32(packet.count)
    return big(length) + big(length) + big(flags) + big(UInt32(0)) + big(microseconds + 0x00DC_DDB3_0F2F_8000)
      + packet
  }

  static func pcap(
    _ packets: [(seconds: UInt32, fraction: UInt32, bytes: [UInt8])], magic: UInt32, link: UInt32, isBig: Bool
  )
    -> [UInt8]
  {
    func number(_ value: UInt32) -> [UInt8] { isBig ? big(value) : little(value) }
    func short(_ value: UInt16) -> [UInt8] { isBig ? big(value) : little(value) }
    var file = number(magic) + short(2) + short(4) + number(0) + number(0) + number(262_144) + number(link)
    for packet in packets {
      let length = UInt32(packet.bytes.count)
      file +=
        number(packet.seconds) + number(packet.fraction) + number(length) + number(length) + packet.bytes
    }
    return file
  }

  static func block(_ type: UInt32, _ body: [UInt8], isBig: Bool = false) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = UInt32(padded.count + 12)
    return isBig
      ? big(type) + big(length) + padded + big(length)
      : little(type) + little(length) + padded + little(length)
  }

  static func section(isBig: Bool = false) -> [UInt8] {
    let body: [UInt8] =
      isBig
      ? big(UInt32(0x1A2B_3C4D)) + big(UInt16(1)) + big(UInt16(0)) + big(Int64(-1))
      : little(UInt32(0x1A2B_3C4D)) + little(UInt16(1)) + little(UInt16(0)) + little(Int64(-1))
    return block(0x0A0D_0D0A, body, isBig: isBig)
  }

  /// Options as raw bytes, already padded.
  static func interface(link: UInt16, options: [UInt8] = [], isBig: Bool = false) -> [UInt8] {
    let body: [UInt8] =
      isBig
      ? big(link) + big(UInt16(0)) + big(UInt32(0)) : little(link) + little(UInt16(0)) + little(UInt32(0))
    return block(1, body + options, isBig: isBig)
  }

  static func enhancedPacket(_ packet: [UInt8], ticks: UInt64, interface: UInt32 = 0, isBig: Bool = false)
    -> [UInt8]
  {
    let numbers = [
      interface, UInt32(ticks >> 32), UInt32(truncatingIfNeeded: ticks), UInt32(packet.count),
      UInt32(packet.count),
    ]
    return block(6, numbers.flatMap { isBig ? big($0) : little($0) } + packet, isBig: isBig)
  }
}

/// Everything a capture yields.
struct Heard: Equatable {
  struct Item: Equatable {
    var receiver: String
    var address: String
    var rssi: Int8?
    var payload: [UInt8]
    var wallNanoseconds: Int64
    var nanoseconds: Int64
  }

  var items: [Item] = []
  var observations: [Observation] = []
  var reports: [AppReport] = []
  var health: [ReceiverHealthChange] = []
  /// Where each health change stood: how many advertisements came before it.
  var healthPlaces: [Int] = []
  var error: CaptureError?
  var receivers: [String] = []

  /// Decodes `bytes`, handed over in pieces of at most `piece` bytes.
  init(_ bytes: [UInt8], piece: Int = 1 << 20) {
    var decoder = CaptureDecoder()
    var batch = AdvertisementBatch()
    var position = 0
    decoding: do {
      while true {
        let step = try decoder.next(into: &batch)
        let names = decoder.receivers
        // swift-format-ignore: ReplaceForEachWithForLoop
        batch.forEach { advertisement, payload in
          items.append(
            Item(
              receiver: names.name(of: advertisement.receiver), address: advertisement.address.description,
              rssi: advertisement.rssi, payload: payload.indices.map { payload[$0] },
              wallNanoseconds: advertisement.wallTime.nanoseconds,
              nanoseconds: advertisement.time.nanoseconds))
        }
        switch step {
        case .advertisements: break
        case .observation(let observation): observations.append(observation)
        case .report(let report): reports.append(report)
        case .health(let change):
          health.append(change)
          healthPlaces.append(items.count)
        case nil:
          decoder.fill { span, offset in
            let count = min(piece, bytes.count - position, span.count - offset)
            for index in 0..<count { span[offset + index] = bytes[position + index] }
            position += count
            return count
          }
        case .end: break decoding
        }
      }
    } catch {
      self.error = error
    }
    receivers = decoder.receivers.names
  }

  init(text: String, piece: Int = 1 << 20) { self.init(Array(text.utf8), piece: piece) }
}
