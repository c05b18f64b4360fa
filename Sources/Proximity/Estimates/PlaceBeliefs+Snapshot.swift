import Beacons

extension PlaceBeliefs {
  func snapshot(into writer: inout StateWriter) {
    writer.write(slots)
    writer.write(times)
    writer.write(openWords)
    writer.write(freeSlots)
    writer.write(beliefs)
  }

  /// Of new ones of the same site.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "places of beacons"
    slots = try reader.read()
    times = try reader.read()
    openWords = try reader.read()
    freeSlots = try reader.read()
    beliefs = try reader.read()
    var met = Set<Int32>()
    for slot in slots where slot >= 0 {
      guard Int(slot) < times.count, met.insert(slot).inserted else { throw reader.damaged }
    }
    for slot in freeSlots {
      guard slot >= 0, Int(slot) < times.count, met.insert(slot).inserted else { throw reader.damaged }
    }
    guard slots.count <= reader.bounds.beacons, openWords.count == times.count, met.count == times.count,
      beliefs.count == times.count * prior.count
    else { throw reader.damaged }
  }
}
