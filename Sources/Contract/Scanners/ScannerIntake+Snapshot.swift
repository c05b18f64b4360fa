import Beacons

/// The whole state, exactly: a restored intake processes every further message in the same way.
extension ScannerIntake: StateFields {
  /// The intake of a snapshot.
  ///
  /// - Parameters:
  ///   - scanners, ownGateway: must be the same as when the snapshot was made.
  package init(_ scanners: [Scanner], ownGateway: String, snapshot coder: inout StateCoder)
    throws(StateError)
  {
    self.init(scanners, ownGateway: ownGateway, expected: [])
    try restore(from: &coder)
  }

  /// The table of receivers is part of the state, so the intake must have none before.
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(same: "scanners", Self.fingerprint(scanners, ownGateway))
    try coder(each: "figures", &figures)
    try coder(tally: "refused_observations", &refusedObservations)
    try receivers.fields(&coder, scanners: scanners.count)
    try coder("gateways", &gateways)
    try coder("repeats", &repeats)
    var notices = told.sorted { $0.lexicographicallyPrecedes($1) }
    try coder("told", &notices)
    try coder.check(gateways.count <= Self.gatewayLimit)
    if coder.isReading { told = Set(notices) }
  }

  private static func fingerprint(_ scanners: [Scanner], _ ownGateway: String) -> UInt64 {
    var coder = StateCoder()
    coder.write(ownGateway)
    for scanner in scanners {
      coder.write(scanner.kind.rawValue)
      for topic in [scanner.topic, scanner.status, scanner.telemetry] { coder.write(topic?.filter) }
      coder.write(scanner.receiver)
      coder.write(scanner.prefix)
      coder.write(scanner.aliases)
      coder.write(scanner.identities)
    }
    return coder.fingerprint
  }
}

/// The counts only.
extension HealthMessage.Scanner: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "messages", &messages)
    try coder(tally: "observations", &observations)
    try coder(tally: "retained", &retained)
    try coder(tally: "without_signal", &withoutSignal)
    try coder("refused", &refused)
    try coder.check(refused.values.allSatisfy { $0 < 1 << 62 })
  }
}
