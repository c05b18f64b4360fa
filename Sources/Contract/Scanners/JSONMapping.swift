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

  /// How a number is written, if its text alone does not show it.
  package struct NumberForm: Hashable, Sendable {
    /// 10 or 16; nil: not stated.
    package var base: Int?
    /// Whether a measured power applies to 0 m, as in Eddystone.
    package var isAtZero = false

    package init(base: Int? = nil, isAtZero: Bool = false) {
      self.base = base
      self.isAtZero = isAtZero
    }
  }

  /// Stands for the name of the device's own member: `{"c1:00:…": {"rssi": -60}}`.
  package static let memberName = "{name}"

  /// The array with one element for each device, or the object with one member for each, if a field is `memberName`; nil: the
  /// message itself, which may be an array.
  package var each: String?
  package var fields: [Field: String]
  package var forms: [Field: NumberForm]

  package init(each: String? = nil, fields: [Field: String], forms: [Field: NumberForm] = [:]) {
    self.each = each
    self.fields = fields
    self.forms = forms
  }

  /// The largest number of devices in one message.
  static let elementLimit = 1000

  /// A message, or the part of it that is about one device.
  private struct Element {
    var name: String?
    var tree: JSONTree
  }

  /// nil: the message is of another kind.
  private func elements(of message: JSONTree) throws(ScannerRefusal) -> [Element]? {
    switch message {
    case .list, .object: break
    default: throw .malformed
    }
    guard let found = each.map({ lookUp($0, in: message) }) ?? message else { return nil }
    switch found {
    case .list(let elements): return elements.map { Element(tree: $0) }
    case .object(let members):
      guard fields.values.contains(Self.memberName) else { return [Element(tree: found)] }
      return members.map { Element(name: $0.name, tree: $0.value) }
    default: return nil
    }
  }

  private func value(_ field: Field, of element: Element, in message: JSONTree) -> JSONTree? {
    guard let path = fields[field] else { return nil }
    if path == Self.memberName { return element.name.map(JSONTree.text) }
    // A field that is common to all devices stands beside them in the message.
    let found = lookUp(path, in: element.tree) ?? lookUp(path, in: message)
    return found == .null ? nil : found
  }

  private func text(_ field: Field, of element: Element, in message: JSONTree) -> String? {
    switch value(field, of: element, in: message) {
    case .text(let text): text.isEmpty ? nil : text
    case .number(let number) where number == number.rounded() && abs(number) < 1e15: String(Int64(number))
    default: nil
    }
  }

  /// A number. Some gateways send it as a text. nil: there is none.
  private func number(
    _ field: Field, of element: Element, in message: JSONTree
  ) throws(UnreadableField) -> Double? {
    switch value(field, of: element, in: message) {
    case nil: return nil
    case .text("") where field != .rssi: return nil
    case .number(let number): return number
    case .text(let text):
      let form = forms[field] ?? NumberForm()
      if let number = form.number(text, isSignal: field == .rssi || field == .measuredPower) { return number }
      throw UnreadableField(field: field, value: text, isOfBase: form.base == nil && form.isHexadecimal(text))
    default: throw UnreadableField(field: field, value: "no number")
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
  ///   - refuse: is called with each cause, and with what was wrong, if that is known.
  /// - Returns: the devices, and how many elements are not about a device.
  func read(
    _ payload: [UInt8], topic: [TopicPattern.Field: String],
    refuse: (ScannerRefusal, UnreadableField?) -> Void
  ) -> (devices: [ScannedDevice], others: Int) {
    let message: JSONTree
    do throws(JSONCursor.Malformed) { message = try JSONTree(payload) } catch {
      refuse(.malformed, nil)
      return ([], 0)
    }
    let elements: [Element]
    do throws(ScannerRefusal) {
      guard let found = try self.elements(of: message) else { return ([], 1) }
      guard found.count <= Self.elementLimit else { throw .malformed }
      elements = found
    } catch {
      refuse(error, nil)
      return ([], 0)
    }
    var (devices, others): ([ScannedDevice], Int) = ([], 0)
    for element in elements {
      do throws(ScannerRefusal) {
        if let device = try device(element, in: message, topic: topic, refuse: refuse) {
          devices.append(device)
        } else {
          others += 1
        }
      } catch {
        refuse(error, nil)
      }
    }
    return (devices, others)
  }

  /// nil for an element that is not about a device: without a signal strength it is the gateway's own state, or an addition of
  /// the scanner. A device whose identity cannot be read is nil, too, after `refuse`.
  private func device(
    _ element: Element, in message: JSONTree, topic: [TopicPattern.Field: String],
    refuse: (ScannerRefusal, UnreadableField?) -> Void
  ) throws(ScannerRefusal) -> ScannedDevice? {
    let rssi: Double?
    do throws(UnreadableField) { rssi = try number(.rssi, of: element, in: message) } catch { throw .signal }
    guard let rssi else { return nil }
    var device = ScannedDevice(rssi: try ScannedValue.signal(rssi))
    device.receiver = text(.receiver, of: element, in: message) ?? topic[.receiver]
    device.id = text(.id, of: element, in: message) ?? topic[.id]
    device.time = text(.time, of: element, in: message)
    device.address =
      [text(.address, of: element, in: message), topic[.address]].lazy.compactMap(\.self)
      .compactMap(ScannedValue.address).first ?? device.id.flatMap(SpokenIdentity.address)
    device.payload = try payload(of: element, in: message, id: device.id) { unreadable in
      refuse(.field, unreadable)
      device.isUnreadable = true
    }
    if device.address == nil, device.id == nil, device.payload.isEmpty, !device.isUnreadable,
      let stated = text(.address, of: element, in: message)
    {
      refuse(.field, UnreadableField(field: .address, value: stated))
      device.isUnreadable = true
    }
    return device
  }

  /// - Parameter unreadable: is called with each field whose value cannot be read.
  private func payload(
    of element: Element, in message: JSONTree, id: String?, unreadable: (UnreadableField) -> Void
  ) throws(ScannerRefusal) -> [UInt8] {
    if let raw = try octets(.raw, of: element, in: message).first { return raw }
    var builder = PayloadBuilder()
    for data in try octets(.manufacturerData, of: element, in: message) {
      try builder.append(ADType.manufacturerData, data)
    }
    let uuids = texts(.serviceUUID, of: element, in: message)
    for (data, text) in zip(try octets(.serviceData, of: element, in: message), uuids) {
      if let uuid = ScannedValue.shortUUID(text) {
        try builder.append(serviceData: data, of: uuid)
      } else if ScannedValue.uuid(text) == nil {
        unreadable(UnreadableField(field: .serviceUUID, value: text))
      }
    }
    if !builder.octets.isEmpty { return builder.octets }
    var power: Int8?
    do throws(UnreadableField) {
      power = try measuredPower(of: element, in: message)
    } catch {
      unreadable(error)
    }
    do throws(UnreadableField) {
      if let beacon = try beacon(element, in: message, power) { return beacon.advertisingData }
    } catch {
      unreadable(error)
    }
    return id.flatMap { SpokenIdentity.payload($0, measuredPower: power) } ?? []
  }

  private func measuredPower(of element: Element, in message: JSONTree) throws(UnreadableField) -> Int8? {
    guard let number = try number(.measuredPower, of: element, in: message) else { return nil }
    let isAtZero = forms[.measuredPower]?.isAtZero == true
    do throws(ScannerRefusal) {
      return try ScannedValue.signal(number).map {
        isAtZero ? Beacons.measuredPower(fromEddystone: $0) : $0
      }
    } catch {
      // Scanners send 0 if they know no measured power.
      if error == .absent { return nil }
      throw UnreadableField(field: .measuredPower, value: "\(number)")
    }
  }

  /// An iBeacon that the scanner has decoded.
  private func beacon(
    _ element: Element, in message: JSONTree, _ power: Int8?
  ) throws(UnreadableField) -> IBeacon? {
    guard let text = text(.uuid, of: element, in: message) else { return nil }
    guard let uuid = ScannedValue.uuid(text) else { throw UnreadableField(field: .uuid, value: text) }
    guard let major = try number16(.major, of: element, in: message),
      let minor = try number16(.minor, of: element, in: message)
    else { return nil }
    return IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: power ?? -59)
  }

  private func number16(
    _ field: Field, of element: Element, in message: JSONTree
  ) throws(UnreadableField) -> UInt16? {
    guard let number = try number(field, of: element, in: message) else { return nil }
    guard let whole = UInt16(exactly: number) else { throw UnreadableField(field: field, value: "\(number)") }
    return whole
  }

  /// Octets as hexadecimal digits or as a list of numbers. A field may have several of these.
  private func octets(
    _ field: Field, of element: Element, in message: JSONTree
  ) throws(ScannerRefusal) -> [[UInt8]] {
    if case .list(let values)? = value(field, of: element, in: message) {
      if case .number? = values.first { return [try ScannedValue.octets(values)] }
      if case .list? = values.first {
        var all: [[UInt8]] = []
        for case .list(let numbers) in values { all.append(try ScannedValue.octets(numbers)) }
        return all
      }
    }
    var all: [[UInt8]] = []
    for text in texts(field, of: element, in: message) { all.append(try ScannedValue.octets(text)) }
    return all
  }

  /// A text, a list of texts, or the texts of members with the same name: OpenMQTTGateway repeats members.
  private func texts(_ field: Field, of element: Element, in message: JSONTree) -> [String] {
    if let path = fields[field], case .object(let members) = element.tree {
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

extension JSONMapping.NumberForm {
  /// Reads a text as a number; nil: it is not one, or its base must be stated.
  ///
  /// - Parameter isSignal: hexadecimal digits stand for one octet with a sign.
  func number(_ text: String, isSignal: Bool) -> Double? {
    guard text.utf8.count <= 24 else { return nil }
    let isPrefixed = text.hasPrefix("0x") || text.hasPrefix("0X")
    if base == 16 || base == nil && isPrefixed {
      let digits = isPrefixed ? text.dropFirst(2) : text[...]
      guard let number = UInt16(digits, radix: 16), !digits.hasPrefix("+") else { return nil }
      if !isSignal { return Double(number) }
      return UInt8(exactly: number).map { Double(Int8(bitPattern: $0)) }
    }
    let decimal: Set<UInt8> = Set("+-.0123456789".utf8)
    guard text.utf8.allSatisfy(decimal.contains), base == 10 || !isHexadecimal(text) else { return nil }
    return Double(text)
  }

  /// Whether a text may be hexadecimal: digits with letters, or padded with zeros.
  func isHexadecimal(_ text: String) -> Bool {
    let digits = text.utf8
    guard digits.count > 1, digits.allSatisfy({ hexadecimalDigit($0) != nil }) else { return false }
    return digits.first == UInt8(ascii: "0")
      || !digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

/// A field of a message whose value cannot be read.
struct UnreadableField: Error {
  var field: JSONMapping.Field
  var value: String
  /// Whether the value looks like a number in hexadecimal digits.
  var isOfBase = false

  /// For the log.
  var words: String {
    let name = field.rawValue
    let hint =
      isOfBase
      ? "; write its base, \(name): { path: …, base: 16 }, or base: 10 if these are decimal digits" : ""
    return "the first: \(name) is “\(String(value.prefix(40)).printable)”\(hint)"
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
