import Beacons
import Core

/// The paths of a device's fields in a message. A path names members from outside to inside, separated by dots. It is looked up
/// in the array's element first, then in the whole message, so that fields common to all elements need not be repeated.
package struct JSONMapping: Hashable, Sendable {
  package enum Field: String, CaseIterable, Sendable {
    case receiver, address
    /// The scanner's own name for the device.
    case id
    case rssi
    /// The whole payload (AD structures) in hexadecimal digits.
    case raw
    /// The content of one AD structure in hexadecimal digits; manufacturer data begins with the company id.
    case manufacturerData = "manufacturer_data"
    case serviceData = "service_data"
    /// The 16-bit UUID of `serviceData`.
    case serviceUUID = "service_uuid"
    /// The fields of an iBeacon.
    case uuid, major, minor
    /// RSSI at 1 m in dBm.
    case measuredPower = "measured_power"
    /// When the scanner received it. It only marks repetitions.
    case time
  }

  /// The array with one element for each device; nil: the message itself, which may be an array.
  package var each: String?
  package var fields: [Field: String]

  package init(each: String? = nil, fields: [Field: String]) {
    self.each = each
    self.fields = fields
  }

  /// The largest number of devices in one message.
  static let elementLimit = 1000

  func elements(of message: JSONTree) -> [JSONTree]? {
    guard let found = each.map({ lookUp($0, in: message) }) ?? message else { return nil }
    switch found {
    case .list(let elements): return elements
    case .object: return [found]
    default: return nil
    }
  }

  func value(_ field: Field, of element: JSONTree, in message: JSONTree) -> JSONTree? {
    guard let path = fields[field] else { return nil }
    let found = lookUp(path, in: element) ?? lookUp(path, in: message)
    return found == .null ? nil : found
  }

  func text(_ field: Field, of element: JSONTree, in message: JSONTree) -> String? {
    switch value(field, of: element, in: message) {
    case .text(let text): text.isEmpty ? nil : text
    case .number(let number) where number == number.rounded() && abs(number) < 1e15: String(Int64(number))
    default: nil
    }
  }

  /// A number, or a text that is one, as some gateways send.
  func number(_ field: Field, of element: JSONTree, in message: JSONTree) -> Double? {
    switch value(field, of: element, in: message) {
    case .number(let number): number
    case .text(let text) where text.utf8.count <= 24: Double(text)
    default: nil
    }
  }

  private func lookUp(_ path: String, in tree: JSONTree) -> JSONTree? {
    if let whole = tree[path] { return whole }
    var found: JSONTree? = tree
    for name in path.split(separator: ".") { found = found?[String(name)] }
    return path.contains(".") ? found : nil
  }
}

extension JSONMapping {
  /// Reads a message. Malformed elements are counted; the others remain valid.
  ///
  /// - Parameters:
  ///   - topic: the fields in the topic.
  ///   - refuse: is called with each cause.
  /// - Returns: the devices, and how many elements are not about a device.
  func read(
    _ payload: [UInt8], topic: [TopicPattern.Field: String], refuse: (ScannerRefusal) -> Void
  ) -> (devices: [ScannedDevice], others: Int) {
    let message: JSONTree
    do throws(JSONCursor.Malformed) { message = try JSONTree(payload) } catch {
      refuse(.malformed)
      return ([], 0)
    }
    guard let elements = elements(of: message), elements.count <= Self.elementLimit else {
      refuse(.malformed)
      return ([], 0)
    }
    var (devices, others): ([ScannedDevice], Int) = ([], 0)
    for element in elements {
      do throws(ScannerRefusal) {
        if let device = try device(element, in: message, topic: topic) {
          devices.append(device)
        } else {
          others += 1
        }
      } catch {
        refuse(error)
      }
    }
    return (devices, others)
  }

