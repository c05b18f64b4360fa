import Configuration
import Core
import FoundationEssentials
import Glibc
import Outbox

/// Restores a backup. First every file is written beside its target. Then the files are renamed into place, and those that were
/// there are kept under other names. Meanwhile a mark keeps every gateway from the state (`UnfinishedRestore`), also after a
/// power cut.
package struct Restore {
  package enum Fault: Error {
    /// The configuration in the backup has these errors.
    case configuration(ConfigurationErrors, version: String)
    /// The configuration's path is unknown; the user has to name it.
    case noPlace(original: String?)
    /// Another restore uses this folder.
    case busy(folder: String)
  }

  package struct Account {
    package var restored: [String] = []
    /// Where the files that were there before are kept.
    package var kept: [String] = []
    package var notices: [String] = []
  }

  private struct Move {
    var target: String
    /// nil: the target is only set aside.
    var new: String?
    /// Where the file that was there before is kept; nil: there was none.
    var kept: String?
  }

  private let backup: BackupReader
  private let configurationPath: String?
  private let gateway: String
  private let version: String
  private let suffix: String
  private let withElsewhere: Bool
  private var directory = StateDirectory(configured: nil)
  /// The gateways that may open the state: that of the backup, and that of the configuration on this machine.
  private var gateways: Set<String>
  private var locks: [String: FolderLock] = [:]
  private var moves: [Move] = []
  private var account = Account()

  /// Changes nothing.
  ///
  /// - Parameters:
  ///   - path: of the configuration; nil: where one is found, or the usual path of the service.
  ///   - withElsewhere: whether to restore files outside of the configuration's folder, too.
  package init(
    _ backup: BackupReader, path: String?, withElsewhere: Bool, time: WallTime
  ) throws(Fault) {
    self.backup = backup
    self.withElsewhere = withElsewhere
    gateway = backup.properties[Backup.Property.gateway] ?? ""
    gateways = [gateway]
    version = backup.properties[Backup.Property.version] ?? "?"
    suffix = ".before-restore-" + time.rfc3339.filter { $0.isNumber || $0 == "T" }
    guard backup.properties[Backup.Property.configuration] != nil else {
      configurationPath = nil
      return
    }
    let original = backup.properties[Backup.Property.path]
    let usual = "\(Placement.folder)/\(Placement.usualFile)"
    guard let place = path ?? Configuration.find() ?? (original == usual ? usual : nil) else {
      throw .noPlace(original: original)
    }
    configurationPath = Backup.absolute(place)
  }

  /// - Throws: `Fault`, `OutboxInUse`, `BackupFault`, `SystemError`; then everything is as before. `UnfinishedRestore`: the disk
  ///   refuses to undo the changes.
  package mutating func run() throws -> Account {
    do {
      try stage()
      try swap()
    } catch {
      for move in moves { if let new = move.new { unlink(new) } }
      throw error
    }
    if version != Gateway.version {
      account.notices.append("the backup was made by version \(version); this is \(Gateway.version)")
    }
    return account
  }

  /// Writes every file beside its target, and checks it there.
  private mutating func stage() throws {
    let isState = { (member: BackupMember) in member.name.hasPrefix(Backup.state) }
    for member in backup.members where !isState(member) { try stage(member) }
    try readConfiguration()
    let files = moves
    try settle()
    if let notice = try directory.make() { account.notices.append(notice) }
    for member in backup.members where isState(member) { try stage(member) }
    // Files of the state that the backup does not have must not stay beside those that it has, nor an old SQLite log.
    try settle()
    let restored = Set(moves.map(\.target))
    for (name, isStore) in StateDirectory.files(gateway: gateway) {
      let target = "\(directory.path)/\(name)"
      let besides = isStore ? ["-wal", "-shm"] : []
      for place in (restored.contains(target) ? [] : [target]) + besides.map({ target + $0 })
      where access(place, F_OK) == 0 {
        moves.insert(Move(target: place), at: files.count)
      }
    }
    // The state comes first, then the configuration, then the files that it names. Until the configuration is
    // replaced, a gateway uses the old one, whose state may be elsewhere, without a mark.
    let configuration = files.filter { $0.target == configurationPath }
    moves = moves[files.count...] + configuration + files.filter { $0.target != configurationPath }
  }

  /// Refuses while the gateway runs.
  private func settle() throws {
    for (name, isStore) in StateDirectory.files(gateway: gateway) where isStore {
      try StoreCheck.settle("\(directory.path)/\(name)", gateway: gateway)
    }
  }

  /// Reads the configuration with the files of the backup. The present files may be damaged; that may be the reason for the
  /// restore.
  private mutating func readConfiguration() throws {
    guard let configurationPath, let name = backup.properties[Backup.Property.configuration] else { return }
    guard let text = try backup.members.first(where: { $0.name == name }).map(backup.contents) else {
      throw BackupFault("the backup names the configuration \(name), and does not have it")
    }
    let staged = moves.compactMap { move in move.new.map { (move.target, $0) } }
    do {
      let loaded = try Configuration.read(
        text, path: configurationPath, environment: ProcessInfo.processInfo.environment,
        hostName: machineName(), connects: false, calibrates: true, check: .elsewhere,
        substitutes: Dictionary(staged, uniquingKeysWith: { $1 }))
      directory = Backup.directory(of: loaded.configuration, configurationPath)
      gateways.insert(loaded.configuration.gatewayName)
      try requireNamed(loaded.files, configurationPath)
      if loaded.configuration.gatewayName != gateway {
        account.notices.append(
          "the backup is of the gateway \(gateway), and its configuration names none, so that it is \(loaded.configuration.gatewayName) here; with gateway: { name: \(gateway) } it goes on as it was"
        )
      }
    } catch let error as ConfigurationErrors {
      throw Fault.configuration(error, version: version)
    }
  }

  /// Refuses files that would be written beside the configuration but are not named in it: they might replace another program's,
  /// or a person's.
  private func requireNamed(_ files: Set<String>, _ configurationPath: String) throws {
    let folder = folderPrefix(of: configurationPath)
    let former = backup.properties[Backup.Property.path].map(folderPrefix) ?? folder
    // Absolute paths in the configuration may be those of the other machine.
    var named = Set(files.map { Backup.absolute($0) })
    for name in named where name.hasPrefix(former) { named.insert(folder + name.dropFirst(former.count)) }
    for member in backup.members
    where member.name.hasPrefix(Backup.configuration)
      && member.name != backup.properties[Backup.Property.configuration]
    {
      let name = String(member.name.dropFirst(Backup.configuration.count))
      guard named.contains(folder + name) else {
        throw BackupFault("the backup has \(name), which its configuration does not name")
      }
    }
  }

  /// Writes a member beside its target.
  private mutating func stage(_ member: BackupMember) throws {
    guard let target = place(of: member) else { return }
    // The second file would replace the first.
    guard !moves.contains(where: { $0.target == target }) else {
      throw BackupFault("two files of the backup belong to \(target); restore without --elsewhere")
    }
    let folder = folderPrefix(of: target)
    // The service's user must be able to read the configuration, but no secrets of root.
    let mode = configurationPath.map(folderPrefix) == folder ? 0o755 : 0o700
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
    if locks[folder] == nil {
      do throws(SystemError) { locks[folder] = try FolderLock(folder) } catch {
        throw error.code == EWOULDBLOCK ? Fault.busy(folder: folder) : error
      }
    }
    let new = target + ".restore-new"
    // It may be left from a restore that was interrupted.
    unlink(new)
    moves.append(Move(target: target, new: new))
    let isState = member.name.hasPrefix(Backup.state)
    try backup.unpack(member, to: new, owner: owner(of: member, isState, target))
    if isState,
      StateDirectory.files(gateway: gateway).contains(where: {
        $0.isStore && member.name == Backup.state + $0.name
      })
    {
      try StoreCheck.requireReadable(
        new, as: String(member.name.dropFirst(Backup.state.count)), madeBy: version)
    }
  }

  /// The owner that a member gets; nil: the user of this process, because only root can give files to others.
  private mutating func owner(of member: BackupMember, _ isState: Bool, _ target: String)
    -> (user: uid_t, group: gid_t)?
  {
    guard geteuid() == 0 else { return nil }
    var folder = stat()
    if isState, stat(directory.path, &folder) == 0 { return (folder.st_uid, folder.st_gid) }
    if let user = getpwnam(member.owner)?.pointee.pw_uid, let group = getgrnam(member.group)?.pointee.gr_gid {
      return (user, group)
    }
    account.notices.append(
      "there is no user \(member.owner) or no group \(member.group) here, so that \(target) is root's")
    return nil
  }

  private mutating func place(of member: BackupMember) -> String? {
    if member.name == backup.properties[Backup.Property.configuration] { return configurationPath }
    // A dot file is some other program's.
    if member.name.hasPrefix(Backup.configuration), !Backup.isHidden(member.name), let configurationPath {
      return folderPrefix(of: configurationPath) + member.name.dropFirst(Backup.configuration.count)
    }
    if member.name.hasPrefix(Backup.elsewhere) {
      let path = "/" + member.name.dropFirst(Backup.elsewhere.count)
      if withElsewhere { return path }
      account.notices.append(
        "\(path) is not restored, because it lies outside of the configuration's folder; to do that, too, add --elsewhere"
      )
      return nil
    }
    let name = member.name.dropFirst(Backup.state.count)
    if member.name.hasPrefix(Backup.state),
      StateDirectory.files(gateway: gateway).contains(where: { $0.name == name })
    {
      return "\(directory.path)/\(name)"
    }
    account.notices.append("\(member.name) is unknown to this version, and not restored")
    return nil
  }

  /// Renames all files, or none.
  private mutating func swap() throws {
    let marks = gateways.map(directory.restoreMark)
    // A mark that is there already belongs to an interrupted restore, which this one completes.
    let own = marks.filter { access($0, F_OK) != 0 }
    do {
      for mark in own { _ = try FileDescriptor(creating: mark) }
      synchroniseFolder(directory.path)
      // A gateway that starts at this moment either is noticed here, or sees the mark.
      try settle()
    } catch {
      for mark in own { unlink(mark) }
      throw error
    }
    for index in moves.indices {
      do throws(SystemError) {
        try swap(&moves[index])
        // The renames must reach the disk in this order even if power fails, and the folders may be on several disks.
        synchroniseFolder(folder(of: moves[index].target))
      } catch {
        let undone = moves[...index].reversed().map(undo)
        if undone.contains(false) { try UnfinishedRestore.refuse(in: directory, gateway: gateway) }
        for mark in own { unlink(mark) }
        throw error
      }
    }
    for mark in marks { unlink(mark) }
    synchroniseFolder(directory.path)
    account.restored = moves.compactMap { $0.new == nil ? nil : $0.target }
    account.kept = moves.compactMap(\.kept)
  }

  private func swap(_ move: inout Move) throws(SystemError) {
    let (target, new) = (move.target, move.new)
    var status = stat()
    if lstat(target, &status) == 0 {
      let kept = target + suffix
      // With a link, the target exists at every moment. Some file systems have none.
      let isLinked = new != nil && link(target, kept) == 0
      if !isLinked { try systemCall("rename") { rename(target, kept) } }
      move.kept = kept
    }
    if let new { try systemCall("rename") { rename(new, target) } }
  }

  /// Undoes a move; returns whether the target is as before.
  private func undo(_ move: Move) -> Bool {
    if let kept = move.kept {
      guard rename(kept, move.target) == 0 else { return false }
      // If both are names of one file, `rename` does nothing.
      unlink(kept)
    } else if let new = move.new, access(new, F_OK) != 0 {
      unlink(move.target)
    }
    return true
  }
}
