import Beacons
import GatewayConfiguration
import Proximity

extension Pipeline {
  /// The pipeline that another configuration makes, with all that still holds: receivers, sequence numbers, and
  /// what is known of each beacon that both know. Who is inside a zone stays inside if the zone's rules are the same;
  /// a zone that changed starts empty; a phone
  /// goes on if it is defined as it was. The gateway keeps its name, and what it
  /// broadcasts, until it is restarted.
  public func reconfigured(_ new: Configuration) -> Pipeline {
    var new = new
    new.gatewayName = configuration.gatewayName
    new.wake = configuration.wake
    var next = Pipeline(new, epoch: epoch, lastSequence: sequence, receivers: receivers)
    next.counts = counts
    let zones = configuration.zones.map { zone in
      new.zones.firstIndex(of: zone).map { ZoneIndex(rawValue: Int32($0)) }
    }
    // Nobody is known yet, so this decides nothing.
    var none: [Transition] = []
    for receiver in receivers.indices where engine.isKnown(receiver) {
      next.engine.setBlind(receiver, blind.contains(receiver), at: time, into: &none)
    }
    next.blind = blind
    next.unproven = unproven
    next.time = time
    next.phones.adopt(phones, at: time)
    for (position, index) in next.roster.adopt(roster).enumerated() {
      let known = BeaconIndex(rawValue: Int32(position))
      guard let index, var state = engine.state(of: known) else { continue }
      next.telemetry.adopt(known, of: telemetry, as: index)
      next.engine.admit(index, zones: next.roster.zones(of: index))
      if next.hasPhones { next.phones.meet(index, names: next.roster.names(of: index)) }
      state.renumber(receivers: { $0 }, zones: { zones[Int($0.rawValue)] })
      next.engine.restore(state, of: index)
    }
    return next
  }
}
