import Beacons
import Core

/// Finds the sender by its local name, or by a service that it offers. Any device can send the same, so this is for tags without
/// a beacon's format.
///
/// Many tags send their name only in every other advertisement, or in answer to an active scan. So the address that sent it is
/// remembered.
struct SenderContents: Sendable {
  /// Each tag of a site keeps its address for a while, but a hostile radio may use a new one each time.
  private static let addressLimit = 1024

  private var names: [(octets: [UInt8], entry: BeaconEntryIndex)] = []
  /// As they are in a payload: two octets or sixteen, the lowest first.
  private var services: [(octets: [UInt8], entry: BeaconEntryIndex)] = []
  /// How long an address is remembered after it sent the name.
  private static let memory = TimeSpan.seconds(600)
  /// By the bits of their address.
  private var senders: [UInt64: (entry: BeaconEntryIndex, said: MonotonicTime)] = [:]

  /// nil: no entry needs it.
  init?(_ entries: [BeaconEntry]) {
    for (position, entry) in entries.enumerated() {
      let index = BeaconEntryIndex(rawValue: Int32(clamping: position))
      switch entry.pattern {
      case .localName(let name): names.append((Array(name.utf8), index))
      case .service(let octets): services.append((octets, index))
      default: break
      }
    }
    if names.isEmpty, services.isEmpty { return nil }
  }

  mutating func entry(
    of address: DeviceAddress, _ payload: Span<UInt8>, at time: MonotonicTime
  ) -> BeaconEntryIndex? {
    guard let found = entry(in: payload) else {
      guard let known = senders[address.bits], time - known.said <= Self.memory else { return nil }
      return known.entry
    }
    if address.bits != 0 {
      if senders[address.bits] == nil, senders.count >= Self.addressLimit {
        senders.removeAll(keepingCapacity: true)
      }
      senders[address.bits] = (found, time)
    }
    return found
  }

  private func entry(in payload: Span<UInt8>) -> BeaconEntryIndex? {
    var structures = ADStructures()
    while case .structure(let type, let data)? = structures.next(in: payload) {
      switch type {
      case ADType.completeLocalName, ADType.shortenedLocalName:
        for name in names where Self.isEqual(name.octets, payload, data) { return name.entry }
      case ADType.incompleteServices16, ADType.completeServices16, ADType.serviceData16:
        if let entry = service(of: 2, payload, data, isList: type != ADType.serviceData16) { return entry }
      case ADType.incompleteServices128, ADType.completeServices128, ADType.serviceData128:
        if let entry = service(of: 16, payload, data, isList: type != ADType.serviceData128) { return entry }
      default: break
      }
    }
    return nil
  }

  private func service(
    of length: Int, _ payload: Span<UInt8>, _ data: Range<Int>, isList: Bool
  ) -> BeaconEntryIndex? {
    var start = data.lowerBound
    while start + length <= data.upperBound {
      for service in services where Self.isEqual(service.octets, payload, start..<(start + length)) {
        return service.entry
      }
      guard isList else { return nil }
      start += length
    }
    return nil
  }

  private static func isEqual(_ octets: [UInt8], _ payload: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard octets.count == range.count else { return false }
    for place in octets.indices where octets[place] != payload[range.lowerBound + place] { return false }
    return true
  }
}
