/// Chooses the decoder: one line per format. CONTRIBUTING.md shows how to add one.
enum FormatRegistry {
  /// Manufacturer data, by company id (Bluetooth Assigned Numbers, 7.1) and the first two octets.
  @inline(__always) static func manufacturer(_ company: UInt16, _ data: Span<UInt8>) throws(Decline) -> Frame
  {
    let first: UInt8 = data.count > 0 ? data[0] : 0
    let second: UInt8 = data.count > 1 ? data[1] : 0
    switch (company, first, second) {
    case (0x004C, 0x02, _): return .iBeacon(try IBeacon.decode(data))
    case (0x004C, _, _): return .noise(try AppleContinuity.decode(data))
    case (0x0499, 0x03, _): return .sensor(try SensorFrame(Ruuvi3.self, data))
    case (0x0499, 0x05, _): return .sensor(try SensorFrame(Ruuvi5.self, data))
    case (0x0499, 0x06, _): return .sensor(try SensorFrame(Ruuvi6.self, data))
    case (0x0499, 0xE1, _): return .sensor(try SensorFrame(RuuviE1.self, data))
    case (0x0499, _, _): throw .unknownFrameType(first)
    case (_, 0xBE, 0xAC): return .altBeacon(try AltBeacon.decode(data, manufacturer: company))
    case (0x0006, _, _): return .noise(try MicrosoftBeacon.decode(data))
    case (0x00E0, _, _): return .noise(.googleOther)
    default: throw .noDecoder
    }
  }

  /// Service data, by 16-bit UUID (Bluetooth Assigned Numbers, 3.4) and the first two octets.
  @inline(__always) static func service(_ uuid: UInt16, _ data: Span<UInt8>) throws(Decline) -> Frame {
    let first: UInt8 = data.count > 0 ? data[0] : 0
    let second: UInt8 = data.count > 1 ? data[1] : 0
    switch (uuid, first, second) {
    case (0xFEAA, 0x00, _): return .eddystoneUID(try EddystoneUID.decode(data))
    case (0xFEAA, 0x10, _): return .eddystoneURL(try EddystoneURL.decode(data))
    case (0xFEAA, 0x20, 0x01): return .eddystoneEncryptedTLM(try EddystoneEncryptedTLM.decode(data))
    case (0xFEAA, 0x20, _): return .eddystoneTLM(try EddystoneTLM.decode(data))
    case (0xFEAA, 0x30, _): return .eddystoneEID(try EddystoneEID.decode(data))
    case (0xFEAA, 0x40...0x41, _): return .noise(.googleFindHub)
    case (0xFEAA, _, _): throw .unknownFrameType(first)
    case (BTHome.serviceUUID, _, _): return .bthome(try BTHome.decode(data))
    case (0x181C, _, _), (0x181E, _, _): throw .unsupportedVersion(1)  // BTHome 1
    case (0xFD6F, _, _): return .exposureNotification(try ExposureNotification.decode(data))
    case (0xFE2C, _, _): return .noise(.googleFastPair)
    case (0xFEF3, _, _): return .noise(.googleNearby)
    case (0xFE9F, _, _), (0xFCF1, _, _): return .noise(.googleOther)
    default: throw .noDecoder
    }
  }
}
