import FoundationEssentials

/// A file in which a running gateway records every 20 seconds that it is alive. Without a service manager, as in a
/// container, a health check reads it.
public struct AliveFile: Sendable {
  public static let interval = Duration.seconds(20)
  /// A gateway that has recorded nothing for this long hangs, or has ended.
  public static let patience = TimeSpan.seconds(75)
  /// At most this many octets of the file are read.
  private static let longest = 4096

  public let path: String

  /// In the first runtime directory that the service manager created; nil: there is none.
  public init?(environment: [String: String]) {
    guard let first = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first, first.hasPrefix("/")
    else {
      return nil
    }
    self.init(directory: String(first))
  }

  public init(directory: String) { path = directory + "/alive" }

  /// Records that the gateway is alive. Errors are ignored: the health check notices that the record is old.
  /// - Parameter summary: one line.
  public func write(_ summary: String, at time: MonotonicTime) {
    let line = "\(time.nanoseconds) \(summary.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
    try? Data(line.utf8).write(to: URL(filePath: path), options: .atomic)
  }

  public func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// A gateway's last record.
  public struct Word: Equatable, Sendable {
    /// Since the machine's start.
    public let time: MonotonicTime
    public let summary: String
  }

  /// A gateway's last record; nil: the file holds none.
  /// - Throws: `CocoaError`: there is no such file, or it cannot be read.
  public func read() throws -> Word? {
    let line = String(decoding: try Data(contentsOf: URL(filePath: path)).prefix(Self.longest), as: UTF8.self)
    guard let space = line.firstIndex(of: " "), let time = Int64(line[..<space]) else { return nil }
    let summary = line[space...].dropFirst().prefix { !$0.isNewline }
    return Word(time: MonotonicTime(nanoseconds: time), summary: String(summary))
  }
}
