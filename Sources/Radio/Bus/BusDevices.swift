import Beacons
import Core

/// Rebuilds advertisements from bluetoothd's properties of devices. bluetoothd sends only changes, so the rest is cached; and
/// it sends fields, so the payload is rebuilt. Much is lost, so this is a last resort.
struct BusDevices {
  /// The largest number of devices; a further one replaces another.
  static let limit = 1024
  /// The longest rebuilt payload: the longest advertisement.
  private static let payloadLimit = 1650

  struct Heard: Equatable {
    var adapter: UInt16
    var address: DeviceAddress
    var rssi: Int8?
    var payload: [UInt8]
  }

  private struct Device {
    var address: DeviceAddress
    var rssi: Int8?
    var manufacturerData: [UInt8] = []
    var serviceData: [UInt8] = []
  }

  /// By object path.
  private var devices: [String: Device] = [:]

  /// The advertisement that a signal from bluetoothd describes.
  mutating func take(_ message: BusMessage) -> Heard? {
    switch message.member {
    case "PropertiesChanged":
      guard message.values.count >= 2, message.values[0].text == "org.bluez.Device1", let path = message.path,
        let properties = message.values[1].map
      else { return nil }
      return change(path, properties)
    case "InterfacesAdded":
      guard message.values.count == 2, let path = message.values[0].text,
        let properties = message.values[1].map?["org.bluez.Device1"]?.map
      else { return nil }
      return change(path, properties)
    case "InterfacesRemoved":
      if let path = message.values.first?.text { devices[path] = nil }
      return nil
    default: return nil
    }
  }

  private mutating func change(_ path: String, _ properties: [String: BusValue]) -> Heard? {
    // /org/bluez/hci0/dev_C1_00_00_00_00_01
    let parts = path.split(separator: "/")
    guard parts.count == 4, let adapter = BlueZ.adapter("/" + parts[..<3].joined(separator: "/")) else {
      return nil
    }
    let written = parts[3].dropFirst(4).split(separator: "_").joined(separator: ":")
    let isPublic = properties["AddressType"]?.text.map { $0 == "public" }
    guard
      var device = devices[path]
        ?? DeviceAddress(written, kind: isPublic == true ? .public : .random).map({ Device(address: $0) })
    else { return nil }
    if let isPublic {
      device.address = DeviceAddress(bits: device.address.bits, kind: isPublic ? .public : .random)
    }
    var isHeard = false
    if let rssi = properties["RSSI"]?.number {
      device.rssi = Int8(clamping: rssi)
      isHeard = true
    }
    if let data = properties["ManufacturerData"]?.map {
      device.manufacturerData = Self.structures(0xFF, data) { UInt16($0) }
      isHeard = true
    }
    if let data = properties["ServiceData"]?.map {
      device.serviceData = Self.structures(0x16, data, Self.shortUUID)
      isHeard = true
    }
    if devices[path] == nil, devices.count >= Self.limit, let any = devices.keys.first { devices[any] = nil }
    devices[path] = device
    guard isHeard else { return nil }
    let payload = (device.manufacturerData + device.serviceData).prefix(Self.payloadLimit)
    return Heard(adapter: adapter, address: device.address, rssi: device.rssi, payload: Array(payload))
  }

  /// AD structures: length, type, number, data. Invalid ones are skipped.
  private static func structures(
    _ type: UInt8, _ data: [String: BusValue], _ number: (String) -> UInt16?
  ) -> [UInt8] {
    data.sorted { $0.key < $1.key }.flatMap { key, value -> [UInt8] in
      guard let number = number(key), let data = value.bytes, data.count <= 252 else { return [] }
      var bytes = [UInt8(data.count + 3), type]
      bytes.append(littleEndian: number)
      return bytes + data
    }
  }

  /// The 16 bits of a UUID of the Bluetooth SIG.
  private static func shortUUID(_ text: String) -> UInt16? {
    guard text.count == 36, text.hasPrefix("0000"),
      text.lowercased().hasSuffix("-0000-1000-8000-00805f9b34fb")
    else { return nil }
    return UInt16(text.dropFirst(4).prefix(4), radix: 16)
  }
}
