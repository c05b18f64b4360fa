import Beacons
import CVendors

/// The makers of devices that have no decoder here, by the Bluetooth SIG's company identifiers and members'
/// 16-bit UUIDs, which do not overlap. `deploy/vendors` writes `vendors.txt`, which says when.
package enum Vendors {
  private static let text: [UInt8] = {
    var size = 0
    return unsafe Array(UnsafeBufferPointer(start: vendors_text(&size), count: size))
  }()

  /// The number of the source's maker; nil for a service that anybody may offer.
  package static func number(of source: FrameSource) -> UInt16? {
    switch source {
    case .manufacturerData(let company): company < 0xFC00 ? company : nil
    case .serviceData(let uuid): (0xFC00..<0xFF00).contains(uuid) ? uuid : nil
    case .structure: nil
    }
  }

  /// A binary search in the lines, which are in the order of their numbers.
  package static func name(_ number: UInt16) -> String? {
    let text = text
    let newline = UInt8(ascii: "\n")
    func line(at position: Int) -> Range<Int> {
      let start = text[..<position].lastIndex(of: newline).map { $0 + 1 } ?? 0
      return start..<(text[position...].firstIndex(of: newline) ?? text.endIndex)
    }
    // The first line names the source.
    var (low, high) = (line(at: 0).upperBound + 1, text.count)
    while low < high {
      let line = line(at: (low + high) / 2)
      guard let found = UInt16(String(decoding: text[line].prefix(4), as: UTF8.self), radix: 16) else {
        return nil
      }
      if found == number { return String(decoding: text[line].dropFirst(5), as: UTF8.self) }
      if found < number { low = line.upperBound + 1 } else { high = line.lowerBound }
    }
    return nil
  }
}
