import JSON
import Beacons
import Messages

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
        "altbeacon: { id: \(hexadecimal(frame.idHigh, octets: 16))\(hexadecimal(UInt128(frame.idLow), octets: 4)) }"
    case .eddystoneUID(let frame):
      return "eddystone: { namespace: \(hexadecimal(frame.namespace, octets: 10)), "
        + "instance: \(hexadecimal(UInt128(frame.instance), octets: 6)) }"
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
      return (device.frame?.format ?? "beacon") + "-" + hexadecimal(UInt128(device.address.bits), octets: 2)
    }
    return text
  }
}
