import Core

/// Reads the advertising reports of HCI events (Core Specification, Vol 4, Part E, 7.7.65.2, .11 and .13).
///
///     0   event code      1  0x3E
///     1   length          1  bytes that follow
///     2   subevent        1  0x02 legacy, 0x0B directed, 0x0D extended
///     3   reports         1  how many
///     4   report          …  one after the other
///
/// By the specification, several reports in one event are ordered by field. Controllers and the Linux kernel order them
/// by report, and so does this.
///
/// It keeps state because extended advertisements come in fragments. Use one per controller.
public struct AdvertisingReports: Sendable {
  public private(set) var fragments = FragmentedAdvertisements()

  public init() {}

  /// Visits the reports of one event (without the packet type octet) in order. Throws at the first malformed report;
  /// the ones before it have been visited.
  public mutating func read(
    _ event: Span<UInt8>, receiver: ReceiverIndex, time: MonotonicTime, wallTime: WallTime,
    _ body: (Advertisement, Span<UInt8>) -> Void
  ) throws(HCIDecline) {
    guard event.count >= 1 else { throw .truncated(report: 0, needs: 4, has: 0) }
    guard event[0] == 0x3E else { throw .notAnAdvertisingReport(event: event[0], subevent: nil) }
    guard event.count >= 3 else { throw .truncated(report: 0, needs: 4, has: event.count) }
    let end = min(event.count, 2 + Int(event[1]))
    let layout: Layout
    switch event[2] {
    case 0x02: layout = .legacy
    case 0x0B: layout = .directed
    case 0x0D: layout = .extended
    default: throw .notAnAdvertisingReport(event: 0x3E, subevent: event[2])
    }
    guard end >= 4 else { throw .truncated(report: 0, needs: 4, has: end) }
    guard event[3] > 0 else { throw .noReports }
    var offset = 4
    for report in 0..<Int(event[3]) {
      let rest = event.extracting(offset..<end)
      let needs = layout.length(of: rest)
      guard needs <= rest.count else { throw .truncated(report: report, needs: needs, has: rest.count) }
      let bytes = rest.extracting(first: needs)
      var advertisement = Advertisement(
        receiver: receiver, address: address(bytes, at: layout.addressOffset), rssi: nil, time: time,
        wallTime: wallTime)
      switch layout {
      case .legacy:
        advertisement.rssi = known(bytes.signed8(at: needs - 1))
        advertisement.isScanResponse = bytes[0] == 0x04
        body(advertisement, bytes.extracting(9..<(needs - 1)))
      case .directed:
        advertisement.rssi = known(bytes.signed8(at: needs - 1))
        body(advertisement, bytes.extracting(first: 0))
      case .extended:
        advertisement.rssi = known(bytes.signed8(at: 13))
        advertisement.txPower = known(bytes.signed8(at: 12))
        advertisement.phy = PHY(rawValue: bytes[9]) ?? .le1M
        advertisement.isScanResponse = bytes[0] & 0x08 != 0
        fragments.add(
          bytes.extracting(24..<needs), status: bytes[0] >> 5 & 0x03, set: bytes[11], to: advertisement, body)
      }
      offset += needs
    }
  }

  /// nil for 127: the controller does not know.
  private func known(_ power: Int8) -> Int8? { power == 127 ? nil : power }

  /// Types 2 and 3 are identity addresses that the controller resolved. Type 0xFF, anonymous, has no address: zero.
  private func address(_ report: Span<UInt8>, at offset: Int) -> DeviceAddress {
    guard report[offset] != 0xFF else { return DeviceAddress(bits: 0, kind: .random) }
    return DeviceAddress(
      bits: report.littleEndian48(at: offset + 1), kind: report[offset] & 1 == 0 ? .public : .random)
  }
}

/// The layout of one report.
private enum Layout {
  /// Event type 1, address type 1, address 6, data length 1, data, RSSI 1.
  case legacy
  /// Event type 1, address type 1, address 6, direct address type 1, direct address 6, RSSI 1.
  case directed
  /// Event type 2, address type 1, address 6, primary PHY 1, secondary PHY 1, set id 1, tx power 1, RSSI 1,
  /// periodic interval 2, direct address type 1, direct address 6, data length 1, data.
  case extended

