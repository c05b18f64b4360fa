import Beacons
import Messages
import Proximity

extension Pipeline {
  /// The process did not run from one time to the other. Nothing is known of that time, so nobody left in it, whatever of it is
  /// read afterwards: all receivers were blind, and see again.
  public mutating func pause(from start: MonotonicTime, to end: MonotonicTime, into output: inout Output) {
    advance(to: start, into: &output)
    let seeing = receivers.indices.filter { engine.isKnown($0) && !blind.contains($0) }
    let first = output.items.count
    for receiver in seeing { setBlind(receiver, true, at: start, into: &output) }
    for receiver in seeing { setBlind(receiver, false, at: end, into: &output) }
    // That a zone was unknown is over when it is found out.
    let told = output.items[first...].filter { item in
      if case .state(.occupancy(let occupancy)) = item { occupancy.state != "unknown" } else { true }
    }
    output.items.replaceSubrange(first..., with: told)
  }
}
