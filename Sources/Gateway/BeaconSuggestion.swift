import Beacons

/// The line for `beacons:` that makes a device known, ready to paste.
public struct BeaconSuggestion: CustomStringConvertible {
  private let device: AirSurvey.Device

  /// nil for a device that cannot be configured by what it sends: a phone's passing address, say.
  public init?(_ device: AirSurvey.Device) {
    guard device.frame?.tellsIdentity == true else { return nil }
    self.device = device
  }

  public var description: String { "- { name: \(name), \(pattern) }" }

  /// What recognises it.
  var pattern: String {
    switch device.frame {
    case .iBeacon(let frame):
      return "ibeacon: { uuid: \(uuidText(frame.uuid)), major: \(frame.major), minor: \(frame.minor) }"
    case .altBeacon(let frame):
      return
        "altbeacon: { id: \(hexadecimal(frame.idHigh, digits: 32))\(hexadecimal(frame.idLow, digits: 8)) }"
    case .eddystoneUID(let frame):
      return "eddystone: { namespace: \(hexadecimal(frame.namespace, digits: 20)), "
        + "instance: \(hexadecimal(frame.instance, digits: 12)) }"
    default: return "address: \"\(device.address)\""
    }
  }

  /// The device's own name as far as YAML takes it bare, else its format.
  private var name: String {
    let letters = (device.localName ?? "").unicodeScalars.filter {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
        || $0 == "_"
    }
    let text = String(String.UnicodeScalarView(letters))
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else {
      return (device.frame?.format ?? "beacon") + "-" + hexadecimal(device.address.bits & 0xFFFF, digits: 4)
    }
    return text
  }
}

/// As people write it: 8-4-4-4-12, upper case.
func uuidText(_ uuid: UInt128) -> String {
  var text = hexadecimal(uuid, digits: 32).uppercased()
  for offset in [20, 16, 12, 8] {
    text.insert("-", at: text.utf8.index(text.startIndex, offsetBy: offset))
  }
  return text
}

/// Lower case, padded with zeros.
func hexadecimal(_ number: some BinaryInteger, digits: Int) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
