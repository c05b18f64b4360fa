/// The paths of the configuration and the passwords, and the service that reads them.
///
/// The service's user cannot read root's files. systemd gives it a copy of the password from `/etc/credstore`, and the
/// configuration refers to that by the variable that systemd sets.
package struct Placement: Hashable, Sendable {
  package static let folder = "/etc/beaconkeeper"
  package static let usualFile = "beaconkeeper.yaml"

  /// The configuration's path.
  package let path: String
  /// The systemd unit that reads it; nil: none does.
  package let unit: String?
  /// The path of the password.
  package let passwordPath: String
  /// Its path in the configuration.
  package let passwordName: String
  /// The same for the page's password.
  package let pagePath: String
  package let pageName: String
  /// The same for the page's password for changes.
  package let writePath: String
  package let writeName: String

  /// - Parameter hasService: whether the package's units are installed.
  package init(path: String, hasService: Bool) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let file = parts.last.map(String.init) ?? path
    let directory = parts.dropLast().joined(separator: "/")
    let stem = file.hasSuffix(".yaml") ? String(file.dropLast(5)) : file
    let (place, start): (String, String)
    if hasService, directory == Self.folder, file.hasSuffix(".yaml"), !stem.isEmpty {
      let name = stem == "beaconkeeper" ? stem : "beaconkeeper-\(stem)"
      unit = stem == "beaconkeeper" ? stem : "beaconkeeper@\(stem)"
      (place, start) = ("/etc/credstore/\(name)", "$CREDENTIALS_DIRECTORY/\(name)")
    } else {
      unit = nil
      (place, start) = (parts.count > 1 ? "\(directory)/\(stem)" : stem, stem)
    }
    (passwordPath, passwordName) = ("\(place).password", "\(start).password")
    (pagePath, pageName) = ("\(place).page", "\(start).page")
    (writePath, writeName) = ("\(place).write", "\(start).write")
  }
}
