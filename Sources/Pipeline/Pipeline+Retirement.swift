import MQTT
import Beacons
import Settings
import Messages
import Proximity

/// Anybody can fake members of a region. At the limit, the member that was silent longest is dropped, so that there
/// is always room for a real beacon.
extension Pipeline {
  /// Members that were heard within this time are not dropped.
  private static let silence = TimeSpan.seconds(10)
  /// How many members are dropped at a time, and how many are examined for it.
  private static let batch = 16
  private static let effort = 64
  /// How many names are kept for Home Assistant.
  private static let forgottenLimit = 10_000

  /// Admits a beacon that is new or matches another entry.
  mutating func admit(_ beacon: BeaconIndex, heard time: MonotonicTime) {
    let isNew = !engine.isAdmitted(beacon)
    engine.admit(
      beacon, zones: roster.zones(of: beacon), isInventable: roster.isMember(beacon), isNewcomer: isNew)
    if !phones.isEmpty { phones.meet(beacon, names: roster.names(of: beacon)) }
    guard isNew, roster.isMember(beacon) else { return }
    unheard.insert(beacon, heard: time)
    telemetry.tryOut(beacon)
  }

  /// Drops members if there is no room. Must not be called while an advertisement is being processed.
  mutating func makeRoom(at time: MonotonicTime, into output: inout Output) {
    for _ in 0..<Self.batch {
      let retired = unheard.take(before: time - Self.silence, now: time, effort: Self.effort) { beacon in
        let isNeeded =
          phones.carry(beacon) || !engine.zones(of: beacon).isEmpty || rooms?.room(of: beacon) != nil
        return isNeeded ? nil : engine.lastSighting(of: beacon)?.time ?? MonotonicTime(nanoseconds: .min)
      }
      guard let retired else { return }
      retire(retired, into: &output)
    }
  }

  /// Names of beacons that were forgotten since the last call and that Home Assistant may know.
  package mutating func takeForgotten() -> [String] {
    defer { if !forgotten.isEmpty { forgotten.removeAll() } }
    return forgotten
  }

  private mutating func retire(_ beacon: BeaconIndex, into output: inout Output) {
    guard engine.retire(beacon) else { return }
    let (name, key) = (roster.name(of: beacon), roster.key(of: beacon))
    tap?.drop(beacon)
    history?.noteRetirement(of: beacon, at: time)
    roster.retire(beacon)
    if telemetry.retire(beacon), forgotten.count < Self.forgottenLimit { forgotten.append(name) }
    if packets.sender(beacon) != nil { output.forgotten.append(key) }
    packets.retire(beacon)
    whereabouts.retire(beacon)
    _ = rooms?.retire(beacon)
    counts.retired += 1
    for topic in topics.retained(
      beacon: name, hasPlaces: configuration.homeAssistant.hasPlaces, hasRooms: rooms != nil)
    {
      output.items.append(
        .state(.cleared(Message(topic: topic, payload: [], qos: .atLeastOnce, retained: true))))
    }
  }
}
