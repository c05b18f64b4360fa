import Beacons
import Contract
import Core
import Testing

@testable import Pipeline

@Suite struct BeaconKindTests {
  private func kinds(_ payload: String) throws -> [BeaconKind] {
    var kinds: [BeaconKind] = []
    let octets = try HexadecimalText.octets(payload)
    FrameDecoder.forEachFrame(in: octets.span) { result, _ in
      if case .frame(let frame, _) = result { kinds.append(BeaconKind(frame)) }
    }
    return kinds
  }

  /// A new format needs nothing but its own file.
  @Test func `every sensor's format is a kind with a model, that Home Assistant shows`() throws {
    for format in FormatRegistry.sensors.all + FormatRegistry.sensorsBySender {
      let make = DeviceMake(manufacturer: format.maker, model: format.model)
      #expect(try Set(kinds(format.sample).map(\.make)) == [make])
      #expect(BeaconKind.makes.contains(make))
    }
    #expect(BeaconKind.makes.contains(DeviceMake(manufacturer: "Ruuvi Innovations", model: "Ruuvi Air")))
  }

  @Test func `a state says kinds by name, so that another version reads what it knows of them`() throws {
    var known = BeaconKinds()
    for (place, sample) in FormatRegistry.samples.enumerated() {
      for kind in try kinds(sample.payload) { known.note(kind, of: BeaconIndex(rawValue: Int32(place))) }
    }
    var writer = StateCoder()
    known.snapshot(into: &writer)
    var restored = BeaconKinds()
    var reader = try StateCoder(reading: writer.finished())
    reader.bounds.beacons = FormatRegistry.samples.count
    try restored.restore(from: &reader)
    for place in FormatRegistry.samples.indices {
      let beacon = BeaconIndex(rawValue: Int32(place))
      #expect(restored.kind(of: beacon).make == known.kind(of: beacon).make)
    }

    var other = StateCoder()
    other.write(["", "A newer one", "RuuviTag", "iBeacon"])
    other.write([1, 2, 3] as [UInt16])
    other.write([] as [BeaconIndex])
    var mixed = BeaconKinds()
    reader = try StateCoder(reading: other.finished())
    try mixed.restore(from: &reader)
    let models = (0..<3).map { mixed.kind(of: BeaconIndex(rawValue: $0)).make?.model }
    #expect(models == [nil, "RuuviTag", "iBeacon"])
  }
}
