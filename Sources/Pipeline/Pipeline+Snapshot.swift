import Beacons
import Proximity
import Settings

/// The whole state, exactly, between two calls. A new pipeline of the same configuration and limits that reads it
/// produces the same octets for every further input.
///
/// The dashboard's history and the observations for other gateways are not included.
extension Pipeline: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    assert(transitions.isEmpty && roomTransitions.isEmpty && nears.isEmpty)
    try coder(same: "configuration", configuration.fingerprint(limits))
    let named = receivers.names
    try coder("receivers", &receivers)
    // The receivers that the configuration names come first.
    try coder.check(receivers.names.starts(with: named))
    coder.bounds = StateCoder.Bounds()
    coder.bounds.receivers = receivers.names.count
    coder.bounds.zones = configuration.zones.count
    coder.bounds.rooms = configuration.rooms.count
    try coder("time", &time)
    try coder("counts", &counts)
    try coder("forgotten", &forgotten)
    try coder("has_told_refusal", &hasToldRefusal)
    try coder("holds", &holds)
    try coder("sight", &sight)
    if coder.isReading { showSight(at: time) }
    try coder("crowds", &crowds)
    try coder("roster", &roster)
    try coder("engine", &engine)
    try coder("unheard", &unheard)
    try coder("telemetry", &telemetry)
    try coder("packets", &packets)
    try coder("whereabouts", &whereabouts)
    try coder("room_presence", &roomPresence)
    if rooms != nil { try coder("rooms", &rooms!) }
    try phones.fields(&coder, roster: roster, at: time)
  }
}

extension Pipeline.Counts: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "advertisements", &advertisements)
    try coder(tally: "sightings", &sightings)
    try coder(tally: "transitions", &transitions)
    try coder(tally: "retired", &retired)
  }
}
