import Proximity

/// Writes a drawn plan into the text: changes and removes entries where they are, and adds new ones at the end of their lists.
struct PlanEditor {
  private let drawn: DrawnPlan
  private let current: Configuration

  init(_ drawn: DrawnPlan, over current: Configuration) {
    self.drawn = drawn
    self.current = current
  }

  func edited(_ bytes: [UInt8]) throws(Unsupported) -> [UInt8] {
    // New entries come after the last one, which the first step may remove.
    let kept = try applied(bytes) { (source, root, edits) throws(Unsupported) in
      try changeFloors(source, root, &edits)
      try changeRooms(source, root, &edits)
      try changeDoors(source, root, &edits)
      try changeReceivers(source, root, &edits)
      try renameInZones(source, root, &edits)
    }
    return try applied(kept) { (source, root, edits) throws(Unsupported) in
      let new = [
        ("receivers", newReceivers), ("floors", newFloors), ("rooms", newRooms), ("doors", newDoors),
      ]
      for (list, entries) in new
      where !entries.isEmpty {
        try EntryAppender(source, root, list).add(entries, &edits)
      }
    }
  }

  private func applied(
    _ bytes: [UInt8], _ body: (SourceText, Node?, inout TextEdits) throws(Unsupported) -> Void
  ) throws(Unsupported) -> [UInt8] {
    var edits = TextEdits()
    let root = YAMLDocument.read(bytes, diagnostics: Diagnostics(file: ""))?.node
    try body(SourceText(bytes), root, &edits)
    guard let bytes = edits.applied(to: bytes) else { throw Unsupported("it is written unusually") }
    return bytes
  }

  /// The entries of a list, as many as were read from it.
  private func entries(_ list: String, _ root: Node?, count: Int) throws(Unsupported) -> [Node] {
    guard let node = root?[list], !node.isNull else { return [] }
    guard case .list(let entries) = node.content, entries.count == count else {
      throw Unsupported("the entries of \(list) are not found")
    }
    return entries
  }

  // MARK: Floors

  private func changeFloors(_ source: SourceText, _ root: Node?, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    guard let floors = drawn.floors else { return }
    let nodes = try entries("floors", root, count: current.floors.count)
    var removed: Set<Int> = []
    for (place, (old, node)) in zip(current.floors, nodes).enumerated() {
      guard let floor = floors.first(where: { $0.former == old.name }) else {
        removed.insert(place)
        continue
      }
      let entry = try MappingEditor(source, node)
      if floor.name != old.name, let name = entry.value("name") {
        try rename(name, to: floor.name, isQuoted: entry.isJSON, source, &edits)
      }
      if let height = entry.value("height"), abs(floor.height - old.height) >= drawingTolerance {
        let text = height.scalar.flatMap { Measure(.distance, floor.height).text(like: $0) }
        try MappingEditor.replace(height, in: source, with: text ?? metres(floor.height), &edits)
      }
    }
    try source.remove(removed, of: root?["floors"], &edits)
  }

  private var newFloors: [[String]] {
    (drawn.floors ?? []).filter { $0.former == nil }.map {
      ["name: \(yamlScalar($0.name))", "height: \(metres($0.height))"]
    }
  }

  /// Writes the floor of a room or a door into its entry, if the entry names another one or none.
  private func put(
    floor wanted: String?, in entry: MappingEditor, _ source: SourceText, _ edits: inout TextEdits
  ) throws(Unsupported) {
    guard let wanted else { return }
    guard let node = entry.value("floor") else {
      guard drawn.floorCount(over: current) > 1 else { return }
      let flow = yamlScalar(wanted, isQuoted: entry.isJSON)
      return try entry.add("floor", flow: flow, after: ["name"], &edits)
    }
    if node.scalar != wanted { try rename(node, to: wanted, isQuoted: entry.isJSON, source, &edits) }
  }

  // MARK: Rooms

  private func changeRooms(_ source: SourceText, _ root: Node?, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    let entries = try entries("rooms", root, count: current.rooms.count)
    var removed: Set<Int> = []
    for (place, old) in current.rooms.enumerated() {
      guard let room = drawn.rooms.first(where: { $0.former == old.name }) else {
        removed.insert(place)
        continue
      }
      let entry = try MappingEditor(source, entries[place])
      if room.name != old.name, let name = entry.value("name") {
        try rename(name, to: room.name, isQuoted: entry.isJSON, source, &edits)
      }
      try put(floor: room.floor, in: entry, source, &edits)
      if Set(room.receivers) != Set(old.receivers) {
        if room.receivers.isEmpty {
          try entry.remove("receivers", &edits)
        } else {
          let names = listed(room.receivers.map { yamlScalar($0, isQuoted: entry.isJSON) })
          try entry.put("receivers", flow: names, after: ["name", "floor"], &edits)
        }
      }
      try change(outline: room.outline, of: old, in: entry, source, &edits)
    }
    try source.remove(removed, of: root?["rooms"], &edits)
  }

