import Beacons
import JSON

extension JSONMapping {
  /// Reads a message. Faulty elements are counted; the others remain valid.
  ///
  /// - Parameters:
  ///   - topic: what the topic says.
  ///   - refuse: gets each cause.
  /// - Returns: the devices, and how many elements are about none.
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

  /// nil for an element that is about no device: without a signal strength it is the gateway's own state, or what a scanner adds.
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

  /// An iBeacon that the scanner has taken apart.
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
