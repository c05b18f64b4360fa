import Beacons

/// Puts together the payload (AD structures) that a scanner took apart, so that our own decoders read it.
struct PayloadBuilder {
  private(set) var octets: [UInt8] = []

  /// Appends one AD structure; refuses what fits none.
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
