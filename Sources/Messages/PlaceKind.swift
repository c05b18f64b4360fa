/// What beacons are in: a zone or a room. A zone and a room may have the same name.
///
/// The raw value is the word for it in topics and payloads.
public enum PlaceKind: String, Hashable, Sendable, CaseIterable {
  case zone, room
}
