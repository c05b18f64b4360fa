import Beacons
import SettingsFile

/// The line for `beacons:` that configures a device, ready to paste.
public struct BeaconSuggestion: CustomStringConvertible {
  private let device: AirSurvey.Device

  /// nil for a device that cannot be configured by its payload, such as a phone with a changing address.
  public init?(_ device: AirSurvey.Device) {
    guard device.frame?.tellsIdentity == true else { return nil }
    self.device = device
  }

  public var description: String { "- { name: \(name), \(pattern.yaml) }" }

  /// The pattern that identifies it.
  public var pattern: BeaconPattern {
    switch device.frame {
    case .iBeacon(let frame): .iBeacon(uuid: frame.uuid, major: frame.major, minor: frame.minor)
    case .altBeacon(let frame): .altBeacon(idPrefix: Self.octets(frame))
    case .eddystoneUID(let frame): .eddystoneUID(namespace: frame.namespace, instance: frame.instance)
    default: .address(device.address.bits)
    }
  }

  /// Whether only its address identifies it.
  var isByAddress: Bool { if case .address = pattern { true } else { false } }

  private static func octets(_ frame: AltBeacon) -> [UInt8] {
    stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: frame.idHigh >> UInt128($0)) }
      + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: frame.idLow >> UInt32($0)) }
  }

  /// The device's own name if YAML allows it without quotes, otherwise its format.
  public var name: String {
    let letters = (device.localName ?? "").unicodeScalars.filter {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
        || $0 == "_"
    }
    let text = String(String.UnicodeScalarView(letters))
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else {
      return (device.frame?.format ?? "beacon") + "-" + hexadecimal(UInt128(device.address.bits), octets: 2)
    }
    return String(text.prefix(Self.longestName))
  }

  /// A name in an extended advertisement may be longer than a name in the configuration.
  private static let longestName = 60
}
