import Contract
import FoundationEssentials

/// An outbox that no running gateway uses, beside that of a gateway with another name: perhaps the same one before it was
/// renamed.
package struct FormerOutbox: Sendable {
  /// The name of its gateway.
  package let gateway: String
  package let path: String
  /// The configuration file of the run that used it last; nil: an earlier version did not note that.
  package let configuration: String?
  /// The `instance` of that run; nil: as above.
  package let instance: String?
  /// How many transitions wait in it for the broker.
  package let waiting: Int

  private static let ending = ".sqlite"

  /// The former outboxes in a directory, by name.
  package static func all(in directory: StateDirectory, besides gateway: String) -> [FormerOutbox] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return files.sorted().compactMap { file in
      guard file.hasSuffix(ending), let name = name(ofTopicLevel: file.dropLast(ending.count)),
        name != gateway, directory.file(gateway: name) == "\(directory.path)/\(file)",
        // Every outbox has a mark. Another program's database must not be opened, because that would change it.
        files.contains(file + ".mark")
      else { return nil }
      return FormerOutbox(gateway: name, path: directory.file(gateway: name))
    }
  }

  /// nil: it is in use, or it is no outbox.
  private init?(gateway: String, path: String) {
    guard let database = try? OutboxFile.open(path) else { return nil }
    defer { try? database.close() }
    let found = try? database.use { database in
      (
        try database.value("SELECT value FROM meta WHERE name = 'configuration'").string,
        try database.value("SELECT value FROM meta WHERE name = 'instance'").string,
        try database.value("SELECT count(*) FROM waiting").int64
      )
    }
    guard let (configuration, instance, waiting) = found else { return nil }
    self.gateway = gateway
    self.path = path
    self.configuration = configuration
    self.instance = instance
    self.waiting = Int(clamping: waiting ?? 0)
  }

  /// The file of the topics that its gateway retained.
  package var topics: String { path.dropLast(Self.ending.count) + ".topics" }

  /// Deletes the file, those beside it, and the observations and topics of the same name. Does nothing if a gateway has begun to
  /// use it.
  package func remove() {
    guard let database = try? OutboxFile.open(path) else { return }
    // While the database is open, no gateway can begin to use it.
    defer { try? database.close() }
    guard
      (try? database.use({ try $0.value("SELECT value FROM meta WHERE name = 'instance'").string }))
        == instance
    else { return }
    let observations = path.dropLast(Self.ending.count) + ".observations"
    try? FileManager.default.removeItem(atPath: topics)
    for file in [path, String(observations)] {
      for ending in ["", "-wal", "-shm", ".mark"] {
        try? FileManager.default.removeItem(atPath: file + ending)
      }
    }
  }
}
