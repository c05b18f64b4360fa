import Beacons

extension AppReports {
  /// What outlasts a report: the names of the app's tasks.
  public func snapshot(into writer: inout StateWriter) {
    writer.write(vocabulary.tasks)
    writer.write(vocabulary.lastTask)
  }

  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    vocabulary.tasks = try reader.read()
    vocabulary.lastTask = try reader.read()
    guard vocabulary.lastTask >= -1, vocabulary.tasks.count <= EventVocabulary.taskLimit,
      vocabulary.tasks.allSatisfy({ $0.value.rawValue >= 0 && $0.key.utf8.count <= Self.largest })
    else { throw reader.damaged }
  }
}
