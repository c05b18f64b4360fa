import ArgumentParser
import Beacons
import Core
import FoundationEssentials
import Glibc
import Pipeline

/// A file of advertisements from `Tests/Benchmarks/corpus`. A record consists of the address (6 octets, least significant
/// first), its type (2 random, else public), the RSSI, a length, and that many octets of AD structures.
struct Corpus {
  private(set) var batch = AdvertisementBatch()

  /// - Parameter receivers: at least one; they take turns.
  init(path: String, receivers: [ReceiverIndex]) throws {
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw failure("\(path): cannot be read: \(error)", EX_IOERR)
    }
    var offset = 0
    while offset < bytes.count {
      guard bytes.count - offset >= 9, bytes.count - offset - 9 >= Int(bytes[offset + 8]) else {
        throw failure("\(path): cut off in the record at byte \(offset)", EX_DATAERR)
      }
      let end = offset + 9 + Int(bytes[offset + 8])
      let bits = bytes[offset..<offset + 6].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      let advertisement = Advertisement(
        receiver: receivers[batch.count % receivers.count],
        address: DeviceAddress(bits: bits, kind: bytes[offset + 6] == 2 ? .random : .public),
        rssi: Int8(bitPattern: bytes[offset + 7]), time: .zero, wallTime: WallTime(nanoseconds: 0))
      batch.append(advertisement, payload: bytes.span.extracting(offset + 9..<end))
      offset = end
    }
    guard !batch.isEmpty else { throw failure("\(path): holds no advertisement", EX_DATAERR) }
  }

  /// Gives the advertisements evenly spaced times from `start` on; returns the time for the next one.
  mutating func time(from start: MonotonicTime, spacing: TimeSpan) -> MonotonicTime {
    var time = start
    batch.mapAdvertisements { advertisement in
      advertisement.time = time
      advertisement.wallTime = Self.wallStart + TimeSpan(nanoseconds: time.nanoseconds)
      time = time + spacing
    }
    return time
  }

  /// 2026-01-01.
  private static let wallStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)
}

extension AdmissionLimits {
  /// All devices of a benchmark appear within seconds.
  static let benchmark = AdmissionLimits(
    burst: AdmissionLimits.usualMembers, transitions: RateLimit(burst: .max, perSecond: 1_000_000_000))
}