  var addressOffset: Int { self == .extended ? 2 : 1 }

  /// The length of the first report. Its data may be longer than the specification allows, as some controllers
  /// send.
  func length(of reports: Span<UInt8>) -> Int {
    switch self {
    case .legacy: reports.count > 8 ? 10 + Int(reports[8]) : 10
    case .directed: 16
    case .extended: reports.count > 23 ? 24 + Int(reports[23]) : 24
    }
  }
}

/// Reassembles extended advertisements that a controller delivers in fragments.
///
/// Limited to `limit` advertisements at a time, each of at most `maximumLength` bytes. The one that waited longest is
/// dropped first. The storage is kept.
public struct FragmentedAdvertisements: Sendable {
  public static let limit = 16
  /// Core Specification, Vol 6, Part B, 2.3.4.9.
  public static let maximumLength = 1650

  private struct Chain {
    var address: DeviceAddress
    var set: UInt8
    var isScanResponse: Bool
    var bytes: [UInt8]
    var isOverlong: Bool
    /// When the last fragment was added, counted in fragments.
    var age: UInt64
  }

  private var chains: [Chain] = []
  private var additions: UInt64 = 0
  /// How many were dropped: never completed, or too long.
  public private(set) var dropped: UInt64 = 0

  init() {}

  public var pending: Int { chains.count }

  /// Adds a fragment. Visits the advertisement if `status` says that it is complete (0) or that the rest was lost (2).
  mutating func add(
    _ data: Span<UInt8>, status: UInt8, set: UInt8, to advertisement: Advertisement,
    _ body: (Advertisement, Span<UInt8>) -> Void
  ) {
    let known = chains.firstIndex {
      $0.address == advertisement.address && $0.set == set
        && $0.isScanResponse == advertisement.isScanResponse
    }
    let isComplete = status != 1
    if isComplete, known == nil {
      body(advertisement, data)
      return
    }
    let index = known ?? begin(advertisement, set)
    additions += 1
    chains[index].age = additions
    if chains[index].bytes.count + data.count > Self.maximumLength { chains[index].isOverlong = true }
    if !chains[index].isOverlong {
      for offset in data.indices { chains[index].bytes.append(data[offset]) }
    }
    guard isComplete else { return }
    let chain = chains.remove(at: index)
    if chain.isOverlong {
      dropped += 1
    } else {
      body(advertisement, chain.bytes.span)
    }
  }

  private mutating func begin(_ advertisement: Advertisement, _ set: UInt8) -> Int {
    let chain = Chain(
      address: advertisement.address, set: set, isScanResponse: advertisement.isScanResponse, bytes: [],
      isOverlong: false, age: 0)
    guard chains.count == Self.limit else {
      chains.append(chain)
      return chains.count - 1
    }
    let oldest = chains.indices.min { chains[$0].age < chains[$1].age } ?? 0
    chains[oldest] = chain
    dropped += 1
    return oldest
  }
}

/// Why an HCI event, or the rest of it, was not read.
public enum HCIDecline: Error, Hashable, Sendable {
  /// Another event, which is not an error.
  case notAnAdvertisingReport(event: UInt8, subevent: UInt8?)
  /// The event, or the report at this index, is too short.
  case truncated(report: Int, needs: Int, has: Int)
  /// The event contains no report.
  case noReports
}

extension HCIDecline: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAnAdvertisingReport(let event, let subevent):
      "not an advertising report: event \(event)\(subevent.map { ", subevent \($0)" } ?? "")"
    case .truncated(let report, let needs, let has):
      "truncated: report \(report + 1) needs \(needs) bytes, has \(has)"
    case .noReports: "an advertising report event without reports"
    }
  }
}

/// The first octet of an HCI packet on a UART, and on Linux' raw sockets (Bluetooth Core Specification, volume 4, part A, 2).
package enum HCIPacketType {
  package static let command: UInt8 = 0x01
  package static let event: UInt8 = 0x04
}
