/// What Home Assistant will be told, in plain words.
func sentence(_ settings: HomeAssistantSettings) -> String {
  guard settings.isOn else {
    return "nothing is announced; what was announced before is taken back"
  }
  let form =
    switch settings.form {
    case .device: "a message for each device"
    case .component: "a message for each entity, as Domoticz and releases before 2024.12 need it"
    }
  let places: String
  if let zones = settings.places {
    let pairs = zones.map { "\($0.zone) is \($0.entity)" }
    places =
      zones.isEmpty
      ? "nobody is home whatever zone they are in"
      : "\(listed(pairs, joining: "and")), and in other zones nobody is home"
  } else {
    places = "whoever is in any zone is home"
  }
  return
    "announces gateway, zones, phones, beacons and up to \(settings.members) members of regions below "
    + "\(settings.prefix)/, \(form); \(places)"
}
