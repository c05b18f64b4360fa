import Beacons
import CBlueZ
import Core

/// A buffer for the packets of one system call. It is kept, so that receiving allocates nothing.
struct PacketBuffer {
  static let limit = Int(BEACONKEEPER_PACKETS)
  private static let room = Int(BEACONKEEPER_PACKET_ROOM)

  var count = 0
  private(set) var bytes = [UInt8](repeating: 0, count: Self.limit * Self.room)
  private var lengths = [UInt32](repeating: 0, count: Self.limit)
  private var stamps = [Int64](repeating: 0, count: Self.limit)

  /// Where in `bytes` the packet is; truncated if it was too long.
  func range(_ place: Int) -> Range<Int> {
    let start = place * Self.room
    return start..<start + min(Int(lengths[place]), Self.room)
  }

  /// When the kernel received it; nil: unknown.
  func stamp(_ place: Int) -> WallTime? {
    stamps[place] == 0 ? nil : WallTime(nanoseconds: stamps[place])
  }

  /// Lets `body` write bytes, lengths and timestamps, and returns what it returns.
  @unsafe mutating func fill(
    _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<Int64>?)
      throws(SystemError) -> Int
  ) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeMutableBufferPointer { bytes throws(SystemError) in
      try unsafe lengths.withUnsafeMutableBufferPointer { lengths throws(SystemError) in
        try unsafe stamps.withUnsafeMutableBufferPointer { stamps throws(SystemError) in
          try unsafe body(bytes.baseAddress, lengths.baseAddress, stamps.baseAddress)
        }
      }
    }
  }
}
