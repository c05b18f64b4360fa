@_spi(_Unicode) import Swift

extension String {
  /// Unicode's normal form C: `é` is one scalar, and not an `e` with an accent after it. Equal strings then have equal octets.
  package var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }
}
