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

  /// Adds a fragment. Visits the advertisement when `status` says that it is complete (0) or that the rest was
  /// lost (2).
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
