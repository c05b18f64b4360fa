import Core

/// A private folder, from which mosquitto_sub and mosquitto_pub read how to reach the embedded broker. It exists as long as the
/// broker; the passwords in one that is left are worthless, because its broker ended with its gateway.
struct WatchFolder: Sendable {
  private let folder: PrivateFolder

  var path: String { folder.path }

  /// - Throws: `EmbeddedBrokerError`.
  init(_ access: EmbeddedBrokerAccess, port: Int) throws(EmbeddedBrokerError) {
    do throws(SystemError) { folder = try PrivateFolder("watch") } catch { throw .failed("\(error)") }
    for program in ["mosquitto_sub", "mosquitto_pub"] {
      guard folder.write(access.clientOptions(port: port), as: program) != nil else {
        throw .failed("cannot write \(path)/\(program)")
      }
    }
  }

  func remove() { folder.remove() }
}
