import JSON

/// Where a message has the facts about a device. A path names members from outside to inside, with dots between them. It is
/// looked up in the array's element first, then in the whole message, so that what all elements share need not be repeated in
/// each.
public struct JSONMapping: Hashable, Sendable {
  public enum Field: String, CaseIterable, Sendable {
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
    /// Those of an iBeacon.
    case uuid, major, minor
    /// RSSI at 1 m in dBm.
    case measuredPower = "measured_power"
    /// When the scanner heard it. It decides nothing; the same time again marks a repetition.
    case time
  }

  /// The array with one element for each device; nil: the message itself, which may be an array.
  public var each: String?
  public var fields: [Field: String]

  public init(each: String? = nil, fields: [Field: String]) {
    self.each = each
    self.fields = fields
  }

  /// Devices in one message, at most.
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
