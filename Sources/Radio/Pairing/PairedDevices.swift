import Beacons
import Core
import FoundationEssentials

/// A device that is paired with this machine, from bluetoothd's store.
package struct PairedDevice: Equatable, Sendable {
  package var address: String
  package var name: String?
  /// Its identity resolving key, the most significant octet first.
  package var key: [UInt8]

  /// bluetoothd's folder; only root may read it.
  package static let store = "/var/lib/bluetooth"
  /// The largest size of a file in bytes.
  private static let limit = 1 << 16

  /// The devices that have a key, of all adapters.
  package static func read(_ store: String = Self.store) throws -> [PairedDevice] {
    let files = FileManager.default
    // bluetoothd has never run here.
    guard files.fileExists(atPath: store) else { return [] }
    var devices: [PairedDevice] = []
    for adapter in try files.contentsOfDirectory(atPath: store).sorted() where isAddress(adapter) {
      let folder = "\(store)/\(adapter)"
      for device in try files.contentsOfDirectory(atPath: folder).sorted() where isAddress(device) {
        guard let data = files.contents(atPath: "\(folder)/\(device)/info"), data.count <= limit else {
          continue
        }
        if let device = PairedDevice(address: device, info: String(decoding: data, as: UTF8.self)) {
          devices.append(device)
        }
      }
    }
    return devices
  }

  /// nil: it has no key.
  init?(address: String, info: String) {
    var section = ""
    var name: String?
    var key: [UInt8]?
    for line in info.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") {
        section = String(line)
      } else if section == "[General]", line.hasPrefix("Name=") {
        name = String(line.dropFirst(5))
      } else if section == "[IdentityResolvingKey]", line.hasPrefix("Key=") {
        key = octets(hexadecimal: line.dropFirst(4))
      }
    }
    guard let key, key.count == 16 else { return nil }
    // bluetoothd writes the least significant octet first.
    (self.address, self.name, self.key) = (address, name, key.reversed())
  }

  private static func isAddress(_ text: String) -> Bool { DeviceAddress(text, kind: .public) != nil }
}
