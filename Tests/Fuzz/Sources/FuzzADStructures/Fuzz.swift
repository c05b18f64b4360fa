import Beacons
import Core

/// A payload is walked to its end, in order, and never beyond.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let payload = Span(_unsafeStart: start, count: count)
  var structures = ADStructures()
  var end = 0
  while let element = structures.next(in: payload) {
    switch element {
    case .structure(_, let data):
      precondition(data.lowerBound == end + 2 && data.upperBound <= count)
      end = data.upperBound
    case .declined:
      precondition(structures.next(in: payload) == nil)
    }
  }
  let fields = AdvertisedFields(payload)
  if let name = fields.localName { precondition(name.upperBound <= count) }
  if let name = AdvertisedFields.localName(in: payload) {
    precondition(!name.unicodeScalars.contains { $0.value < 0x20 })
  }
  return 0
}
