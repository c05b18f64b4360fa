import Beacons

extension Tracked: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("measured_power", &measuredPower)
    try coder("is_admitted", &isAdmitted)
    try coder("is_inventable", &isInventable)
    try coder("free_turns", &freeTurns)
    try coder("link_count", &linkCount)
    try coder("last_receiver", &lastReceiver.rawValue)
    try coder("wall_offset", &wallOffset)
    try coder("last_heard", &lastHeard)
    try coder("first_link", &firstLink)
    try coder("first_presence", &firstPresence)
    // Until the first sighting it means nothing.
    try coder.check(lastHeard.nanoseconds == .min || Int(lastReceiver.rawValue) < coder.bounds.receivers)
  }
}

extension LinkSlot: StateElement {
  init() { self.init(link: Link(), beacon: -1, nextOfBeacon: -1) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("link", &link)
    try coder("beacon", &beacon, below: coder.bounds.beacons)
    try coder("next_of_beacon", &nextOfBeacon)
    try coder("first_member", &firstMember)
    try coder("queued_for", &queuedFor)
  }
}

extension PresenceSlot: StateElement {
  init() {
    self.init(
      presence: Presence(), beacon: -1, nextOfBeacon: -1, lastReceiver: ReceiverIndex(rawValue: 0))
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("presence", &presence)
    try coder("beacon", &beacon, below: coder.bounds.beacons)
    try coder("next_of_beacon", &nextOfBeacon)
    try coder("first_member", &firstMember)
    try coder("last_link", &lastLink)
    try coder("last_receiver", &lastReceiver)
    try coder("queued_for", &queuedFor)
  }
}

extension Member: StateElement {
  init() { self.init(link: -1, presence: -1, nextOfLink: -1, nextOfPresence: -1) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("link", &link)
    try coder("presence", &presence)
    try coder("next_of_link", &nextOfLink)
    try coder("next_of_presence", &nextOfPresence)
  }
}
