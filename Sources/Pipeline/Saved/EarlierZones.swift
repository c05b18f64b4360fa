import Proximity

/// The zones of an earlier run, by what they asked for, and what has become of them.
struct EarlierZones {
  struct Zone {
    var name: String
    /// nil: there is no zone of that name now.
    var index: ZoneIndex?
    /// Whether its definition has changed.
    var isChanged: Bool
    /// Whether it was made of rooms.
    var isOfRooms: Bool
  }

  private let indices: [String: ZoneIndex]
  private let definitions: [String]
  /// By definition.
  private var zones: [String: Zone?] = [:]

  init(_ indices: [String: ZoneIndex], _ definitions: [String]) {
    self.indices = indices
    self.definitions = definitions
  }

  /// nil for anything else.
  subscript(definition: String) -> Zone? {
    mutating get {
      if let known = zones[definition] { return known }
      let zone = SavedZone(definition: definition).map { saved in
        let index = indices[saved.name]
        let isChanged = index.map { definitions[Int($0.rawValue)] != definition } ?? true
        return Zone(name: saved.name, index: index, isChanged: isChanged, isOfRooms: saved.isOfRooms)
      }
      zones[definition] = .some(zone)
      return zone
    }
  }
}
