import Beacons

// By their words.
extension Reason: StateCoded {}
extension Permission: StateCoded {}
extension Fact.What: StateCoded {}
extension Window.State: StateCoded {}

extension Fact: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(time)
    writer.write(what)
    writer.write(task)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    self.init(time: try reader.time(), what: try reader.read(), task: try reader.read())
  }
}

extension Window: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(state)
    writer.write(since)
    writer.write(time)
    writer.write(expires)
    writer.write(why)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    self.init(
      state: try reader.read(), since: try reader.time(), time: try reader.time(),
      expires: try reader.optionalTime(), why: try reader.read())
  }
}
