import Configuration
import Core
import FoundationEssentials
import Glibc
import Outbox

/// What a backup contains, and where the parts belong: the configuration, the files that it names, and the gateway's state.
package struct Backup {
  /// Files in the folder of the configuration, the configuration itself among them.
  static let configuration = "configuration/"
  /// Files that the configuration names in other folders.
  static let elsewhere = "elsewhere/"
  static let state = "state/"
  private static let credentials = "$CREDENTIALS_DIRECTORY/"

  /// The names of a backup's properties.
  enum Property {
    static let version = "version"
    static let gateway = "gateway"
    static let configuration = "configuration"
    static let path = "path"
    static let time = "time"
  }

  /// - Parameters:
  ///   - path: the configuration's; nil: there is none.
  ///   - files: those that it names.
  /// - Returns: the members, and messages for the user.
  package static func write(
    to file: String, configuration: Configuration, path: String?, files: Set<String>, time: WallTime
  ) throws -> (members: [BackupMember], notices: [String]) {
    let directory = directory(of: configuration, path)
    try UnfinishedRestore.refuse(in: directory, gateway: configuration.gatewayName)
    let writer = try BackupWriter(path: file)
    do {
      var notices: [String] = []
      var properties = [
        Property.version: version, Property.gateway: configuration.gatewayName, Property.time: time.rfc3339,
      ]
      if let path {
        let full = absolute(path)
        let folder = folderPrefix(of: full)
        properties[Property.path] = full
        properties[Property.configuration] = Self.configuration + full.dropFirst(folder.count)
        for named in files.union([full]).sorted() {
          let place =
            named.hasPrefix(credentials)
            ? "\(credentialStore)/\(named.dropFirst(credentials.count))" : absolute(named)
          guard access(place, F_OK) == 0 else {
            notices.append("\(place) is not there, and not in the backup")
            continue
          }
          let name =
            place == full || place.hasPrefix(folder) && !isHidden(String(place.dropFirst(folder.count)))
            ? Self.configuration + place.dropFirst(folder.count) : elsewhere + place.dropFirst()
          try writer.add(name, contentsOf: place)
        }
      }
      var isEmpty = true
      for (name, isStore) in StateDirectory.files(gateway: configuration.gatewayName) {
        let place = "\(directory.path)/\(name)"
        guard access(place, F_OK) == 0 else { continue }
        try writer.add(state + name, contentsOf: place, isStore: isStore, isOthers: true)
        isEmpty = false
      }
      if isEmpty {
        notices.append(
          "\(directory.path) has nothing of \(configuration.gatewayName), so that the backup has no state")
      }
      let members = try writer.finish(properties)
      var status = stat()
      if stat(file, &status) == 0, status.st_mode & 0o077 != 0 {
        notices.append(
          "others can read \(file), which has passwords and keys: its file system knows no permissions")
      }
      return (members, notices)
    } catch {
      writer.cancel()
      throw error
    }
  }

  /// Where the gateway with a configuration keeps its state. The service's instances have folders of their own.
  static func directory(of configuration: Configuration, _ path: String?) -> StateDirectory {
    let isGiven =
      configuration.stateDirectory != nil || ProcessInfo.processInfo.environment["STATE_DIRECTORY"] != nil
    let prefix = "beaconkeeper@"
    guard !isGiven, geteuid() == 0, let path,
      let unit = Placement(path: absolute(path), hasService: true).unit, unit.hasPrefix(prefix)
    else { return StateDirectory(configured: configuration.stateDirectory) }
    return StateDirectory(configured: "/var/lib/beaconkeeper-\(unit.dropFirst(prefix.count))")
  }

  /// Whether a file or a folder on the way has a name that begins with a dot.
  static func isHidden(_ path: String) -> Bool { path.split(separator: "/").contains { $0.hasPrefix(".") } }

  /// Without links and dots.
  static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
