import Core

/// pcapng: sections, interfaces, and enhanced, simple and obsolete packet blocks.
/// Source: draft-ietf-opsawg-pcapng.
struct PcapngBlocks: Sendable {
  /// The longest block that is read. Blocks of other kinds may be longer; they are skipped.
  static let longestBlock = 1 << 17
  /// A limit in case a hostile file declares endless interfaces.
  static let mostInterfaces = 1024

  private enum BlockType {
    static let section: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let obsoletePacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }

  private var order = ByteOrder.little
  private var interfaces: [PcapngInterface] = []

  init() {}

  /// Reads one block and returns its length, which may lie beyond `bytes` for blocks to skip; 0 if it is
  /// incomplete.
  mutating func read(
    _ bytes: Span<UInt8>, at offset: Int64, into output: inout CaptureOutput
  ) throws(CaptureError) -> Int {
    guard bytes.count >= 12 else { return 0 }
    let isSection = bytes.bigEndian32(at: 0) == BlockType.section
    if isSection { order = try byteOrder(ofSection: bytes, at: offset) }
    let type = order.integer32(bytes, at: 0)
    let length = Int(order.integer32(bytes, at: 4))
    guard length >= 12, length % 4 == 0 else {
      throw damaged(offset, "the block claims a length of \(length) bytes, which no block can have")
    }
    switch type {
    case BlockType.section, BlockType.interface, BlockType.obsoletePacket, BlockType.simplePacket,
      BlockType.enhancedPacket:
      break
    default: return length
    }
    guard length <= Self.longestBlock else {
      throw damaged(offset, "the block claims \(length) bytes, longer than a Bluetooth packet needs")
    }
    guard bytes.count >= length else { return 0 }
    guard order.integer32(bytes, at: length - 4) == UInt32(length) else {
      throw damaged(offset, "the lengths at the start and end of the block differ")
    }
    let body = bytes.extracting(8..<length - 4)
    switch type {
    case BlockType.section: interfaces.removeAll(keepingCapacity: true)
    case BlockType.interface: try addInterface(body, at: offset)
    case BlockType.simplePacket: try readSimplePacket(body, at: offset, into: &output)
    case BlockType.obsoletePacket: try readPacket(body, isObsolete: true, at: offset, into: &output)
    default: try readPacket(body, isObsolete: false, at: offset, into: &output)
    }
    return length
  }

  private func byteOrder(ofSection bytes: Span<UInt8>, at offset: Int64) throws(CaptureError) -> ByteOrder {
    switch bytes.bigEndian32(at: 8) {
    case 0x1A2B_3C4D: return .big
    case 0x4D3C_2B1A: return .little
    default: throw damaged(offset, "the section has no valid byte-order magic")
    }
  }

  private mutating func addInterface(_ body: Span<UInt8>, at offset: Int64) throws(CaptureError) {
    guard interfaces.count < Self.mostInterfaces else {
      throw damaged(offset, "more than \(Self.mostInterfaces) interfaces in one section")
    }
    guard body.count >= 8 else { throw damaged(offset, "the interface block is too short") }
    guard let interface = PcapngInterface(body, order: order) else {
      throw damaged(offset, "the interface has a timestamp resolution that cannot be used")
    }
    interfaces.append(interface)
  }

  /// Enhanced: interface (4), timestamp high and low (4 each), captured and original length (4 each), packet.
  /// Obsolete: interface (2) and drops (2) instead of the first four bytes.
  private func readPacket(
    _ body: Span<UInt8>, isObsolete: Bool, at offset: Int64, into output: inout CaptureOutput
  ) throws(CaptureError) {
    guard body.count >= 20 else { throw damaged(offset, "the packet block is too short") }
    let number = isObsolete ? Int(order.integer16(body, at: 0)) : Int(order.integer32(body, at: 0))
    let captured = Int(order.integer32(body, at: 12))
    guard captured <= body.count - 20 else {
      throw damaged(offset, "the packet claims \(captured) bytes in a block that holds \(body.count - 20)")
    }
    let ticks = UInt64(order.integer32(body, at: 4)) << 32 | UInt64(order.integer32(body, at: 8))
    let interface = try interface(number, at: offset)
    try link(of: interface, at: offset).append(
      body.extracting(20..<20 + captured), adapter: interface.adapter,
      wallTime: interface.wallTime(ofTicks: ticks), to: &output)
  }

  /// Reads a packet without timestamp; it gets the previous packet's.
  private func readSimplePacket(
    _ body: Span<UInt8>, at offset: Int64, into output: inout CaptureOutput
  ) throws(CaptureError) {
    guard body.count >= 4 else { throw damaged(offset, "the packet block is too short") }
    let interface = try interface(0, at: offset)
    var captured = min(Int(order.integer32(body, at: 0)), body.count - 4)
    if interface.snapLength > 0 { captured = min(captured, interface.snapLength) }
    try link(of: interface, at: offset).append(
      body.extracting(4..<4 + captured), adapter: interface.adapter, wallTime: output.wallTime, to: &output)
  }

  private func interface(_ number: Int, at offset: Int64) throws(CaptureError) -> PcapngInterface {
    guard number < interfaces.count else {
      throw damaged(offset, "the packet names interface \(number), which the section does not declare")
    }
    return interfaces[number]
  }

  private func link(of interface: PcapngInterface, at offset: Int64) throws(CaptureError) -> LinkLayer {
    if let link = interface.link { return link }
    return try LinkLayer(UInt32(interface.linkNumber), at: .byte(offset))
  }

  private func damaged(_ offset: Int64, _ message: String) -> CaptureError {
    CaptureError(.damaged, at: .byte(offset), "\(message); the file is damaged from here on")
  }
}
