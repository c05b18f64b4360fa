/// One report of one radio. The payload bytes are in the `AdvertisementBatch`, so that
/// this stays a plain value of fixed size.
public struct Advertisement: Sendable {
  /// Which radio heard it.
  public var receiver: ReceiverIndex
  /// The sender's address as received.
  public var address: DeviceAddress
  /// Received signal strength in dBm; nil if the controller reports "unknown" (127).
  public var rssi: Int8?
  /// Transmit power in dBm from the header of an extended report; nil if absent (127).
  public var txPower: Int8?
  public var phy: PHY
  public var isScanResponse: Bool
  /// When it was heard, on the clock used for decisions.
  public var time: MonotonicTime
  /// When it was heard, on the clock used for reports.
  public var wallTime: WallTime

  public init(
    receiver: ReceiverIndex, address: DeviceAddress, rssi: Int8?, txPower: Int8? = nil, phy: PHY = .le1M,
    isScanResponse: Bool = false, time: MonotonicTime, wallTime: WallTime
  ) {
    self.receiver = receiver
    self.address = address
    self.rssi = rssi
    self.txPower = txPower
    self.phy = phy
    self.isScanResponse = isScanResponse
    self.time = time
    self.wallTime = wallTime
  }
}

/// The primary physical layer (Core Specification, Vol 4, Part E, 7.7.65.13).
public enum PHY: UInt8, Sendable {
  case le1M = 1
  case le2M = 2
  case leCoded = 3
}

/// A receiver's index in the `ReceiverTable`; small, to keep advertisements small.
public struct ReceiverIndex: Hashable, Comparable, Sendable, Codable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The names of all receivers that reported, in the order of their first report. The size is limited, in case a recording
/// or a remote scanner invents names.
public struct ReceiverTable: Sendable {
  public static let limit = 4096

  public private(set) var names: [String] = []
  private var indicesByName: [String: ReceiverIndex] = [:]

  public init() {}

  /// The index of a new or known name; nil if `limit` names are in use.
  public mutating func index(of name: String) -> ReceiverIndex? {
    if let known = indicesByName[name] { return known }
    guard names.count < Self.limit else { return nil }
    let index = ReceiverIndex(rawValue: UInt16(names.count))
    names.append(name)
    indicesByName[name] = index
    return index
  }

  /// All indices in use, in order.
  public var indices: [ReceiverIndex] { names.indices.map { ReceiverIndex(rawValue: UInt16($0)) } }

  /// The name for an index of this table.
  public func name(of index: ReceiverIndex) -> String { names[Int(index.rawValue)] }
}