  /// nil for an element that is not about a device: without a signal strength it is the gateway's own state, or an addition of
  /// the scanner.
  private func device(
    _ element: JSONTree, in message: JSONTree, topic: [TopicPattern.Field: String]
  ) throws(ScannerRefusal) -> ScannedDevice? {
    guard let rssi = number(.rssi, of: element, in: message) else {
      if value(.rssi, of: element, in: message) != nil { throw .signal }
      return nil
    }
    var device = ScannedDevice(rssi: try ScannedValue.signal(rssi))
    device.receiver = text(.receiver, of: element, in: message) ?? topic[.receiver]
    device.id = text(.id, of: element, in: message) ?? topic[.id]
    device.time = text(.time, of: element, in: message)
    device.address =
      [text(.address, of: element, in: message), topic[.address]].lazy.compactMap(\.self)
      .compactMap(ScannedValue.address).first ?? device.id.flatMap(SpokenIdentity.address)
    device.payload = try payload(of: element, in: message, id: device.id)
    return device
  }

  private func payload(
    of element: JSONTree, in message: JSONTree, id: String?
  ) throws(ScannerRefusal) -> [UInt8] {
    if let raw = text(.raw, of: element, in: message) { return try ScannedValue.octets(raw) }
    var builder = PayloadBuilder()
    for data in texts(.manufacturerData, of: element, in: message) {
      try builder.append(ADType.manufacturerData, ScannedValue.octets(data))
    }
    let uuids = texts(.serviceUUID, of: element, in: message)
    for (data, uuid) in zip(texts(.serviceData, of: element, in: message), uuids) {
      guard let uuid = ScannedValue.shortUUID(uuid) else { continue }
      try builder.append(serviceData: ScannedValue.octets(data), of: uuid)
    }
    if !builder.octets.isEmpty { return builder.octets }
    let power = ScannedValue.measuredPower(number(.measuredPower, of: element, in: message))
    if let beacon = beacon(element, in: message, power) { return beacon.advertisingData }
    return id.flatMap { SpokenIdentity.payload($0, measuredPower: power) } ?? []
  }

  /// An iBeacon that the scanner has decoded.
  private func beacon(_ element: JSONTree, in message: JSONTree, _ power: Int8?) -> IBeacon? {
    guard let uuid = text(.uuid, of: element, in: message).flatMap({ ScannedValue.uuid($0) }),
      let major = number(.major, of: element, in: message).flatMap(UInt16.init(exactly:)),
      let minor = number(.minor, of: element, in: message).flatMap(UInt16.init(exactly:))
    else { return nil }
    return IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: power ?? -59)
  }

  /// A text, a list of texts, or the texts of members with the same name: OpenMQTTGateway repeats members.
  private func texts(_ field: Field, of element: JSONTree, in message: JSONTree) -> [String] {
    if let path = fields[field], case .object(let members) = element {
      let all = members.filter { $0.name == path }.compactMap {
        if case .text(let text) = $0.value { text } else { nil }
      }
      if all.count > 1 { return all.filter { !$0.isEmpty } }
    }
    if case .list(let values)? = value(field, of: element, in: message) {
      return values.compactMap { if case .text(let text) = $0, !text.isEmpty { text } else { nil } }
    }
    return text(field, of: element, in: message).map { [$0] } ?? []
  }
}

/// Rebuilds the payload (AD structures) from a scanner's parts, for our own decoders.
struct PayloadBuilder {
  private(set) var octets: [UInt8] = []

  /// Appends one AD structure; refuses data that does not fit.
  mutating func append(_ type: UInt8, _ data: [UInt8]) throws(ScannerRefusal) {
    guard data.count <= 254, octets.count + data.count + 2 <= FragmentedAdvertisements.maximumLength else {
      throw .payload
    }
    octets.append(UInt8(data.count + 1))
    octets.append(type)
    octets += data
  }

  /// Appends service data of a 16-bit UUID.
  mutating func append(serviceData data: [UInt8], of uuid: UInt16) throws(ScannerRefusal) {
    try append(ADType.serviceData16, [UInt8(truncatingIfNeeded: uuid), UInt8(uuid >> 8)] + data)
  }
}
