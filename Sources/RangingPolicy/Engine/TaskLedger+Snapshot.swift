import Beacons

/// Without `begins`, which follow from the rest.
extension TaskLedger: StateCoded {
  public func write(to writer: inout StateWriter) {
    for count in [ends, leaks, refusals, unknownEnds, lost] { writer.write(count) }
    writer.count(held.count)
    for task in held {
      writer.write(task.id)
      writer.write(task.hasHandler)
    }
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    self.init()
    ends = try reader.taskCount()
    leaks = try reader.taskCount()
    refusals = try reader.taskCount()
    unknownEnds = try reader.taskCount()
    lost = try reader.taskCount()
    for _ in 0..<(try reader.count()) {
      let task = Held(id: try reader.read(), hasHandler: try reader.read())
      guard held.count < Self.limit, !holds(task.id) else { throw reader.damaged }
      held.append(task)
    }
    guard lost <= Self.limit - held.count else { throw reader.damaged }
    begins = ends + leaks + held.count
  }
}

extension StateReader {
  /// Two of them can be added, and still grow.
  fileprivate mutating func taskCount() throws(StateError) -> Int {
    let count: Int = try read()
    guard (0..<(1 << 60)).contains(count) else { throw damaged }
    return count
  }
}

extension TaskID: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(rawValue) }
  public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.read())
  }
}
