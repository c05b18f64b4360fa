/// The decoded contents of one AD structure: a plain value of fixed size. Variable parts (BTHome's objects) stay
/// in the payload and are read from there.
public enum Frame: Hashable, Sendable {
  case iBeacon(IBeacon)
  case altBeacon(AltBeacon)
  case eddystoneUID(EddystoneUID)
  case eddystoneURL(EddystoneURL)
  case eddystoneTLM(EddystoneTLM)
  case eddystoneEncryptedTLM(EddystoneEncryptedTLM)
  case eddystoneEID(EddystoneEID)
  case bthome(BTHome)
  /// A sensor that is known by its address: a RuuviTag or another format in the registry.
  case sensor(SensorFrame)
  case exposureNotification(ExposureNotification)
  case noise(Noise)

  /// Its name in JSON and in `scan`.
  public var format: String {
    switch self {
    case .iBeacon: "ibeacon"
    case .altBeacon: "altbeacon"
    case .eddystoneUID: "eddystone-uid"
    case .eddystoneURL: "eddystone-url"
    case .eddystoneTLM, .eddystoneEncryptedTLM: "eddystone-tlm"
    case .eddystoneEID: "eddystone-eid"
    case .bthome: "bthome"
    case .sensor(let frame): frame.format.name
    case .exposureNotification: "exposure-notification"
    case .noise: "noise"
    }
  }

  /// RSSI at 1 m in dBm, if the frame has it. Also nil for 0, which uncalibrated tags send.
  public var measuredPower: Int8? {
    switch self {
    case .iBeacon(let frame): frame.measuredPower == 0 ? nil : frame.measuredPower
    case .altBeacon(let frame): frame.measuredPower == 0 ? nil : frame.measuredPower
    case .eddystoneUID(let frame): Beacons.measuredPower(fromEddystone: frame.txPower)
    case .eddystoneURL(let frame): Beacons.measuredPower(fromEddystone: frame.txPower)
    case .eddystoneEID(let frame): Beacons.measuredPower(fromEddystone: frame.txPower)
    default: nil
    }
  }

  /// Visits the readings. `data` is the data that `forEachFrame` passed with the frame.
  @inlinable public func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    switch self {
    case .eddystoneTLM(let frame): frame.forEachReading(body)
    case .bthome(let frame): frame.forEachReading(in: data, body)
    case .sensor(let frame): frame.forEachReading(in: data, body)
    case .iBeacon(let frame): if frame.mayHaveReadings { frame.forEachReading(in: data, body) }
    default: break
    }
  }
}