  /// Corners that stay where they are keep their text.
  private func change(
    outline: [Point], of old: RoomSettings, in entry: MappingEditor, _ source: SourceText,
    _ edits: inout TextEdits
  ) throws(Unsupported) {
    guard !areClose(outline, old.outline) else { return }
    guard !outline.isEmpty else { return try entry.remove("outline", &edits) }
    if case .list(let corners)? = entry.value("outline")?.content, corners.count == outline.count,
      corners.count == old.outline.count
    {
      for ((node, former), corner) in zip(zip(corners, old.outline), outline) {
        try change(node, from: [former.x, former.y], to: [corner.x, corner.y], source, &edits)
      }
      return
    }
    let exact = outline.map { corner in old.outline.first { areClose([$0], [corner]) } ?? corner }
    let corners = exact.map { metres([$0.x, $0.y], isQuoted: entry.isJSON) }
    try entry.put("outline", flow: listed(corners), after: ["name", "floor", "receivers"], &edits)
  }

  private func renameInZones(_ source: SourceText, _ root: Node?, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    let names = drawn.newNames
    guard !names.isEmpty, case .list(let zones)? = root?["zones"]?.content else { return }
    for zone in zones {
      let isQuoted = try MappingEditor(source, zone).isJSON
      for key in ["room", "rooms"] {
        guard let node = zone[key] else { continue }
        let scalars = if case .list(let all) = node.content { all } else { [node] }
        for scalar in scalars {
          guard let name = scalar.scalar.flatMap({ names[$0] }) else { continue }
          try rename(scalar, to: name, isQuoted: isQuoted, source, &edits)
        }
      }
    }
  }

  private func rename(
    _ node: Node, to name: String, isQuoted: Bool, _ source: SourceText, _ edits: inout TextEdits
  ) throws(Unsupported) {
    guard let first = source.first(of: node), !"!|>".utf8.contains(first) else {
      throw Unsupported("block texts (|, >) and tags (!) are not edited")
    }
    edits.replace(source.range(of: node), with: yamlScalar(name, isQuoted: isQuoted))
  }

  private var newRooms: [[String]] {
    drawn.rooms.filter { $0.former == nil }.map { room in
      var entry = ["name: \(yamlScalar(room.name))"]
      if drawn.floorCount(over: current) > 1, let floor = room.floor {
        entry.append("floor: \(yamlScalar(floor))")
      }
      if !room.receivers.isEmpty {
        entry.append("receivers: \(listed(room.receivers.map { yamlScalar($0) }))")
      }
      if !room.outline.isEmpty {
        entry.append("outline: \(listed(room.outline.map { metres([$0.x, $0.y]) }))")
      }
      return entry
    }
  }

  // MARK: Doors

  private func changeDoors(_ source: SourceText, _ root: Node?, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    let doors = drawn.moved(current.doors)
    let removed = doors.indices.filter { place in !drawn.doors.contains { areClose($0, doors[place]) } }
    guard !removed.isEmpty || drawn.floors != nil else { return }
    let nodes = try entries("doors", root, count: current.doors.count)
    for place in doors.indices where !removed.contains(place) {
      try put(floor: doors[place].floor, in: try MappingEditor(source, nodes[place]), source, &edits)
    }
    try source.remove(Set(removed), of: root?["doors"], &edits)
  }

  private var newDoors: [[String]] {
    let known = drawn.moved(current.doors)
    return drawn.doors.filter { door in !known.contains { areClose($0, door) } }.map { door in
      let ends = ["from: \(metres([door.from.x, door.from.y]))", "to: \(metres([door.to.x, door.to.y]))"]
      guard drawn.floorCount(over: current) > 1, let floor = door.floor else { return ends }
      return ["floor: \(yamlScalar(floor))"] + ends
    }
  }

  // MARK: Receivers

