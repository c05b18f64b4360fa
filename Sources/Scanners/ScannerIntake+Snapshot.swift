import Beacons
import Messages

/// The whole state, exactly: an intake that is read back takes every further message as this one would.
extension ScannerIntake {
  public func snapshot(into writer: inout StateWriter) {
    writer.write(Self.fingerprint(scanners, ownGateway))
    for figure in figures {
      for count in [figure.messages, figure.observations, figure.retained, figure.withoutSignal] {
        writer.write(count)
      }
      writer.write(figure.refused)
    }
    writer.write(refusedObservations)
    receivers.snapshot(into: &writer)
    writer.write(gateways)
    repeats.snapshot(into: &writer)
    writer.write(told.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// The intake that a snapshot was taken of.
  ///
  /// - Parameters:
  ///   - scanners, ownGateway: as they were; others are refused.
  public init(_ scanners: [Scanner], ownGateway: String, snapshot reader: inout StateReader)
    throws(StateError)
  {
    reader.part = "scanners"
    guard try reader.read() == Self.fingerprint(scanners, ownGateway) else { throw .configuration }
    self.init(scanners, ownGateway: ownGateway, expected: [])
    for place in figures.indices {
      figures[place].messages = try reader.tally()
      figures[place].observations = try reader.tally()
      figures[place].retained = try reader.tally()
      figures[place].withoutSignal = try reader.tally()
      figures[place].refused = try reader.read()
      guard figures[place].refused.values.allSatisfy({ $0 < 1 << 62 }) else { throw reader.damaged }
    }
    refusedObservations = try reader.tally()
    try receivers.restore(scanners: scanners.count, from: &reader)
    reader.part = "gateways"
    gateways = try reader.read()
    guard gateways.count <= Self.gatewayLimit else { throw reader.damaged }
    try repeats.restore(from: &reader)
    reader.part = "notices"
    told = Set(try reader.read([[String]].self))
  }

  private static func fingerprint(_ scanners: [Scanner], _ ownGateway: String) -> UInt64 {
    var writer = StateWriter()
    writer.write(ownGateway)
    for scanner in scanners {
      writer.write(scanner.kind.rawValue)
      for topic in [scanner.topic, scanner.status, scanner.telemetry] { writer.write(topic?.filter) }
      writer.write(scanner.receiver)
      writer.write(scanner.prefix)
      writer.write(scanner.aliases)
      writer.write(scanner.identities)
    }
    return writer.fingerprint
  }
}
