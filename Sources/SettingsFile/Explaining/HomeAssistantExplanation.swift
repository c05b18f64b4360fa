import Messages
import Settings

/// What the gateway will announce to Home Assistant, in plain words.
func sentence(_ settings: HomeAssistantSettings) -> String {
  guard settings.isOn else {
    return "nothing is announced; earlier announcements are removed"
  }
  let form =
    switch settings.form {
    case .device: "a message for each device"
    case .component: "a message for each entity, as Domoticz and releases before 2024.12 need it"
    }
  let places: String
  if let zones = settings.places {
    let pairs = zones.map {
      "\($0.zone) is \($0.entity)" + ($0.isHome ? "" : ", published as \(quoted($0.name))")
    }
    places =
      zones.isEmpty
      ? "no beacon is home, whatever zone it is in"
      : "\(listed(pairs, joining: "and")); in other zones a beacon is not home"
  } else {
    places = "a beacon in any zone or room is home"
  }
  let areas = settings.areas.sorted { $0.key < $1.key }.map { "\($0.key) in \($0.value)" }
  return
    "announces gateway, zones, phones, beacons and up to \(settings.members) members of regions below "
    + "\(settings.prefix)/, \(form); \(sentence(settings.entities)); \(places)"
    + (areas.isEmpty ? "" : "; in an area: \(listed(areas, joining: "and"))")
    + (settings.rooms.map {
      "; for mqtt_room, each second how far each receiver has each beacon, on \($0)/<receiver>"
    } ?? "")
    + (settings.supportURL.map { "; help is at \($0)" } ?? "")
}

private func sentence(_ entities: EntityDetail) -> String {
  switch entities {
  case .minimal: "entities show who is where, whether all is well, and batteries"
  case .normal: "entities show who is where, how far away, and what beacons measure"
  case .all: "entities show everything, also signal, last seen, receiver, acceleration and counters"
  }
}