  private func changeReceivers(_ source: SourceText, _ root: Node?, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    let entries = try entries("receivers", root, count: current.receivers.count)
    for (place, old) in current.receivers.enumerated() {
      guard let wanted = drawn.places[old.name] else { continue }
      let (former, position) = (old.calibration.position, wanted)
      guard !areClose(former, position) else { continue }
      let entry = try MappingEditor(source, entries[place])
      guard let position else {
        try entry.remove("position", &edits)
        continue
      }
      let coordinates = [position.x, position.y, position.z]
      if let former, let node = entry.value("position"), case .list(let all) = node.content,
        all.count == 3 || abs(former.z - position.z) < drawingTolerance
      {
        try change(node, from: [former.x, former.y, former.z], to: coordinates, source, &edits)
      } else {
        let written = position.z == Position.beaconHeight ? Array(coordinates.prefix(2)) : coordinates
        try entry.put(
          "position", flow: metres(written, isQuoted: entry.isJSON), after: ["name", "adapter"], &edits)
      }
    }
  }

  private var newReceivers: [[String]] {
    drawn.places.sorted { $0.key < $1.key }.compactMap { name, position in
      guard let position, !current.receivers.contains(where: { $0.name == name }) else { return nil }
      let coordinates = [position.x, position.y, position.z]
      return [
        "name: \(yamlScalar(name))",
        "position: \(metres(position.z == Position.beaconHeight ? Array(coordinates.prefix(2)) : coordinates))",
      ]
    }
  }

  // MARK: Coordinates

  /// Writes the coordinates of a point that have changed, in their present unit.
  private func change(
    _ node: Node, from former: [Double], to wanted: [Double], _ source: SourceText, _ edits: inout TextEdits
  ) throws(Unsupported) {
    guard case .list(let scalars) = node.content else { throw Unsupported("a point is written unusually") }
    for ((scalar, old), new) in zip(zip(scalars, former), wanted) where abs(old - new) >= drawingTolerance {
      let text = scalar.scalar.flatMap { Measure(.distance, new).text(like: $0) }
      try MappingEditor.replace(scalar, in: source, with: text ?? metres(new), &edits)
    }
  }

  private func metres(_ value: Double) -> String { "\(Measure.digits(value)) m" }

  private func metres(_ point: [Double], isQuoted: Bool = false) -> String {
    listed(point.map { isQuoted ? "\"\(metres($0))\"" : metres($0) })
  }

  private func listed(_ texts: [String]) -> String { "[\(texts.joined(separator: ", "))]" }
}

extension SourceText {
  /// Removes entries of a list. Comments in and beside them stay.
  fileprivate func remove(_ places: Set<Int>, of list: Node?, _ edits: inout TextEdits) throws(Unsupported) {
    guard !places.isEmpty, let list, case .list(let entries) = list.content else { return }
    for entry in places.map({ entries[$0] }) { try MappingEditor.refuseBlockText(self, at: entry) }
    guard isFlow(list) else { return try removeLines(places, entries, &edits) }
    guard places.count == entries.count else { return removeFromFlow(places, entries, &edits) }
    // A list must not be empty.
    let comments = comments(in: range(of: list), around: scalars(in: list))
    edits.replace(range(of: list), with: "~")
    edits.insert(
      comments.map { lineEnd + "  " + $0 }.joined(), at: endOfLine(range(of: list).upperBound))
  }

  private func removeLines(_ places: Set<Int>, _ entries: [Node], _ edits: inout TextEdits)
    throws(Unsupported)
  {
    for place in places.sorted() {
      let entry = entries[place]
      let start = range(of: entry).lowerBound
      let line = startOfLine(start)
      let indentation = String(text(line..<start).prefix { $0 == " " })
      guard text(line..<start).dropFirst(indentation.count).allSatisfy({ "- \t".contains($0) }),
        start > line + indentation.count
      else { throw Unsupported("the entry to remove is written unusually") }
      let lines = line..<afterLine(end(of: entry))
      let comments = comments(in: lines, around: scalars(in: entry))
      edits.replace(lines, with: comments.map { indentation + $0 + lineEnd }.joined())
    }
  }

  private func removeFromFlow(_ places: Set<Int>, _ entries: [Node], _ edits: inout TextEdits) {
    var place = 0
    while place < entries.count {
      let first = place
      while places.contains(place) { place += 1 }
      guard place > first else {
        place += 1
        continue
      }
      // The range includes the comma after the entries, or before them if they are the last.
      let isLast = place == entries.count
      let start = isLast && first > 0 ? end(of: entries[first - 1]) : range(of: entries[first]).lowerBound
      let end = isLast ? end(of: entries[place - 1]) : range(of: entries[place]).lowerBound
      let comments = comments(in: start..<end, around: entries[first..<place].flatMap(scalars))
      edits.replace(start..<end, with: comments.map { " " + $0 + lineEnd + "  " }.joined())
    }
  }
}
