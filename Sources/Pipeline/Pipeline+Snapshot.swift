import Beacons
import Proximity
import Settings

/// The whole state, exactly: a pipeline that is read back answers every further input with the same octets.
///
/// A history for the dashboard and observations for other gateways are not part of it.
extension Pipeline {
  /// Writes the state as it is between two calls.
  public func snapshot(into writer: inout StateWriter) {
    assert(transitions.isEmpty && roomTransitions.isEmpty && nears.isEmpty)
    writer.write(configuration.fingerprint(limits))
    writer.write(receivers)
    writer.write(time)
    for count in [counts.advertisements, counts.sightings, counts.transitions, counts.retired] {
      writer.write(count)
    }
    writer.write(forgotten)
    writer.write(hasToldRefusal)
    holds.snapshot(into: &writer)
    writer.write(blind)
    writer.write(unproven)
    writer.write(unwatched)
    writer.write(UInt32(receiversKnown))
    writer.write(areRoomsGreeted)
    crowds.snapshot(into: &writer)
    roster.snapshot(into: &writer)
    engine.snapshot(into: &writer)
    unheard.snapshot(into: &writer)
    telemetry.snapshot(into: &writer)
    packets.snapshot(into: &writer)
    whereabouts.snapshot(into: &writer)
    roomPresence.snapshot(into: &writer)
    rooms?.snapshot(into: &writer)
    phones.snapshot(into: &writer)
  }

  /// Makes a new one, of the same configuration and limits, the pipeline that a snapshot was taken of. After an error it is of no
  /// use.
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "configuration"
    guard try reader.read() == configuration.fingerprint(limits) else {
      throw .configuration
    }
    reader.part = "receivers"
    let known: ReceiverTable = try reader.read()
    // Those that the configuration names come first.
    guard known.names.starts(with: receivers.names) else { throw reader.damaged }
    receivers = known
    reader.bounds = StateReader.Bounds()
    reader.bounds.receivers = receivers.names.count
    reader.bounds.zones = configuration.zones.count
    reader.bounds.rooms = configuration.rooms.count
    try restoreOwn(from: &reader)
    try roster.restore(from: &reader)
    try engine.restore(from: &reader)
    try unheard.restore(from: &reader)
    try telemetry.restore(from: &reader)
    try packets.restore(from: &reader)
    try whereabouts.restore(from: &reader)
    try roomPresence.restore(from: &reader)
    try rooms?.restore(from: &reader)
    try phones.restore(from: &reader, roster: roster, at: time)
  }

  private mutating func restoreOwn(from reader: inout StateReader) throws(StateError) {
    time = try reader.read()
    counts.advertisements = try reader.tally()
    counts.sightings = try reader.tally()
    counts.transitions = try reader.tally()
    counts.retired = try reader.tally()
    forgotten = try reader.read()
    hasToldRefusal = try reader.read()
    try holds.restore(from: &reader)
    blind = try reader.read()
    unproven = try reader.read()
    unwatched = try reader.read()
    receiversKnown = Int(try reader.read(UInt32.self))
    areRoomsGreeted = try reader.read()
    try crowds.restore(from: &reader)
  }
}
